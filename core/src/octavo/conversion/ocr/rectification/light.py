"""Evens out the light of a photographed page: shadows, and the edge of a lamp's light."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

MAX_SHADE = 0.75
"""Paper whose darker parts are at least this share of its lighter ones is evenly lit: a copier leaves .95."""
MIN_SHADE = 0.2
"""What is darker than this share of the lightest paper is a picture or a bar, not paper in a shadow."""
_SIDE = 200
"""Pixels of the longer side of the picture of the paper."""
_PAPER, _SMOOTH = 9, 3
"""In it: the lightest pixel of a square of this side is paper; the paper's light is the mean within this distance."""
_BAND = 512
"""Rows that are evened out at a time, which bounds the memory."""


def evenly_lit(grey: Image.Image) -> Image.Image | None:
    """Return a page as if its paper were lit evenly; None if it is.

    Args:
        grey: the page, in mode L.
    """
    from PIL import Image, ImageFilter, ImageMath

    scale = min(1.0, _SIDE / max(grey.size))
    size = max(1, round(grey.width * scale)), max(1, round(grey.height * scale))
    small = grey.resize(size, Image.Resampling.BOX)
    paper = small.filter(ImageFilter.MaxFilter(_PAPER)).filter(ImageFilter.BoxBlur(_SMOOTH))
    lightest = _quantile(paper, 0.9)
    darkest = int(MIN_SHADE * lightest)
    if _quantile(paper, 0.05, above=darkest) >= MAX_SHADE * lightest:
        return None
    paper = paper.point([max(level, darkest) for level in range(256)]).resize(grey.size, Image.Resampling.BILINEAR)
    even = Image.new("L", grey.size)
    for top in range(0, grey.height, _BAND):
        box = (0, top, grey.width, min(grey.height, top + _BAND))
        band = ImageMath.lambda_eval(
            lambda given: given["convert"](
                given["min"](given["page"] * 255 / given["max"](given["paper"], 1), 255), "L"
            ),
            page=grey.crop(box).convert("I"),
            paper=paper.crop(box).convert("I"),
        )
        even.paste(band, box)
    return even


def _quantile(picture: Image.Image, share: float, *, above: int = -1) -> int:
    """Return the level of grey that this share of the pixels does not exceed, of those that are lighter than a level."""
    histogram = [pixels if level > above else 0 for level, pixels in enumerate(picture.histogram())]
    wanted, seen = share * sum(histogram), 0
    for level, pixels in enumerate(histogram):
        seen += pixels
        if seen >= wanted:
            return level
    return 255
