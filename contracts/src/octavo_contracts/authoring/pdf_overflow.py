"""Text beyond the left or right edge of a PDF page that continues a line of the page.

A line that is too long runs off the page: part of it is printed, and the rest belongs to it. Text that stands beyond the edge alone
is no part of what a reader sees.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Bounds = tuple[float, float, float, float]
"""Left, bottom, right, top in user space."""

MAX_GAP = 1.0
"""Widest gap between two parts of a line, in heights of the taller one."""
SAME_LINE = 0.5
"""Least share of the lower one's height that two parts of a line have in common."""
MAX_WIDTH = 0.25
"""Farthest that a line may run beyond the edge, as a share of the page's width: more of it is a text of its own."""


def continued(beyond: Mapping[Key, Bounds], seen: Sequence[Bounds], page: Bounds) -> list[Key]:
    """Return the texts beyond the left or right edge that continue a line of the page, from the edge outwards.

    Args:
        beyond: the texts beyond the page's edges → their bounds.
        seen: bounds of the texts that are on the page, in whole or in part.
        page: the page's visible box.
    """
    room = MAX_WIDTH * (page[2] - page[0])
    near = {
        key: bounds
        for key, bounds in beyond.items()
        if _distance(bounds, page) > 0 and bounds[0] >= page[0] - room and bounds[2] <= page[2] + room
    }
    line, found = list(seen), []
    for key, bounds in sorted(near.items(), key=lambda item: _distance(item[1], page)):
        if any(_follow(bounds, other) for other in line):
            line.append(bounds)
            found.append(key)
    return found


def _distance(text: Bounds, page: Bounds) -> float:
    """Return how far a text is beyond the left or right edge; negative if it is between them."""
    return max(text[0] - page[2], page[0] - text[2])


def _follow(one: Bounds, other: Bounds) -> bool:
    """Return whether two texts stand beside each other in one line."""
    heights = one[3] - one[1], other[3] - other[1]
    common = min(one[3], other[3]) - max(one[1], other[1])
    gap = max(one[0] - other[2], other[0] - one[2])
    return common >= SAME_LINE * min(heights) and -max(heights) <= gap <= MAX_GAP * max(heights)
