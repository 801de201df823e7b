"""Finds the angle at which the lines of a page lie, by projection.

The ink of a page with horizontal lines, summed over each row of pixels, changes more sharply from row to row than at any other
angle. Rows are summed within upright strips, which are then shifted: turning the page to each angle would take three times as long.
"""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from .ink import find_ink, sharpness, strip_means

if TYPE_CHECKING:
    from PIL import Image

MAX_DEGREES = 15
"""Greatest skew that is looked for."""
MIN_DEGREES = 0.4
"""Least skew that is straightened: recognisers read less skewed lines as well as straight ones."""
MIN_CONTRAST = 6.0
"""Sharpness at the best angle over the median of all angles: pages of text have 8 and more, photographs 1 to 2."""
_COARSE_SIDE, _FINE_SIDE = 600, 1400
"""Pixels of the longer side of the pictures in which the angle is looked for, degree by degree, and refined."""
_STRIPS = 192
"""Upright strips of a page over each of which a row of pixels is summed."""
_ASKEW = 1.5
"""Degrees that lines are left askew before the angle is refined: slanting blurs, and rows that need no slant would win."""


def find_skew(grey: Image.Image) -> float:
    """Return the angle by which a page has to be turned so that its lines of text are straight.

    Args:
        grey: the page, in mode L. It may lie on its side: lines that are straight upwards count as well.

    Returns:
        The angle in degrees, anticlockwise, to a tenth; 0 for a straight page, or one whose lines have no direction in common.
    """
    from PIL import Image

    coarse = find_ink(grey, _COARSE_SIDE)
    upright, sideways = _coarse_angle(coarse), _coarse_angle(_on_its_side(coarse))
    angle, contrast = max(upright, sideways, key=lambda found: found[1])
    if contrast < MIN_CONTRAST:
        return 0.0
    fine = find_ink(grey, _FINE_SIDE)
    if sideways[1] > upright[1]:
        fine = _on_its_side(fine)
    strips = strip_means(fine.rotate(angle - _ASKEW, resample=Image.Resampling.BILINEAR), _STRIPS)
    rest = _ASKEW
    for step, steps in ((0.25, 4), (0.1, 2)):
        tried = [rest + step * at for at in range(-steps, steps + 1)]
        rest = max(tried, key=lambda one: _sharpness_at(strips, fine.width, one))
    angle = round(angle + rest - _ASKEW, 1)
    return angle if abs(angle) >= MIN_DEGREES else 0.0


def has_lines(grey: Image.Image) -> bool:
    """Return whether a page shows lines of text, straight or askew: a photograph and an area of one shade have none."""
    ink = find_ink(grey, _COARSE_SIDE)
    return any(_coarse_angle(one)[1] >= MIN_CONTRAST for one in (ink, _on_its_side(ink)))


def _coarse_angle(ink: Image.Image) -> tuple[float, float]:
    """Return the angle at which the rows are sharpest, to a degree, and how much sharper they are than usual."""
    strips = strip_means(ink, _STRIPS)
    scores = {angle: _sharpness_at(strips, ink.width, angle) for angle in range(-MAX_DEGREES, MAX_DEGREES + 1)}
    best = max(scores, key=scores.__getitem__)
    if abs(best) == MAX_DEGREES:  # the sharpest angle may lie beyond
        return 0.0, 0.0
    return float(best), scores[best] / max(1.0, median(scores.values()))


def _sharpness_at(strips: Image.Image, width: int, degrees: float) -> int:
    """Return how sharp the rows of a page of `width` pixels are along lines that slant by an angle."""
    from PIL import Image

    rise = math.tan(math.radians(degrees)) * width
    slanting = (1.0, 0.0, 0.0, rise / strips.width, 1.0, -rise / 2)
    return sharpness(strips.transform(strips.size, Image.Transform.AFFINE, slanting, Image.Resampling.BILINEAR))


def _on_its_side(picture: Image.Image) -> Image.Image:
    from PIL import Image

    return picture.transpose(Image.Transpose.ROTATE_90)
