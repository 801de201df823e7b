"""Suggests the file that was meant where a path does not exist."""

from __future__ import annotations

import difflib
import os
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from octavo_contracts import OctavoError

MAX_NAMES = 10_000
"""Names of a folder that are compared."""
_LEAST_RATIO = 0.7


def message_of(error: OctavoError) -> str:
    """The message of an error; of a path that does not exist with the nearest one in the same folder."""
    from octavo_contracts import SourceMissing

    near = near_path(error.source) if isinstance(error, SourceMissing) and error.source else None
    return f"{error.message}; did you mean {near}?" if near else error.message


def near_path(path: str) -> str | None:
    """The path in the same folder whose name is the nearest one without regard to case, or is this one without its ending.

    Args:
        path: as the user gave it.

    Returns:
        None where the path exists, its folder does not, or no name is near.
    """
    folder, name = os.path.split(path)
    try:
        if os.path.lexists(path) or not name:
            return None
        with os.scandir(folder or os.curdir) as entries:
            names = sorted(entry.name for entry in islice(entries, MAX_NAMES))
    except (OSError, ValueError):  # a folder that is not there or may not be listed; a NUL byte
        return None
    folded = {one.casefold(): one for one in reversed(names)}
    stems = {os.path.splitext(one.casefold())[0]: one for one in reversed(names)}
    wanted = name.casefold()
    near = folded.get(wanted) or stems.get(wanted)
    if near is None and (close := difflib.get_close_matches(wanted, folded, n=1, cutoff=_LEAST_RATIO)):
        near = folded[close[0]]
    return os.path.join(folder, near) if near is not None else None
