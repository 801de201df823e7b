"""Rows of pipe tables among the lines of a page."""

from __future__ import annotations

from collections.abc import Sequence

from octavo_text.words import words


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


def without_bars(line: str) -> str:
    """Return a row of a table that is gone as a line of text; a delimiter row has none."""
    if not is_row(line):
        return line
    cells = " ".join(line.replace("\\|", "\0").replace("|", " ").split()).replace("\0", "\\|")
    return cells if words(cells) else ""
