"""Columns of row numbers that stand so near to the labels of a table that a number and its label look like one text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Final, Protocol

FEWEST: Final = 3
"""Fewest numbered rows."""
SAME_EDGE: Final = 1.0
"""Largest distance of two edges that are one, in points."""
WIDE: Final = 1.3
"""Least width of the gutter, in spaces between two words of a label."""
SPACE: Final = 0.25
"""Width of a space where no label has two words, in heights of a line."""
ROW_NUMBER: Final = r"\d[\d.]*"
"""Pattern of the number of a row."""

_ROW_NUMBER: Final = re.compile(ROW_NUMBER)


class PlacedWord(Protocol):
    """A word and its edges, in points."""

    @property
    def text(self) -> str:
        """Its characters."""
        ...

    @property
    def left(self) -> float:
        """Its left edge."""
        ...

    @property
    def right(self) -> float:
        """Its right edge."""
        ...

    @property
    def top(self) -> float:
        """Its upper edge."""
        ...

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        ...


def gutter_behind_numbers(
    labels: Sequence[Sequence[PlacedWord]], heads: Sequence[Sequence[PlacedWord]]
) -> float | None:
    """Return the middle of the gutter between row numbers and labels; None if they are no columns of their own.

    Every labelled row begins with a number. The numbers are aligned, as are the words behind them, the gutter is wider than
    a space, and a row of the heading has a head above each column.

    Args:
        labels: the words before the other cells of each row that has some.
        heads: the words of each row of the heading.
    """
    if len(labels) < FEWEST or not all(len(row) > 1 and _ROW_NUMBER.fullmatch(row[0].text) for row in labels):
        return None
    numbers, seconds = [row[0] for row in labels], [row[1] for row in labels]
    left, right = max(word.right for word in numbers), min(word.left for word in seconds)
    is_aligned = _are_one([word.left for word in seconds]) and (
        _are_one([word.right for word in numbers]) or _are_one([word.left for word in numbers])
    )
    if not is_aligned or right - left < WIDE * _space(labels):
        return None
    return (left + right) / 2 if any(_has_both_heads(row, left, right) for row in heads) else None


def _are_one(edges: Sequence[float]) -> bool:
    return max(edges) - min(edges) <= SAME_EDGE


def _space(labels: Sequence[Sequence[PlacedWord]]) -> float:
    """Return the usual width of a space between two words of a label."""
    gaps = [word.left - before.right for row in labels for before, word in pairwise(row[1:])]
    return median(gaps) if gaps else SPACE * median(row[0].bottom - row[0].top for row in labels)


def _has_both_heads(words: Sequence[PlacedWord], left: float, right: float) -> bool:
    """Return whether a word ends before the gutter, another begins at its right edge, and none stands in it."""
    return (
        any(word.right <= left + SAME_EDGE for word in words)
        and any(abs(word.left - right) <= SAME_EDGE for word in words)
        and all(word.right <= left + SAME_EDGE or word.left >= right - SAME_EDGE for word in words)
    )
