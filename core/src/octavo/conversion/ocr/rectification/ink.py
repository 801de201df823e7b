"""The ink of a page: a smaller picture that is white where the page is darker than its surroundings."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

_MIN_INK = 24
"""A pixel that is darker than its surroundings by more levels of grey is ink."""
_SURROUNDINGS = 50
"""The surroundings of a pixel reach this part of the picture's longer side."""


def find_ink(grey: Image.Image, side: int) -> Image.Image:
    """Return the ink of a page, in a picture whose longer side has at most `side` pixels."""
    from PIL import Image, ImageChops, ImageFilter

    scale = min(1.0, side / max(grey.size))
    size = max(1, round(grey.width * scale)), max(1, round(grey.height * scale))
    small = grey.resize(size, Image.Resampling.BOX)
    surroundings = small.filter(ImageFilter.BoxBlur(max(6, max(size) // _SURROUNDINGS)))
    return ImageChops.subtract(surroundings, small).point([255 * (darker > _MIN_INK) for darker in range(256)])


def strip_means(picture: Image.Image, strips: int) -> Image.Image:
    """Return the mean of each row of pixels in each upright strip, as a picture that is as many pixels wide."""
    from PIL import Image

    return picture.resize((min(picture.width, strips), picture.height), Image.Resampling.BOX)


def row_means(picture: Image.Image) -> bytes:
    """Return the mean of each row of pixels, from the top."""
    return strip_means(picture, 1).tobytes()


def sharpness(ink: Image.Image) -> int:
    """Return the sum of the squared differences of neighbouring rows: the greater, the straighter lines of text lie."""
    return sum((below - above) ** 2 for above, below in pairwise(row_means(ink)))
