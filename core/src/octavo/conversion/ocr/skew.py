"""Finds the angle at which the lines of a scanned page lie, straightens the page, and maps boxes back.

Recognisers lose a third of the words of a page that lies four degrees askew. The angle is found by projection: the ink of
a page with horizontal lines, summed over each row of pixels, changes more sharply from row to row than at any other angle.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from statistics import median
from typing import TYPE_CHECKING

from octavo_contracts import BoundingBox, Model
from pydantic import Field

if TYPE_CHECKING:
    from PIL import Image

MAX_DEGREES = 15
"""Greatest skew that is looked for; a page that lies further askew is a photograph of a table top."""
MIN_DEGREES = 0.4
"""Least skew that is straightened: recognisers read the lines of a page that is less askew as well as straight ones."""
MIN_CONTRAST = 6.0
"""Sharpness at the best angle over the median of all angles: pages of text have 8 and more, photographs 1 to 2."""
_COARSE_SIDE = 600
"""Pixels of the longer side of the picture in which the angle is looked for, degree by degree."""
_FINE_SIDE = 1400
"""Pixels of the longer side of the picture in which the angle is refined."""
_MIN_INK = 24
"""A pixel that is darker than its surroundings by more levels of grey is ink, in a shadow too."""
_SURROUNDINGS = 50
"""The surroundings of a pixel are this part of the picture's longer side."""


class Skew(Model):
    """The skew of a page that was straightened before it was recognised.

    A box is mapped by its middle; it keeps its size, since a word is as high and wide on the page as in the picture.
    """

    degrees: float = Field(description="Angle by which the page was turned, anticlockwise, to straighten it.")
    across: float = Field(description="Shift to the right of what is mapped back to the page, in points.")
    down: float = Field(description="Shift downwards of what is mapped back to the page, in points.")
    width: float = Field(description="Width of the page as it is displayed, in points.")
    height: float = Field(description="Height of the page as it is displayed, in points.")

    @classmethod
    def between(cls, page: tuple[int, int], straight: tuple[int, int], *, degrees: float, dpi: float) -> Skew:
        """Describe a page that was turned about its middle into a larger picture.

        Args:
            page: width and height of the page as it is displayed, in pixels.
            straight: width and height of the straightened picture, in pixels.
            degrees: angle, anticlockwise.
            dpi: pixels per inch of both.
        """
        points = 72 / dpi
        turned_x, turned_y = _turn(straight[0] / 2, straight[1] / 2, -degrees)
        return cls(
            degrees=degrees,
            across=(page[0] / 2 - turned_x) * points,
            down=(page[1] / 2 - turned_y) * points,
            width=page[0] * points,
            height=page[1] * points,
        )

    def displayed(self, box: BoundingBox) -> BoundingBox:
        """Map a box of the straightened picture to the page as it is displayed; what is beyond the page is cut off."""
        x, y = _turn((box.left + box.right) / 2, (box.top + box.bottom) / 2, -self.degrees)
        mapped = _around(x + self.across, y + self.down, box)
        left, right = (min(max(0.0, edge), self.width) for edge in (mapped.left, mapped.right))
        top, bottom = (min(max(0.0, edge), self.height) for edge in (mapped.top, mapped.bottom))
        return BoundingBox(left=left, top=top, right=right, bottom=bottom)

    def straight(self, box: BoundingBox) -> BoundingBox:
        """Map a box of the page as it is displayed to the straightened picture."""
        x, y = (box.left + box.right) / 2 - self.across, (box.top + box.bottom) / 2 - self.down
        return _around(*_turn(x, y, self.degrees), box)


def find_skew(grey: Image.Image) -> float:
    """Return the angle, anticlockwise in degrees, by which a picture has to be turned so that its lines of text are straight.

    Args:
        grey: the page, in mode L. It may lie on its side: lines that are straight upwards count as well.

    Returns:
        The angle, to a tenth of a degree; 0 for a page that is straight, or whose lines have no direction in common.
    """
    coarse = _ink(grey, _COARSE_SIDE)
    upright, sideways = _coarse_angle(coarse), _coarse_angle(_on_its_side(coarse))
    angle, contrast = max(upright, sideways, key=lambda found: found[1])
    if contrast < MIN_CONTRAST:
        return 0.0
    fine = _ink(grey, _FINE_SIDE)
    if sideways[1] > upright[1]:
        fine = _on_its_side(fine)
    for step, steps in ((0.25, 4), (0.1, 2)):
        angle = _sharpest(fine, (angle + step * at for at in range(-steps, steps + 1)))
    return round(angle, 1) if abs(angle) >= MIN_DEGREES else 0.0


def straightened(grey: Image.Image, degrees: float) -> Image.Image:
    """Turn a page about its middle into a picture that is large enough for it; what is added has the shade of the paper."""
    from PIL import Image

    histogram = grey.histogram()
    paper = max(range(len(histogram)), key=histogram.__getitem__)
    return grey.rotate(degrees, resample=Image.Resampling.BICUBIC, expand=True, fillcolor=paper)


def _coarse_angle(ink: Image.Image) -> tuple[float, float]:
    """Return the angle at which the rows are sharpest, to a degree, and how much sharper they are than usual."""
    scores = {float(angle): _sharpness(ink, angle) for angle in range(-MAX_DEGREES, MAX_DEGREES + 1)}
    best = max(scores, key=scores.__getitem__)
    if abs(best) == MAX_DEGREES:  # the sharpest angle may lie beyond
        return 0.0, 0.0
    return best, scores[best] / max(1.0, median(scores.values()))


def _sharpest(ink: Image.Image, angles: Iterable[float]) -> float:
    return max(angles, key=lambda angle: _sharpness(ink, angle))


def _sharpness(ink: Image.Image, degrees: float) -> int:
    """Sum the squared differences of neighbouring rows of the turned picture."""
    from PIL import Image

    turned = ink.rotate(degrees, resample=Image.Resampling.BILINEAR) if degrees else ink
    rows = turned.resize((1, turned.height), Image.Resampling.BOX).tobytes()
    return sum((below - above) ** 2 for above, below in itertools.pairwise(rows))


def _ink(grey: Image.Image, side: int) -> Image.Image:
    """Return a smaller picture that is white where the page is darker than its surroundings."""
    from PIL import Image, ImageChops, ImageFilter

    scale = min(1.0, side / max(grey.size))
    size = max(1, round(grey.width * scale)), max(1, round(grey.height * scale))
    small = grey.resize(size, Image.Resampling.BOX)
    surroundings = small.filter(ImageFilter.BoxBlur(max(6, max(size) // _SURROUNDINGS)))
    return ImageChops.subtract(surroundings, small).point([255 * (darker > _MIN_INK) for darker in range(256)])


def _on_its_side(picture: Image.Image) -> Image.Image:
    from PIL import Image

    return picture.transpose(Image.Transpose.ROTATE_90)


def _turn(x: float, y: float, degrees: float) -> tuple[float, float]:
    """Turn a point about the top left corner, anticlockwise; y points downwards."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return x * cos + y * sin, y * cos - x * sin


def _around(x: float, y: float, box: BoundingBox) -> BoundingBox:
    """Return a box of the same size about another middle."""
    across, down = (box.right - box.left) / 2, (box.bottom - box.top) / 2
    return BoundingBox(
        left=round(x - across, 3), top=round(y - down, 3), right=round(x + across, 3), bottom=round(y + down, 3)
    )
