"""Finds lines with too few characters for their length: the reader dropped letters that its models do not know."""

from __future__ import annotations

import math

from .engine import Corners, Line

MIN_DENSITY = 0.6
"""Characters for each height of a line along its length: Chinese has about 1, Latin about 2, dropped Cyrillic under .3."""
MIN_LENGTH = 3.0
"""A line that is shorter, in heights, is not judged: a dash or a bullet has few characters."""


def discounted(line: Line) -> Line:
    """Return the line with lower confidences if letters were dropped: what is left are the marks between them."""
    heights = _heights(line.corners)
    if heights < MIN_LENGTH:
        return line
    share = min(1.0, len("".join(line.text.split())) / (MIN_DENSITY * heights))
    if share == 1.0:
        return line
    words = tuple(word._replace(confidence=word.confidence * share) for word in line.words)
    return line._replace(confidence=line.confidence * share, words=words)


def _heights(corners: Corners) -> float:
    """Return the longer side of a box divided by the shorter one; the box may be turned."""
    across, down = math.dist(corners[0], corners[1]), math.dist(corners[1], corners[2])
    return max(across, down) / max(1.0, min(across, down))
