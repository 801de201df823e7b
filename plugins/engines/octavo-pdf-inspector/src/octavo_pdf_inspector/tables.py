"""Pipe tables in pdf-inspector's markdown as cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from octavo_contracts import Table
from octavo_contracts.authoring import collapse

from .table_heads import Head

_RULE = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+\s*$")
_SPLIT = re.compile(r"(?<!\\)\|")
_MARKUP = re.compile(r"</?(?:u|s|b|i|sup|sub)>|<br\s*/?>|(?<!\\)\*{1,3}|~~|`")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~])")
_BOLD: Final = "**"
_FENCE = re.compile(r"^\s*(?:`{3}|~{3})")


class _Found(NamedTuple):
    """A pipe table in markdown."""

    start: int
    """Index of its first line."""
    rows: list[list[str]]
    """Cells as markdown."""


def tables_of(markdown: str) -> tuple[Table, ...]:
    """The pipe tables of a page, in order; what stands in fenced code is none."""
    return tuple(Table(rows=tuple(tuple(map(_plain, row)) for row in one.rows)) for one in _found(markdown))


def with_heads(markdown: str, heads: Mapping[int, Head]) -> str:
    """Return markdown with other heads of tables, without the columns that have no text then.

    A head stays if a cell with markup would have to be cut.

    Args:
        markdown: of a page.
        heads: index of a table → its head.
    """
    lines = markdown.split("\n")
    for at, one in reversed(list(enumerate(_found(markdown)))):
        head = _written(heads[at], one.rows[0]) if at in heads else None
        if head is not None:
            rows = [head, *([*row, *[""] * (len(head) - len(row))] for row in one.rows[1:])]
            kept = [place for place in range(len(head)) if any(row[place].strip() for row in rows)]
            made = [f"|{'|'.join(row[place] for place in kept)}|" for row in rows]
            lines[one.start : one.start + len(rows) + 1] = [made[0], f"|{'---|' * len(kept)}", *made[1:]]
    return "\n".join(lines)


def _written(head: Head, before: Sequence[str]) -> list[str] | None:
    """Return the cells of a head as markdown; None if a cell with markup would have to be cut."""
    made: list[str] = []
    for cell in head:
        old = before[cell.column] if cell else ""
        mark = _BOLD if _plain(old) == old.removeprefix(_BOLD).removesuffix(_BOLD) != old else ""
        if cell is None or _plain(old) == cell.text:
            made.append(old)
        elif _plain(old) == old or mark:
            made.append(f"{mark}{cell.text}{mark}")
        else:
            return None
    return made


def _found(markdown: str) -> Iterator[_Found]:
    lines = list(_outside_code(markdown))
    place = 0
    while place + 1 < len(lines):
        if not (lines[place].startswith("|") and _RULE.match(lines[place + 1])):
            place += 1
            continue
        start, rows = place, [_cells(lines[place])]
        place += 2
        while place < len(lines) and lines[place].startswith("|"):
            rows.append(_cells(lines[place]))
            place += 1
        if any(any(map(_plain, row)) for row in rows):
            yield _Found(start, rows)


def _outside_code(markdown: str) -> Iterator[str]:
    inside = False
    for line in markdown.split("\n"):
        if _FENCE.match(line):
            inside = not inside
        yield "" if inside else line.strip()


def _cells(line: str) -> list[str]:
    inner = line[1:-1] if line.endswith("|") and not line.endswith("\\|") else line[1:]
    return _SPLIT.split(inner)


def _plain(cell: str) -> str:
    return collapse(_ESCAPE.sub(r"\1", _MARKUP.sub("", cell))).strip()
