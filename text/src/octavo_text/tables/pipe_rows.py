"""Rows of pipe tables among the lines of a page."""

from __future__ import annotations

from collections.abc import Sequence

from octavo_text.words import words

FEWEST_ROWS = 2
"""Rows of a table from which on a line of text holds the table: the words of one may be part of a sentence."""


def whole_rows(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """Extend a run of lines so that it cuts no pipe table in two."""
    while start > 0 and is_row(lines[start]) and is_row(lines[start - 1]):
        start -= 1
    while end < len(lines) and is_row(lines[end - 1]) and is_row(lines[end]):
        end += 1
    return start, end


def is_row(line: str) -> bool:
    """Return whether a line is a row of a pipe table."""
    return line.lstrip().startswith("|")


def behind_rows(line: str, rows: Sequence[str]) -> str:
    """Return the figures that a line has behind the text of a row that stands in a table; else the whole line.

    Words behind it are a remark on the row, which would stand alone.

    Args:
        line: a line of the page.
        rows: the texts of the rows, as they would stand in a line.
    """
    behind = next((line[len(row) :].lstrip() for row in rows if line.startswith(f"{row} ")), line)
    return line if any(map(str.isalpha, behind)) else behind


def without_rows(line: str, rows: list[str]) -> str:
    """Return a line of text without the rows of a table that it holds; the whole line if it holds one and more than it.

    A reader that sees no table has several of its rows in one line, with the text that stands above or below them.

    Args:
        line: a line of the page.
        rows: the texts of the rows, as they would stand in a line; those that are found are removed.
    """
    pieces = [(piece, words(piece)) for piece in line.split()]
    left = [(piece, own) for piece, own in pieces if own]  # a sign of currency alone has no word
    found = []
    for row in sorted(rows, key=len, reverse=True):
        ends = ((start, _end_of(words(row), left, start)) for start in range(len(left)))
        start, end = next(((start, end) for start, end in ends if end > start), (0, 0))
        if end:
            del left[start:end]
            found.append(row)
    if not found or (len(found) < FEWEST_ROWS and left):
        return line
    for row in found:
        rows.remove(row)
    return " ".join(piece for piece, _ in left)


def _end_of(row: Sequence[str], pieces: Sequence[tuple[str, Sequence[str]]], start: int) -> int:
    """Return the place behind the pieces that are a row, if it begins at a piece; else 0."""
    at, end = 0, start
    while at < len(row) and end < len(pieces) and list(row[at : at + len(pieces[end][1])]) == pieces[end][1]:
        at, end = at + len(pieces[end][1]), end + 1
    return end if at == len(row) else 0


def without_bars(line: str) -> str:
    """Return a row of a table that is gone as a line of text; a delimiter row has none."""
    if not is_row(line):
        return line
    cells = " ".join(line.replace("\\|", "\0").replace("|", " ").split()).replace("\0", "\\|")
    return cells if words(cells) else ""
