"""Tells whether the words of a table stand in a block of code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from octavo_contracts import Table

from ..words import words
from .table_place import find_place

IN_CODE = 0.5
"""A table with more of its words than this share in code, or in entries beside code, is code."""
_FENCE = re.compile(r"`{3,}|~{3,}")
_ENTRY = re.compile(r"[\w-]+(?: [\w-]+)?:(?:\s+\S|\s*$)")
"""A line of a key and its value."""


def is_in_code(markdown: str, tables: Iterable[Table]) -> bool:
    """Return whether markdown has the words of tables in fenced blocks of code, or in lines of a key and a value around one.

    The reader of such a page saw the font of the words: what stands below each other there is code, and no table. A reader
    may take some entries of a file for paragraphs.
    """
    lines = markdown.split("\n")
    of_lines = [words(line) for line in lines]
    wanted = [word for table in tables for row in table.rows for cell in row for word in words(cell)]
    place = find_place(wanted, of_lines)
    if place is None:
        return False
    held = [at for at in place.held if of_lines[at]]
    fenced = _fenced(lines).intersection(held)
    entries = {at for at in held if _ENTRY.match(lines[at])}
    count = sum(len(of_lines[at]) for at in held)
    return bool(fenced) and sum(len(of_lines[at]) for at in fenced | entries) > IN_CODE * count


def whole_fences(lines: Sequence[str], start: int, end: int) -> tuple[list[str], list[str]]:
    """Return the lines before and behind a run of lines, without the fences of code that the run leaves empty or open."""
    before, behind = list(lines[:start]), list(lines[end:])
    inside = _fenced(lines)
    if start in inside:
        opening = max(at for at in range(start) if at not in inside)
        is_empty = not any(line.strip() for line in lines[opening + 1 : start])
        mark = _FENCE.match(lines[opening])
        before = before[:opening] if is_empty or mark is None else [*before, mark[0]]
    if end in inside or end - 1 in inside:
        opening = max(at for at in range(end) if at not in inside)
        close = next((at for at in range(end, len(lines)) if at not in inside), len(lines))
        is_empty = not any(line.strip() for line in lines[end:close])
        behind = list(lines[close + 1 :]) if is_empty else [lines[opening], *behind]
    return before, behind


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
