"""Finds how the lines of a page curl, as on the page of a bound book, and flattens the page.

The page is cut into upright strips. The lines of a strip are those of its neighbour, shifted up or down: the shift at which
their rows agree best is a step of the curl. A smooth curve through the steps is what is flattened.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from operator import mul
from typing import TYPE_CHECKING

from .ink import find_ink, row_means, sharpness

if TYPE_CHECKING:
    from PIL import Image

MIN_GAIN = 1.8
"""A page whose lines become less sharper than this is flat: flat pages stay at 1, curled ones gain 2 and more."""
STRIPS = 32
_SIDE = 1400
"""Pixels of the longer side of the picture in which the curl is looked for."""
_REACH = 10
"""Greatest step between neighbouring strips, in pixels of that picture."""
_MIN_AGREEMENT = 0.3
"""Cosine of the rows of two strips; strips that agree less have no lines in common."""
_DEGREE = 4
"""Degree of the curve: a page of a book curls towards one side or both."""


def find_curl(grey: Image.Image) -> tuple[float, ...]:
    """Return how far down the lines lie at the edges of the strips, as a share of the page's longer side.

    Args:
        grey: the page, in mode L, straightened.

    Returns:
        `STRIPS` + 1 shares from the left edge to the right, the least of them 0; nothing for a flat page.
    """
    ink = find_ink(grey, _SIDE)
    if ink.width < 4 * STRIPS:
        return ()
    edges = [ink.width * at // STRIPS for at in range(STRIPS + 1)]
    strips = [row_means(ink.crop((left, 0, right, ink.height))) for left, right in pairwise(edges)]
    steps = [_step(left, right) for left, right in pairwise(strips)]
    depths = list(accumulate((step for step, _ in steps), initial=0.0))
    weights = [0.01 + weight for weight in _weights([agreement for _, agreement in steps])]
    places = [(at + 0.5) * 2 / STRIPS - 1 for at in range(STRIPS)]
    curve = _fit(places, depths, weights)
    shifts = [
        sum(factor * place**power for power, factor in enumerate(curve))
        for place in (at * 2 / STRIPS - 1 for at in range(STRIPS + 1))
    ]
    least = min(shifts)
    found = tuple((shift - least) / max(ink.size) for shift in shifts)
    flat = flattened(ink, found, paper=0)
    return found if sharpness(flat) >= MIN_GAIN * max(1, sharpness(ink)) else ()


def flattened(picture: Image.Image, curl: Sequence[float], *, paper: int) -> Image.Image:
    """Move the columns of a page up by its curl, into a picture that is large enough for it."""
    from PIL import Image

    down = [share * max(picture.size) for share in curl]
    most = round(max(down))
    edges = [picture.width * at // STRIPS for at in range(STRIPS + 1)]
    height = picture.height + most
    mesh = [
        (
            (left, 0, right, height),
            (left, one - most, left, one - most + height, right, other - most + height, right, other - most),
        )
        for (left, right), (one, other) in zip(pairwise(edges), pairwise(down), strict=True)
    ]
    return picture.transform(
        (picture.width, height), Image.Transform.MESH, mesh, resample=Image.Resampling.BICUBIC, fillcolor=paper
    )


def _step(left: bytes, right: bytes) -> tuple[float, float]:
    """Return by how many rows the right strip lies lower than the left one, and how well they agree then."""
    scores = {step: _overlap(left, right, step) for step in range(-_REACH, _REACH + 1)}
    best = max(scores, key=lambda step: (scores[step], -abs(step)))
    ink = (_overlap(left, left, 0) * _overlap(right, right, 0)) ** 0.5
    agreement = scores[best] / ink if ink else 0.0
    return (float(best), agreement) if agreement >= _MIN_AGREEMENT else (0.0, agreement)


def _overlap(one: bytes, other: bytes, step: int) -> int:
    above, below = (one, other[step:]) if step >= 0 else (one[-step:], other)
    return sum(map(mul, above, below))


def _weights(agreements: Sequence[float]) -> list[float]:
    """Return the weight of each strip: how well it agrees with its worse neighbour."""
    return [agreements[0], *map(min, pairwise(agreements)), agreements[-1]]


def _fit(places: Sequence[float], depths: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the factors of the polynomial, from the constant one, that passes nearest by weighted least squares."""
    size = _DEGREE + 1
    rows = [
        [
            *(sum(w * w * x ** (row + column) for x, w in zip(places, weights, strict=True)) for column in range(size)),
            sum(w * w * y * x**row for x, y, w in zip(places, depths, weights, strict=True)),
        ]
        for row in range(size)
    ]
    for at in range(size):
        pivot = max(range(at, size), key=lambda row: abs(rows[row][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [value / rows[at][at] for value in rows[at]]
        for other in range(size):
            if other != at:
                factor = rows[other][at]
                rows[other] = [value - factor * own for value, own in zip(rows[other], rows[at], strict=True)]
    return [row[-1] for row in rows]
