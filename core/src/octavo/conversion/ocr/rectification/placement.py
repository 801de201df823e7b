"""Where the parts of a rectified picture lie on the page as it is displayed."""

from __future__ import annotations

import math

from octavo_contracts import BoundingBox, Model
from pydantic import Field


class Curl(Model):
    """The curl of a page that was flattened."""

    depths: tuple[float, ...] = Field(description="How far down the lines lay, in points, at even distances across.")
    width: float = Field(description="Width of the flattened picture, in points.")

    def depth_at(self, x: float) -> float:
        """Return how far down a line lay at a distance from the left edge, in points, against the lowest one."""
        place = min(max(0.0, x / self.width), 1.0) * (len(self.depths) - 1)
        at = min(int(place), len(self.depths) - 2)
        return self.depths[at] + (place - at) * (self.depths[at + 1] - self.depths[at]) - max(self.depths)


class Rectification(Model):
    """How a page was rectified before it was recognised.

    A box is mapped by its middle; it keeps its size, since a word is as high and wide on the page as in the picture.
    """

    width: float = Field(description="Width of the page as it is displayed, in points.")
    height: float = Field(description="Height of the page as it is displayed, in points.")
    degrees: float = Field(
        default=0.0, description="Angle by which the page was turned, anticlockwise, to straighten it."
    )
    turned_width: float = Field(description="Width of the turned page, in points.")
    turned_height: float = Field(description="Height of the turned page, in points.")
    curl: Curl | None = Field(default=None, description="The curl that was flattened after that.")
    evened: bool = Field(default=False, description="Whether its light was evened out before.")

    def displayed(self, box: BoundingBox) -> BoundingBox:
        """Map a box of the rectified picture to the page as it is displayed; what is beyond the page is cut off."""
        x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
        if self.curl is not None:
            y += self.curl.depth_at(x)
        x, y = _turn(x - self.turned_width / 2, y - self.turned_height / 2, -self.degrees)
        mapped = _around(x + self.width / 2, y + self.height / 2, box)
        left, right = (min(max(0.0, edge), self.width) for edge in (mapped.left, mapped.right))
        top, bottom = (min(max(0.0, edge), self.height) for edge in (mapped.top, mapped.bottom))
        return BoundingBox(left=left, top=top, right=right, bottom=bottom)

    def rectified(self, box: BoundingBox) -> BoundingBox:
        """Map a box of the page as it is displayed to the rectified picture."""
        x, y = (box.left + box.right) / 2 - self.width / 2, (box.top + box.bottom) / 2 - self.height / 2
        x, y = _turn(x, y, self.degrees)
        x, y = x + self.turned_width / 2, y + self.turned_height / 2
        if self.curl is not None:
            y -= self.curl.depth_at(x)
        return _around(x, y, box)


def _turn(x: float, y: float, degrees: float) -> tuple[float, float]:
    """Turn a point about the origin, anticlockwise; y points downwards."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return x * cos + y * sin, y * cos - x * sin


def _around(x: float, y: float, box: BoundingBox) -> BoundingBox:
    """Return a box of the same size about another middle."""
    across, down = (box.right - box.left) / 2, (box.bottom - box.top) / 2
    return BoundingBox(
        left=round(x - across, 3), top=round(y - down, 3), right=round(x + across, 3), bottom=round(y + down, 3)
    )
