"""Rectifies the picture of a page: first its light, then its skew, then its curl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .angle import find_skew, has_lines
from .curl import find_curl, flattened
from .light import evenly_lit
from .placement import Curl, Rectification

if TYPE_CHECKING:
    from PIL import Image


def rectify(grey: Image.Image, *, dpi: float) -> tuple[Image.Image, Rectification | None]:
    """Return a page as a scanner would have shown it, and what was done; the page itself and None if nothing was.

    Args:
        grey: the page, in mode L.
        dpi: its pixels per inch.
    """
    from PIL import Image

    even = evenly_lit(grey)
    page = grey if even is None else even
    degrees = find_skew(page)
    turned = page
    if degrees:
        turned = page.rotate(degrees, resample=Image.Resampling.BICUBIC, expand=True, fillcolor=_paper(page))
    shares = find_curl(turned)
    if not degrees and not shares and (even is None or not has_lines(even)):
        return grey, None
    points = 72 / dpi
    curl = None
    if shares:
        depths = tuple(round(share * max(turned.size) * points, 3) for share in shares)
        curl = Curl(depths=depths, width=turned.width * points)
    done = Rectification(
        width=grey.width * points,
        height=grey.height * points,
        degrees=degrees,
        turned_width=turned.width * points,
        turned_height=turned.height * points,
        curl=curl,
        evened=even is not None,
    )
    return flattened(turned, shares, paper=_paper(turned)) if shares else turned, done


def _paper(grey: Image.Image) -> int:
    """Return the most common level of grey."""
    histogram = grey.histogram()
    return max(range(len(histogram)), key=histogram.__getitem__)
