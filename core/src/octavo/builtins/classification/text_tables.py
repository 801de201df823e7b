"""Tables by the look of the text: neighbouring lines of figures."""

from __future__ import annotations

import re

_FIGURE = re.compile(r"[($€£¥+-]*\d[\d.,]*[%)]*|[—–-]|N/A")
_FIGURES = re.compile(r"\d|[—–-]|NA|N/A")
"""What a row holds: most lines of prose hold none of it, which is asked at once."""
_LEADERS = re.compile(r"(?:\. ?){4}|…{2}")
"""Dots that lead to a page number: a table of contents, which is no table."""
_MIN_ROWS = 3


def table_rows(text: str) -> tuple[int, ...]:
    """The rows of each run of lines that look like a table's.

    A line does when at least two of its words are figures and they make up a third of it. Lines without any
    figure may stand between: headings and labels that wrap.

    Args:
        text: a page's text, a line a row as text layers give it.

    Returns:
        Rows of each table in order of the text; runs below three rows are left out.
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
    """Whether a line looks like a row of figures; see `table_rows`."""
    if _FIGURES.search(line) is None:
        return False
    words = line.split()
    if not 2 <= len(words) <= 40:
        return False
    # Most words are letters alone, which is asked at a tenth of the price.
    figures = sum(1 for word in words if word == "NA" or (not word.isalpha() and _FIGURE.fullmatch(word)))
    return figures >= 2 and figures * 3 >= len(words) and _LEADERS.search(line) is None
