"""Pipe tables in pdf-inspector's markdown as cells."""

from __future__ import annotations

import re
from collections.abc import Iterator

from octavo_contracts import Table
from octavo_contracts.authoring import collapse

_RULE = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+\s*$")
_SPLIT = re.compile(r"(?<!\\)\|")
_MARKUP = re.compile(r"</?(?:u|s|b|i|sup|sub)>|<br\s*/?>|(?<!\\)\*{1,3}|~~|`")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~])")
_FENCE = re.compile(r"^\s*(?:`{3}|~{3})")


def tables_of(markdown: str) -> tuple[Table, ...]:
    """The pipe tables of a page, in order; what stands in fenced code is none."""
    found, lines = [], list(_outside_code(markdown))
    place = 0
    while place + 1 < len(lines):
        if not (lines[place].startswith("|") and _RULE.match(lines[place + 1])):
            place += 1
            continue
        rows = [_cells(lines[place])]
        place += 2
        while place < len(lines) and lines[place].startswith("|"):
            rows.append(_cells(lines[place]))
            place += 1
        if any(any(row) for row in rows):
            found.append(Table(rows=tuple(rows)))
    return tuple(found)


def _outside_code(markdown: str) -> Iterator[str]:
    inside = False
    for line in markdown.split("\n"):
        if _FENCE.match(line):
            inside = not inside
        yield "" if inside else line.strip()


def _cells(line: str) -> tuple[str, ...]:
    inner = line[1:-1] if line.endswith("|") and not line.endswith("\\|") else line[1:]
    return tuple(_plain(cell) for cell in _SPLIT.split(inner))


def _plain(cell: str) -> str:
    return collapse(_ESCAPE.sub(r"\1", _MARKUP.sub("", cell))).strip()
