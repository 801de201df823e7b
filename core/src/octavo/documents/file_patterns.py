"""Patterns of files that a caller names, such as `papers/**/*.pdf`."""

from __future__ import annotations

import glob
import os

from octavo_contracts import SourceMissing

from .location import is_url

WILDCARDS = "*?["


def is_pattern(path: str) -> bool:
    """Return whether a path is a pattern: a file whose name has such a character is that file."""
    return any(sign in path for sign in WILDCARDS) and not is_url(path) and not os.path.lexists(path)


def fitting_files(pattern: str) -> list[str]:
    """The files that fit a pattern, sorted.

    Raises:
        SourceMissing: no file fits.
    """
    found = sorted(path for path in glob.iglob(pattern, recursive=True) if os.path.isfile(path))
    if not found:
        raise SourceMissing("no file fits this pattern", source=pattern, remedy="Check the pattern and the folder")
    return found
