"""Reads pipe tables of markdown as grids; the markdown is unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator

from octavo_contracts import Table

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_DELIMITER = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_OTHER_BLOCK = re.compile(r" {0,3}(?:#{1,6} |>|[-*+] |\d{1,9}[.)] |`{3}|~{3})| {4}|\t")
_BAR = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_LINK = re.compile(r"!?\[((?:[^\[\]\\]|\\.)*)\]\((?:[^()\\]|\\.)*\)")
_MARKS = re.compile(r"(?<!\\)(\*{1,3}|~~|`+)(?=\S)(.+?)(?<=\S)\1")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def read_grids(markdown: str) -> tuple[Table, ...]:
    """Return the tables of a markdown text, in order; code blocks are ignored.

    A table is a line with a bar, a line of dashes with as many cells, and the lines up to an empty one or another block.

    Args:
        markdown: line ends as line feeds.
    """
    lines = list(_outside_fences(markdown))
    tables: list[Table] = []
    at = 0
    while at + 1 < len(lines):
        header = _cells(lines[at])
        is_table = "|" in lines[at] and _DELIMITER.fullmatch(lines[at + 1]) and not _OTHER_BLOCK.match(lines[at])
        if not is_table or len(_cells(lines[at + 1])) != len(header):
            at += 1
            continue
        end = at + 2
        while end < len(lines) and lines[end].strip() and not _OTHER_BLOCK.match(lines[end]):
            end += 1
        rows = [header, *map(_cells, lines[at + 2 : end])]
        tables.append(Table(rows=tuple(tuple(map(_plain, row)) for row in rows)))
        at = end
    return tuple(tables)


def _outside_fences(markdown: str) -> Iterator[str]:
    """The lines, those of code blocks as empty ones."""
    mark = ""
    for line in markdown.split("\n"):
        found = _FENCE.match(line)
        if mark:
            if found and found[1].startswith(mark) and not line.strip().strip(mark[0]):
                mark = ""
            yield ""
        elif found:
            mark = found[1]
            yield ""
        else:
            yield line


def _cells(line: str) -> list[str]:
    """The cells of a line, still as markdown; a bar after a backslash parts nothing."""
    parts = _BAR.sub("\\1\x00", line.strip()).split("\x00")
    if len(parts) > 1 and not parts[0].strip():
        del parts[0]
    if len(parts) > 1 and not parts[-1].strip():
        del parts[-1]
    return [part.strip() for part in parts]


def _plain(cell: str) -> str:
    """A cell as text: links and pictures as their words, emphasis, code marks and escapes gone."""
    return _ESCAPED.sub(r"\1", _MARKS.sub(r"\2", _LINK.sub(r"\1", cell)))
