"""Text objects of a PDF page that cannot be seen, taken off the page before an engine reads it.

For engines that tell neither a text's render mode nor what lies behind it. They join lines into blocks, so that hidden text
could not be taken out of those afterwards.
"""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass, field
from typing import Any, Literal

from ..conversion import HiddenText
from .pdf_overflow import Bounds, continued

Why = Literal["invisible", "white", "off_page", "tiny"]
WHITE = 250
"""Red, green and blue from here to 255 count as white."""
TINY = 1.0
"""A font size below this many points cannot be read; scaled down with pages smaller than a sheet of paper."""
SCAN_SHARE = 0.5
"""Pictures over at least this share of the page make invisible text the text layer of a scan."""
MAX_OBJECTS = 200_000
"""Objects looked at on one page: a page of more is a drawing, or an attack."""
INVISIBLE = (3, 7)
"""Render modes that paint nothing: invisible, and clip only."""


@dataclass(slots=True)
class Scan:
    """What one pass over the objects of a page saw."""

    hidden: list[tuple[Any, Why]] = field(default_factory=list)
    """PDFium's handles of the text objects that cannot be seen."""
    seen: list[Bounds] = field(default_factory=list)
    """Bounds of the text objects in sight."""
    grounds: list[Bounds] = field(default_factory=list)
    """Bounds of what was painted so far and can lie behind white text."""
    pictures: float = 0.0
    """Area of the raster images, square points."""
    has_images: bool = False
    complete: bool = True
    """Whether every object was looked at."""


