"""Detects the rotation of a page, and maps word positions back from the rotated image."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .engine import Corners, Line, Picture

GOOD = 0.85
"""Mean confidence of a page that was read the right way up: upright pages have 0.95 and more, others about 0.64."""
_TALL = 1.5


def read_any_way_up(picture: Picture, read: Callable[[Picture], list[Line]]) -> tuple[list[Line], int]:
    """Read a page as it lies; turned, where that goes badly.

    Args:
        picture: the page.
        read: reads an upright page.

    Returns:
        The lines of the best reading, in pixels of the picture as it was turned for it, and the quarter turns
        (anticlockwise) that this took.
    """
    best, turns = read(picture), 0
    sideways = _lies_on_its_side(best)
    if not best or (confidence(best) >= GOOD and not sideways):
        return best, turns
    if sideways:
        # RapidOCR stands tall lines upright by itself, half of them rightly; their order is wrong all the same.
        best = []
    for quarter in (1, 3) if sideways else (2,):
        lines = read(np.ascontiguousarray(np.rot90(picture, quarter)))
        if confidence(lines) > confidence(best):
            best, turns = lines, quarter
        if confidence(best) >= GOOD:
            break
    return best, turns


def confidence(lines: Sequence[Line]) -> float:
    """Mean confidence of the lines, weighted by length; 0 if there are none."""
    weight = sum(len(line.text) for line in lines)
    return sum(line.confidence * len(line.text) for line in lines) / weight if weight else 0.0


def turn_back(corners: Corners, quarters: int, *, width: int, height: int) -> tuple[float, float, float, float]:
    """The upright box of some corners in the picture as it was given.

    Args:
        corners: in pixels of the turned picture.
        quarters: quarter turns, anticlockwise, that were made.
        width: of the picture as it was given.
        height: of the picture as it was given.

    Returns:
        Left, top, right, bottom, within the picture.
    """
    points = [_back(x, y, quarters, width, height) for x, y in corners]
    across, down = [x for x, _ in points], [y for _, y in points]
    return (
        min(max(0.0, min(across)), width),
        min(max(0.0, min(down)), height),
        max(0.0, min(width, max(across))),
        max(0.0, min(height, max(down))),
    )


def _back(x: float, y: float, quarters: int, width: int, height: int) -> tuple[float, float]:
    if quarters == 1:
        return width - y, x
    if quarters == 2:
        return width - x, height - y
    if quarters == 3:
        return y, height - x
    return x, y


def _lies_on_its_side(lines: Sequence[Line]) -> bool:
    """True if most of the text is in boxes that are taller than wide."""
    tall = wide = 0.0
    for line in lines:
        across = [x for x, _ in line.corners]
        down = [y for _, y in line.corners]
        width, height = max(across) - min(across), max(down) - min(down)
        if height > _TALL * width:
            tall += height
        else:
            wide += width
    return tall > wide
