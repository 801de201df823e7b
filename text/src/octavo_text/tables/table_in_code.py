"""Tells whether the words of a table stand in a block of code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from octavo_contracts import Table

from ..words import words
from .table_place import find_place

_FENCE = re.compile(r"`{3,}|~{3,}")


def is_in_code(markdown: str, tables: Iterable[Table]) -> bool:
    """Return whether markdown has the words of tables in a fenced block of code.

    The reader of such a page saw the font of the words: what stands below each other there is code, and no table.
    """
    lines = markdown.split("\n")
    wanted = [word for table in tables for row in table.rows for cell in row for word in words(cell)]
    place = find_place(wanted, [words(line) for line in lines])
    return place is not None and bool(place.held) and set(place.held) <= _fenced(lines)


def _fenced(lines: Sequence[str]) -> set[int]:
    """Return the places of the lines between fences."""
    found: set[int] = set()
    fence = ""
    for at, line in enumerate(lines):
        mark = _FENCE.match(line)
        if not fence and mark is not None:
            fence = mark[0]
        elif fence and line.strip() == fence:
            fence = ""
        elif fence:
            found.add(at)
    return found
