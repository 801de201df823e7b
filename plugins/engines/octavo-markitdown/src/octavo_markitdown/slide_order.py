"""Reading order of boxes on a slide: the widest gap that no box crosses parts them, rows before columns (XY cut)."""

from __future__ import annotations

from collections.abc import Sequence

Box = tuple[int, int, int, int]
"""Left, top, right and bottom edge, in any unit."""

MOST_CUT = 400
"""Boxes above which the order is by top and left edge alone: a cut may part a single box from all others."""


def reading_order(boxes: Sequence[Box], *, slack: int = 0) -> list[int]:
    """Return the indices of the boxes in reading order.

    Args:
        boxes: the boxes.
        slack: how far two boxes may overlap and still be parted.
    """
    places = list(range(len(boxes)))
    return _by_corner(places, boxes) if len(boxes) > MOST_CUT else _ordered(places, boxes, slack)


def _ordered(places: list[int], boxes: Sequence[Box], slack: int) -> list[int]:
    if len(places) < 2:
        return places
    down, across = (_cut(places, boxes, axis, slack) for axis in (1, 0))
    best = down if down[0] >= across[0] else across
    if not best[2]:
        return _by_corner(places, boxes)
    return _ordered(best[1], boxes, slack) + _ordered(best[2], boxes, slack)


def _cut(places: list[int], boxes: Sequence[Box], axis: int, slack: int) -> tuple[int, list[int], list[int]]:
    """Return the widest gap along an axis, and the boxes before and after it; none after it if there is no gap."""
    ordered = sorted(places, key=lambda place: (boxes[place][axis], place))
    widest, at = -slack - 1, 0
    edge = boxes[ordered[0]][axis + 2]
    for index, place in enumerate(ordered[1:], start=1):
        gap = boxes[place][axis] - edge
        if gap > widest:
            widest, at = gap, index
        edge = max(edge, boxes[place][axis + 2])
    return widest, ordered[:at], ordered[at:] if at else []


def _by_corner(places: list[int], boxes: Sequence[Box]) -> list[int]:
    return sorted(places, key=lambda place: (boxes[place][1], boxes[place][0]))