class Scanner:
    """Looks at the top-level objects of pages.

    Args:
        raw: the module `pypdfium2.raw`.
    """

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self._colour = [ctypes.c_uint() for _ in range(4)]
        self._edges = [ctypes.c_float() for _ in range(4)]
        # A page has thousands of objects, and the making of each argument costs as much as a call.
        self._colour_arguments = [ctypes.byref(cell) for cell in self._colour]
        self._edge_arguments = [ctypes.byref(edge) for edge in self._edges]
        self._matrix = raw.FS_MATRIX()

    def scan(self, page: Any, box: Bounds) -> Scan:
        """Look at a page whose visible box is `box`. The text layer of a scan counts as seen."""
        raw, found = self._raw, Scan()
        width, height = box[2] - box[0], box[3] - box[1]
        tiny = TINY * min(1.0, max(width, height) / 400)
        count = raw.FPDFPage_CountObjects(page)
        found.complete = count <= MAX_OBJECTS
        for place in range(min(count, MAX_OBJECTS)):
            obj = raw.FPDFPage_GetObject(page, place)
            kind = raw.FPDFPageObj_GetType(obj)
            if kind == raw.FPDF_PAGEOBJ_TEXT:
                self._text(obj, box, tiny, found)
            elif kind != raw.FPDF_PAGEOBJ_PATH or self._paints(obj):
                bounds = self._bounds(obj)
                found.grounds.append(bounds)
                if kind == raw.FPDF_PAGEOBJ_IMAGE:
                    found.has_images = True
                    found.pictures += (bounds[2] - bounds[0]) * (bounds[3] - bounds[1])
        if found.pictures >= SCAN_SHARE * max(1.0, width * height) and len(found.hidden) > len(found.seen):
            found.hidden = [(obj, why) for obj, why in found.hidden if why not in ("invisible", "white")]
        self._keep_lines(found, box)
        return found

    def _keep_lines(self, found: Scan, box: Bounds) -> None:
        """Treat as seen what stands beyond the page's edge and continues a line of the page."""
        beyond = {place: self._bounds(obj) for place, (obj, why) in enumerate(found.hidden) if why == "off_page"}
        kept = frozenset(continued(beyond, found.seen, box)) if beyond else frozenset[int]()
        found.hidden = [one for place, one in enumerate(found.hidden) if place not in kept]

    def _text(self, obj: Any, box: Bounds, tiny: float, found: Scan) -> None:
        left, bottom, right, top = self._bounds(obj)
        mode, colour = self._raw.FPDFTextObj_GetTextRenderMode(obj), self._fill(obj)
        why: Why | None = None
        if mode in INVISIBLE or (colour is not None and colour[3] == 0):
            why = "invisible"
        elif right <= left:
            pass  # blanks, or a font without widths
        elif right < box[0] or left > box[2] or top < box[1] or bottom > box[3]:
            why = "off_page"
        elif min(top - bottom, right - left) < tiny * 0.75 and self._size(obj) < tiny:
            why = "tiny"
        elif colour is not None and min(colour[:3]) >= WHITE and mode != 1:
            x, y = (left + right) / 2, (bottom + top) / 2
            if not any(edge[0] <= x <= edge[2] and edge[1] <= y <= edge[3] for edge in found.grounds):
                why = "white"
        if why is None:
            found.seen.append((left, bottom, right, top))
        else:
            found.hidden.append((obj, why))

    def _bounds(self, obj: Any) -> Bounds:
        if not self._raw.FPDFPageObj_GetBounds(obj, *self._edge_arguments):
            return (0.0, 0.0, 0.0, 0.0)
        left, bottom, right, top = self._edges
        return left.value, bottom.value, right.value, top.value

    def _fill(self, obj: Any) -> tuple[int, int, int, int] | None:
        if not self._raw.FPDFPageObj_GetFillColor(obj, *self._colour_arguments):
            return None
        red, green, blue, alpha = self._colour
        return red.value, green.value, blue.value, alpha.value

    def _paints(self, path: Any) -> bool:
        """Whether a path fills an area with something other than white."""
        if not self._is_filled(path):
            return False
        colour = self._fill(path)
        return colour is None or min(colour[:3]) < WHITE

    def _size(self, obj: Any) -> float:
        """The size in points on the page: the font's size times the scale of the text's matrix."""
        size = ctypes.c_float()
        if not self._raw.FPDFTextObj_GetFontSize(obj, size) or not self._raw.FPDFPageObj_GetMatrix(obj, self._matrix):
            return math.inf
        return abs(size.value) * math.hypot(self._matrix.c, self._matrix.d)

    def remove_deceptive_annotations(self, page: Any) -> int:
        """Remove the annotations whose picture has text that cannot be seen; return their number.

        An engine reads the text of a form field's picture whatever its colour. What a field holds is for the host to read, which
        compares value and picture.
        """
        raw, doubtful = self._raw, []
        for place in range(raw.FPDFPage_GetAnnotCount(page)):
            annotation = raw.FPDFPage_GetAnnot(page, place)
            if not annotation:
                continue
            try:
                if self._hides_text(annotation):
                    doubtful.append(place)
            finally:
                raw.FPDFPage_CloseAnnot(annotation)
        for place in reversed(doubtful):
            raw.FPDFPage_RemoveAnnot(page, place)
        return len(doubtful)

    def _hides_text(self, annotation: Any) -> bool:
        """Whether a text of the picture is invisible, white on nothing, or painted over."""
        raw = self._raw
        objects = [
            raw.FPDFAnnot_GetObject(annotation, place)
            for place in range(min(raw.FPDFAnnot_GetObjectCount(annotation), MAX_OBJECTS))
        ]
        kinds = [raw.FPDFPageObj_GetType(one) for one in objects]
        if raw.FPDF_PAGEOBJ_TEXT not in kinds:
            return False
        fills = [
            (place, self._bounds(one), self._paints(one))
            for place, (one, kind) in enumerate(zip(objects, kinds, strict=True))
            if kind == raw.FPDF_PAGEOBJ_PATH and self._is_filled(one)
        ]
        for place, (one, kind) in enumerate(zip(objects, kinds, strict=True)):
            if kind != raw.FPDF_PAGEOBJ_TEXT:
                continue
            colour = self._fill(one)
            left, bottom, right, top = self._bounds(one)
            x, y = (left + right) / 2, (bottom + top) / 2
            over = [(at, paints) for at, edge, paints in fills if edge[0] <= x <= edge[2] and edge[1] <= y <= edge[3]]
            is_white = colour is not None and min(colour[:3]) >= WHITE
            if (
                raw.FPDFTextObj_GetTextRenderMode(one) in INVISIBLE
                or (colour is not None and colour[3] == 0)
                or (is_white and not any(paints for at, paints in over if at < place))
                or any(at > place for at, _ in over)
            ):
                return True
        return False

    def _is_filled(self, path: Any) -> bool:
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        return bool(self._raw.FPDFPath_GetDrawMode(path, fill, stroke)) and fill.value != 0

    def take_off(self, page: Any, text_page: Any, found: Scan) -> tuple[HiddenText, ...]:
        """Remove the hidden text objects from the page; what they say, runs of one kind joined."""
        said: list[tuple[Why, str]] = []
        for obj, why in found.hidden:
            text = self._said(obj, text_page)
            if text and said and said[-1][0] == why:
                said[-1] = (why, f"{said[-1][1]} {text}")
            elif text:
                said.append((why, text))
        for obj, _ in found.hidden:
            if self._raw.FPDFPage_RemoveObject(page, obj):
                self._raw.FPDFPageObj_Destroy(obj)
        self._raw.FPDFPage_GenerateContent(page)
        return tuple(HiddenText(text=text, why=why) for why, text in said)

    def _said(self, obj: Any, text_page: Any) -> str:
        size = self._raw.FPDFTextObj_GetText(obj, text_page, None, 0)
        buffer = (self._raw.FPDF_WCHAR * (size // 2 + 1))()
        self._raw.FPDFTextObj_GetText(obj, text_page, buffer, size)
        return " ".join(bytes(buffer).decode("utf-16-le", "replace").replace("\0", "").split())
