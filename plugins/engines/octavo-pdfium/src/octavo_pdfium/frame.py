"""The page as it is shown, in place of the user space that PDF has its coordinates in."""

from __future__ import annotations

from .native import Rect


class Frame:
    """Maps boxes of user space to the page as it is shown: its corner at 0, its rotation undone.

    Args:
        box: the page's visible box in user space.
        rotation: quarter turns clockwise, 0 to 3.
    """

    def __init__(self, box: Rect, rotation: int) -> None:
        self._left, self._bottom, self._right, self._top = box.left, box.bottom, box.right, box.top
        self.place = (self._upright, self._quarter, self._half, self._three_quarters)[rotation % 4]
        """Top, left and extent across the line of a character's box, in points."""
        self._turns = rotation % 4

    def edges(self, box: Rect) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of a character's box on the page as it is shown, in points."""
        left, top = box.left - self._left, self._top - box.top
        right, bottom = box.right - self._left, self._top - box.bottom
        if self._turns == 0:
            return left, top, right, bottom
        below, above = box.bottom - self._bottom, box.top - self._bottom
        if self._turns == 1:
            return below, left, above, right
        before, after = self._right - box.right, self._right - box.left
        if self._turns == 2:
            return before, below, after, above
        return top, before, bottom, after

    def _upright(self, box: Rect) -> tuple[float, float, float]:
        top = box.top
        return self._top - top, box.left - self._left, round(top - box.bottom, 2)

    def _quarter(self, box: Rect) -> tuple[float, float, float]:
        return box.left - self._left, box.bottom - self._bottom, round(box.right - box.left, 2)

    def _half(self, box: Rect) -> tuple[float, float, float]:
        return box.bottom - self._bottom, self._right - box.right, round(box.top - box.bottom, 2)

    def _three_quarters(self, box: Rect) -> tuple[float, float, float]:
        return self._right - box.right, self._top - box.top, round(box.right - box.left, 2)
