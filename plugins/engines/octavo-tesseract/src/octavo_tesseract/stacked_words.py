"""Lines that Tesseract made of words that stand under each other, such as the numbers of a list.

The layout analysis takes a narrow column for a line of upright text, and reads its words as the letters of one word.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from .table import MIN_CONFIDENCE, Row

TALL = 2.0
"""Least height of such a line, in its widths, and in heights of the usual word of the page."""
MIN_WORDS = 2
"""Words under each other that replace a line."""
MIN_SHARE = 0.5
"""Least number of these words for each letter of the line: a line of upright text has fewer."""

Edges = tuple[int, int, int, int]
LineName = tuple[tuple[str, str], str]


def stacked_lines(rows: Sequence[Row]) -> dict[LineName, Edges]:
    """Return the lines that may be words under each other, with their edges: doubtful, narrow, and much taller than others.

    Args:
        rows: the words of a page.
    """
    if not rows:
        return {}
    usual = median(row.edges[3] for row in rows)
    lines: dict[LineName, list[Row]] = {}
    for row in rows:
        lines.setdefault((row.paragraph, row.line), []).append(row)
    found = {name: _around(line) for name, line in lines.items() if any(_is_doubtful(row) for row in line)}
    return {
        name: (left, top, width, height)
        for name, (left, top, width, height) in found.items()
        if height >= TALL * width and height >= TALL * usual
    }


def with_stacked_words(rows: list[Row], stacked: dict[LineName, Edges], again: Sequence[Row]) -> list[Row]:
    """Return the words of a page with the words of a second reading in place of lines that were words under each other.

    Each word is put before the line that it stands before. A line stays where the second reading has no such words.

    Args:
        rows: the words of the page.
        stacked: the lines; see `stacked_lines`.
        again: words of a reading without layout analysis.
    """
    for name, edges in stacked.items():
        words = sorted((row for row in again if _is_inside(row, edges)), key=lambda row: row.edges[1])
        letters = sum(len(row.text) for row in rows if (row.paragraph, row.line) == name)
        if len(words) < max(MIN_WORDS, MIN_SHARE * letters):
            continue
        if any(_bottom(upper) > lower.edges[1] for upper, lower in pairwise(words)):
            continue
        rows = [row for row in rows if (row.paragraph, row.line) != name]
        for word in words:
            at = _line_behind(rows, word)
            if at is None:
                rows.append(word._replace(paragraph=(f"again {word.paragraph[0]}", word.paragraph[1])))
            else:
                rows.insert(at, word._replace(paragraph=rows[at].paragraph, line=rows[at].line))
    return rows


def _is_doubtful(row: Row) -> bool:
    return row.confidence < MIN_CONFIDENCE and len(row.text) >= MIN_WORDS


def _around(rows: Sequence[Row]) -> Edges:
    left, top = min(row.edges[0] for row in rows), min(row.edges[1] for row in rows)
    right, bottom = max(row.edges[0] + row.edges[2] for row in rows), max(map(_bottom, rows))
    return left, top, right - left, bottom - top


def _is_inside(row: Row, edges: Edges) -> bool:
    """Return whether a sure word stands between the edges."""
    left, top, width, height = edges
    x, y = row.edges[0] + row.edges[2] / 2, _middle(row)
    is_sure = row.confidence >= MIN_CONFIDENCE and any(map(str.isalnum, row.text))
    return is_sure and left <= x <= left + width and top <= y <= top + height


def _line_behind(rows: Sequence[Row], word: Row) -> int | None:
    """Return the place of the first word of the line that a word stands before; None without such a line."""
    end, middle = word.edges[0] + word.edges[2], _middle(word)
    beside = [
        at
        for at, row in enumerate(rows)
        if row.edges[0] >= end and row.edges[1] <= middle <= _bottom(row) and row.edges[3] < TALL * word.edges[3]
    ]
    return min(beside, key=lambda at: rows[at].edges[0], default=None)


def _middle(row: Row) -> float:
    return row.edges[1] + row.edges[3] / 2


def _bottom(row: Row) -> int:
    return row.edges[1] + row.edges[3]
