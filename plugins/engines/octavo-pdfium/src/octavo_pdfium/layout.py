"""Classifies the lines of a document: body, heading of a level, or running head or foot."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from .page import Line

BODY_STEP = 1.1
"""A heading's font is at least this much larger than the body's."""
SAME_SIZE = 0.4
"""Sizes this close, in points, are one size."""
MAX_HEADING = 160
"""Maximum length of a heading."""
MAX_LEVEL = 6
"""Markdown has six levels."""
FURNITURE_LINES = 2
"""Number of lines at the top and bottom of a page that may be running heads or feet."""
FURNITURE_PAGES = 3
"""Minimum number of pages with the same line, ignoring digits, for a running head or foot."""

_DIGITS = re.compile(r"[0-9]+")
_LEADERS = re.compile(r"(?:\.\s?){4,}|(?:\s\.){3,}|…{2,}")


class DocumentLayout:
    """Font sizes and running heads of a document, learnt from all its pages.

    Args:
        pages: the lines of each page.
    """

    def __init__(self, pages: Sequence[Sequence[Line]]) -> None:
        weights: Counter[float] = Counter()
        for lines in pages:
            for text, _, _, _, size in lines:
                weights[size] += len(text)
        self.body = _body_size(weights)
        smallest = max(self.body * BODY_STEP, self.body + 0.8)
        self.levels = _levels([size for size in weights if size >= smallest])
        """Font size → heading level from 1; sizes of the body are not in it."""
        self._furniture = _furniture(pages) if self.levels else frozenset()

    def level(self, line: Line) -> int:
        """Return the heading level of a line, from 1; 0 for other lines."""
        text, level = line.text, self.levels.get(line.size, 0)
        if not level or len(text) > MAX_HEADING or sum(map(str.isalpha, text)) < 2:
            return 0
        return 0 if _LEADERS.search(text) or _key(text) in self._furniture else level


def _body_size(weights: Counter[float]) -> float:
    """The size that most characters have; neighbours within `SAME_SIZE` count together."""
    if not weights:
        return 0.0
    return max(
        weights,
        key=lambda size: (sum(weight for other, weight in weights.items() if abs(other - size) <= SAME_SIZE), size),
    )


def _levels(sizes: list[float]) -> dict[float, int]:
    """Size → level: the largest is 1; sizes closer than `SAME_SIZE` share a level."""
    levels: dict[float, int] = {}
    level, last = 0, float("inf")
    for size in sorted(sizes, reverse=True):
        if last - size > SAME_SIZE:
            level = min(MAX_LEVEL, level + 1)
            last = size
        levels[size] = level
    return levels


def _furniture(pages: Sequence[Sequence[Line]]) -> frozenset[str]:
    """Running heads and feet, digits taken for one another."""
    counts: Counter[str] = Counter()
    for lines in pages:
        edge = lines if len(lines) <= 2 * FURNITURE_LINES else (*lines[:FURNITURE_LINES], *lines[-FURNITURE_LINES:])
        counts.update({_key(line.text) for line in edge})
    return frozenset(key for key, count in counts.items() if count >= FURNITURE_PAGES)


def _key(text: str) -> str:
    return _DIGITS.sub("#", text)
