"""Renders the fields of a page alone on white, to detect which of them are visible."""

from __future__ import annotations

import ctypes
from typing import Any, Self

from .visibility import FAINT, Box, Colour

_SCALE = 1.5
"""Pixels per point."""
_MAX_SIDE = 2400
"""Maximum side in pixels: large pages are rendered smaller."""
_EDGE = 4
"""Width of a field's border in pixels, which is ignored."""
_WHITE = 0xFFFFFFFF


class Drawing:
    """A rendered page without its content.

    Text and background colours, transparency, clipping and text positions are rendered as a viewer shows them. Hidden
    layers are rendered too.
    """

    def __init__(self, page: Any, width: int, height: int, pixels: bytes) -> None:
        self._page = page
        self._width, self._height = width, height
        self._pixels = pixels

    @classmethod
    def of(cls, page: Any, form: Any) -> Self | None:
        """Render the page; return None if it cannot be rendered. The page's content is gone afterwards.

        Args:
            page: the page, with its fields loaded.
            form: pdfium's form environment.
        """
        import pypdfium2.raw as raw

        while raw.FPDFPage_CountObjects(page) > 0:
            content = raw.FPDFPage_GetObject(page, 0)
            if not raw.FPDFPage_RemoveObject(page, content):
                return None
            raw.FPDFPageObj_Destroy(content)
        points = raw.FPDF_GetPageWidthF(page), raw.FPDF_GetPageHeightF(page)
        if not (max(points) > 0 and min(points) > 0):
            return None
        scale = min(_SCALE, _MAX_SIDE / max(points))
        width, height = max(1, round(points[0] * scale)), max(1, round(points[1] * scale))
        bitmap = raw.FPDFBitmap_CreateEx(width, height, raw.FPDFBitmap_BGRx, None, 0)
        if not bitmap:
            return None
        try:
            raw.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, _WHITE)
            raw.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, raw.FPDF_ANNOT)
            raw.FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, raw.FPDF_ANNOT)  # the fields themselves
            pixels = ctypes.string_at(raw.FPDFBitmap_GetBuffer(bitmap), 4 * width * height)
        finally:
            raw.FPDFBitmap_Destroy(bitmap)
        return cls(page, width, height, pixels)

    def shows_in(self, box: Box, *, is_combo: bool = False) -> bool:
        """Return whether anything inside the rectangle differs visibly from its background.

        Args:
            box: rectangle of a field, in points.
            is_combo: ignore the button at its right.
        """
        left, top, right, bottom = self._inner(box)
        if is_combo and right - left > 3 * (bottom - top):
            right -= 3 * (bottom - top) // 2
        if left >= right:
            return False
        for part in range(3):
            low, high = 255, 0
            for row in range(top, bottom):
                start = 4 * row * self._width
                line = self._pixels[start + 4 * left + part : start + 4 * right : 4]
                even = line[:1] * len(line) == line
                low, high = min(low, line[0] if even else min(line)), max(high, line[0] if even else max(line))
                if high - low > FAINT * 255:
                    return True
        return False

    def ground(self, box: Box) -> Colour:
        """Return the colour in the middle of the rectangle."""
        left, top, right, bottom = self._inner(box)
        at = 4 * (min((top + bottom) // 2, self._height - 1) * self._width + min((left + right) // 2, self._width - 1))
        blue, green, red = self._pixels[at : at + 3]
        return (red / 255, green / 255, blue / 255)

    def _inner(self, box: Box) -> tuple[int, int, int, int]:
        """Return left, top, right and bottom in pixels, without the border."""
        (one, other) = self._pixel(box.left, box.top), self._pixel(box.right, box.bottom)
        (left, right), (top, bottom) = sorted((one[0], other[0])), sorted((one[1], other[1]))
        across, down = min(_EDGE, (right - left) // 4), min(_EDGE, (bottom - top) // 4)
        return (
            min(max(left + across, 0), self._width),
            min(max(top + down, 0), self._height),
            min(max(right - across, 0), self._width),
            min(max(bottom - down, 0), self._height),
        )

    def _pixel(self, x: float, y: float) -> tuple[int, int]:
        import pypdfium2.raw as raw

        across, down = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(self._page, 0, 0, self._width, self._height, 0, x, y, across, down)
        return across.value, down.value
