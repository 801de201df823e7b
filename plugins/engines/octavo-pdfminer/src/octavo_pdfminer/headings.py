"""Detects headings of a document by font size."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from .reading import Line, PageReading

BODY_STEP = 1.1
"""A heading's font is at least this much larger than the body's."""
SAME_SIZE = 0.4
"""Sizes this close, in points, are one size."""
MAX_HEADING = 200
"""Maximum length of a heading."""
MAX_LEVEL = 6
"""Markdown has six levels."""
FURNITURE_PAGES = 3
"""A block on this many pages, ignoring digits, is a running head."""

_DIGITS = re.compile(r"[0-9]+")


class Headings:
    """Font sizes and running heads of a document, learnt from all its pages."""

    def __init__(self, readings: Iterable[PageReading]) -> None:
        weights: Counter[float] = Counter()
        seen: Counter[str] = Counter()
        for reading in readings:
            for block in reading.blocks:
                for line in block:
                    weights[line.size] += len(line.text)
            seen.update({_key(block) for block in reading.blocks})
        body = max(weights, key=lambda size: (weights[size], size), default=0.0)
        smallest = max(body * BODY_STEP, body + 0.8)
        self._levels = _levels([size for size in weights if size >= smallest])
        self._repeated = frozenset(key for key, pages in seen.items() if pages >= FURNITURE_PAGES)

    def level(self, block: tuple[Line, ...]) -> int:
        """Return the heading level of a block, from 1; 0 for other blocks."""
        level = self._levels.get(min(line.size for line in block), 0)
        text = " ".join(line.text for line in block)
        if not level or len(text) > MAX_HEADING or sum(map(str.isalpha, text)) < 2 or "...." in text:
            return 0
        return 0 if _key(block) in self._repeated else level


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


def _key(block: tuple[Line, ...]) -> str:
    return _DIGITS.sub("#", " ".join(line.text for line in block))
