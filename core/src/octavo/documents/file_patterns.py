"""Patterns of files that a caller names, such as `papers/**/*.pdf`."""

from __future__ import annotations

import glob
import os
from itertools import takewhile
from pathlib import Path

from octavo_contracts import SourceMissing
from octavo_sandbox.egress.targets import is_url
from octavo_sandbox.filesystem.file_walk import is_library
from octavo_sandbox.filesystem.globs import closed_folders

WILDCARDS = "*?["


def is_pattern(path: str) -> bool:
    """Return whether a path is a pattern: a file whose name has such a character is that file."""
    return any(sign in path for sign in WILDCARDS) and not is_url(path) and not os.path.lexists(path)


def fixed_folder(pattern: str) -> str:
    """The leading folders of a pattern, which have no wildcard; empty for the working folder."""
    return os.path.join(
        "", *takewhile(lambda part: not any(sign in part for sign in WILDCARDS), Path(pattern).parts[:-1])
    )


def fitting_files(pattern: str) -> list[str]:
    """The files that fit a pattern and the folders that may not be listed, sorted; as in a walk, no library's files.

    Raises:
        SourceMissing: no file fits.
    """
    known = {os.path.dirname(fixed_folder(pattern)): False}
    fitting = [path for path in glob.iglob(pattern, recursive=True) if os.path.isfile(path)]
    fitting += closed_folders(pattern)
    found = sorted(path for path in fitting if not _is_in_library(os.path.dirname(path), known))
    if not found:
        raise SourceMissing("no file fits this pattern", source=pattern, remedy="Check the pattern and the folder")
    return found


def _is_in_library(folder: str, known: dict[str, bool]) -> bool:
    """Whether a folder or one that it is in is a library; `known` ends the way up and keeps what was found."""
    if folder not in known:
        outer = os.path.dirname(folder)
        known[folder] = is_library(folder) or (outer != folder and _is_in_library(outer, known))
    return known[folder]
