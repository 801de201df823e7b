"""The words of a page with their places, and the printed rows that they form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Word(NamedTuple):
    """A word, in points from the top left corner of the page as it is shown."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    line: int
    """Place of its line among the lines of the page's text."""

    @property
    def across(self) -> float:
        """Its middle, from the page's left edge."""
        return (self.left + self.right) / 2

    @property
    def down(self) -> float:
        """Its middle, from the page's top."""
        return (self.top + self.bottom) / 2


FEWEST_FIGURES = 6
"""Fewest figures of a page that is searched for tables."""

_FIGURE = re.compile(r"(?<!\S)[($\u20ac\u00a3+\u2212-]*\d[\d.,]*[)%]*(?!\S)")


def may_have_figures(text: str) -> bool:
    """Return whether a page's text has enough figures for a table of them: most pages have not, and take no more time."""
    return len(_FIGURE.findall(text)) >= FEWEST_FIGURES


@dataclass(slots=True)
class Row:
    """Words that are printed beside each other, from the left."""

    words: list[Word]
    top: float
    bottom: float


def rows_of(words: Sequence[Word]) -> list[Row]:
    """Group words into printed rows, from the top.

    A word belongs to a row if its middle is within the middle half of another word's height there.
    """
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda one: one.top + one.bottom):
        middle = (word.top + word.bottom) / 2
        for row in rows[:-4:-1]:
            first = row[0]
            margin = 0.25 * (first.bottom - first.top)
            if first.top + margin <= middle <= first.bottom - margin:
                row.append(word)
                break
        else:
            rows.append([word])
    return sorted(map(_row, rows), key=lambda row: row.top)


def _row(words: list[Word]) -> Row:
    """Return a row with the top and the bottom of its usual word: raised marks are smaller, and bullets may be taller."""
    usual = sorted(words, key=lambda one: one.bottom - one.top)[len(words) // 2]
    return Row(sorted(words, key=lambda one: one.left), usual.top, usual.bottom)
