"""Detects tables in plain text: neighbouring lines of figures."""

from __future__ import annotations

import re

_FIGURE = re.compile(r"[($€£¥+-]*\d[\d.,]*[%)]*|[—–-]|N/A")
_FIGURES = re.compile(r"\d|[—–-]|NA|N/A")
"""Matches lines that may be rows: most prose lines contain no match, so this fast test comes first."""
_LEADERS = re.compile(r"(?:\. ?){4}|…{2}")
"""Dot leaders to a page number: they mark a table of contents, which does not count."""
_RANGE = re.compile(r"\d[\d.,]*%? [^\W\d_]+ \d[\d.,]*%?")
"""A range of numbers or a page of several: "25 to 44"."""
_MIN_ROWS = 3


def table_rows(text: str) -> tuple[int, ...]:
    """Return the number of rows of each run of lines that looks like a table.

    A line counts as a row if at least two of its words are figures and these are at least a third of its words; a range
    alone, as at the axis of a chart, is one cell. Up to two lines without figures may be in between: headings and wrapped labels.

    Args:
        text: a page's text, one row per line as in text layers.

    Returns:
        Rows of each table in order of the text; runs of fewer than three rows are left out.
    """
    tables: list[int] = []
    rows = gap = 0
    for line in text.splitlines():
        if is_row(line):
            rows, gap = rows + 1, 0
            continue
        gap += 1
        if gap > 2:
            tables.append(rows)
            rows = 0
    tables.append(rows)
    return tuple(count for count in tables if count >= _MIN_ROWS)


def is_row(line: str) -> bool:
    """Return whether a line looks like a row of figures; see `table_rows`."""
    if _FIGURES.search(line) is None:
        return False
    words = line.split()
    if not 2 <= len(words) <= 40:
        return False
    # Most words are only letters, which is ten times faster to test.
    figures = sum(1 for word in words if word == "NA" or (not word.isalpha() and _FIGURE.fullmatch(word)))
    is_apart = len(words) != 3 or _RANGE.fullmatch(" ".join(words)) is None
    return figures >= 2 and figures * 3 >= len(words) and is_apart and _LEADERS.search(line) is None
