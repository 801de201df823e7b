"""Finds the angle at which the lines of a page lie, by projection.

The ink of a page with horizontal lines, summed over each row of pixels, changes more sharply from row to row than at any
other angle.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import TYPE_CHECKING

from .ink import find_ink, sharpness

if TYPE_CHECKING:
    from PIL import Image

MAX_DEGREES = 15
"""Greatest skew that is looked for."""
MIN_DEGREES = 0.4
"""Least skew that is straightened: recognisers read less skewed lines as well as straight ones."""
MIN_CONTRAST = 6.0
"""Sharpness at the best angle over the median of all angles: pages of text have 8 and more, photographs 1 to 2."""
_COARSE_SIDE = 600
"""Pixels of the longer side of the picture in which the angle is looked for, degree by degree."""
_FINE_SIDE = 1400
"""Pixels of the longer side of the picture in which the angle is refined."""


def find_skew(grey: Image.Image) -> float:
    """Return the angle by which a page has to be turned so that its lines of text are straight.

    Args:
        grey: the page, in mode L. It may lie on its side: lines that are straight upwards count as well.

    Returns:
        The angle in degrees, anticlockwise, to a tenth; 0 for a straight page, or one whose lines have no direction in common.
    """
    coarse = find_ink(grey, _COARSE_SIDE)
    upright, sideways = _coarse_angle(coarse), _coarse_angle(_on_its_side(coarse))
    angle, contrast = max(upright, sideways, key=lambda found: found[1])
    if contrast < MIN_CONTRAST:
        return 0.0
    fine = find_ink(grey, _FINE_SIDE)
    if sideways[1] > upright[1]:
        fine = _on_its_side(fine)
    for step, steps in ((0.25, 4), (0.1, 2)):
        angle = _sharpest(fine, (angle + step * at for at in range(-steps, steps + 1)))
    return round(angle, 1) if abs(angle) >= MIN_DEGREES else 0.0


def has_lines(grey: Image.Image) -> bool:
    """Return whether a page shows lines of text, straight or askew: a photograph and an area of one shade have none."""
    ink = find_ink(grey, _COARSE_SIDE)
    return any(_coarse_angle(one)[1] >= MIN_CONTRAST for one in (ink, _on_its_side(ink)))


def _coarse_angle(ink: Image.Image) -> tuple[float, float]:
    """Return the angle at which the rows are sharpest, to a degree, and how much sharper they are than usual."""
    scores = {float(angle): _sharpness_at(ink, angle) for angle in range(-MAX_DEGREES, MAX_DEGREES + 1)}
    best = max(scores, key=scores.__getitem__)
    if abs(best) == MAX_DEGREES:  # the sharpest angle may lie beyond
        return 0.0, 0.0
    return best, scores[best] / max(1.0, median(scores.values()))


def _sharpest(ink: Image.Image, angles: Iterable[float]) -> float:
    return max(angles, key=lambda angle: _sharpness_at(ink, angle))


def _sharpness_at(ink: Image.Image, degrees: float) -> int:
    from PIL import Image

    return sharpness(ink.rotate(degrees, resample=Image.Resampling.BILINEAR) if degrees else ink)


def _on_its_side(picture: Image.Image) -> Image.Image:
    from PIL import Image

    return picture.transpose(Image.Transpose.ROTATE_90)
