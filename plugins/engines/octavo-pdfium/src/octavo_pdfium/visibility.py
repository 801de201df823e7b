"""Determines which text objects of a page are invisible, and whether the page has pictures.

One pass over the page's objects makes a few cheap checks for each. Suspects are examined more closely,
only on the few pages that have suspects.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from octavo_contracts.authoring.pdf_overflow import Bounds, continued

from .native import MODE_INVISIBLE, OBJECT_FORM, OBJECT_IMAGE, OBJECT_PATH, OBJECT_SHADING, Cells, Native, Rect

Why = Literal["invisible", "white", "off_page", "tiny"]
"""The values of `HiddenText.why` that occur in PDF."""

WHITE = 250
"""Red, green and blue from here to 255 count as white."""
TINY = 1.0
"""Font sizes below this many points are unreadable; scaled down for pages smaller than paper size."""
THIN = 0.75
"""The font size is checked only for objects thinner than this share of `TINY`."""
SCAN_SHARE = 0.5
"""Pictures over at least this share of the page make invisible text the text layer of a scan."""
MAX_DEPTH = 8
"""Forms nested deeper are not examined."""
MAX_OBJECTS = 200_000
"""Maximum objects examined on one page: a page with more is a drawing, or an attack."""


@dataclass(slots=True)
class Scan:
    """The result of the pass."""

    hidden: dict[int, Why] = field(default_factory=dict)
    """Text object → why it cannot be seen."""
    white: dict[int, int] = field(default_factory=dict)
    """White text object → its place in the painting order."""
    seen: int = 0
    """Number of visible text objects."""
    painted: list[tuple[int, int, Bounds]] = field(default_factory=list)
    """Painting order, object and bounds of objects that can be the background of white text."""
    drawn: list[int] = field(default_factory=list)
    """Paths and forms, in painting order: what lines are drawn by."""
    pictures: float = 0.0
    """Area of the raster images, square points."""
    has_images: bool = False
    complete: bool = True
    """True if every object was examined."""


def _keep_text_layer(found: Scan) -> None:
    """Treat invisible text of a scanned page as its text layer if there is more of it than of visible text.

    Such text is invisible, or white and painted before the image.
    """
    invisible = [obj for obj, why in found.hidden.items() if why == "invisible"]
    in_sight = found.seen - len(found.white)
    if len(invisible) > in_sight:
        for obj in invisible:
            del found.hidden[obj]
    if len(found.white) > in_sight:
        found.white.clear()


class ObjectScanner:
    """Scans the objects of pages; reuses the buffers that PDFium writes to."""

    def __init__(self, lib: Native) -> None:
        self._lib = lib
        self._colour = Cells(ctypes.c_uint, 4)
        self._bounds = Cells(ctypes.c_float, 4)
        self._size = Cells(ctypes.c_float, 1)
        self._matrix = Cells(ctypes.c_float, 6)
        self._modes = Cells(ctypes.c_int, 2)

    def scan(self, page: int, box: Rect) -> Scan:
        """Scan every object of a page whose visible box is `box`, in user space."""
        found = Scan()
        count = self._lib.count_objects(page)
        if count > MAX_OBJECTS:
            found.complete, count = False, MAX_OBJECTS
        self._scan_top(page, box, count, found)
        area = max(1.0, (box.right - box.left) * (box.top - box.bottom))
        if found.pictures >= SCAN_SHARE * area:
            _keep_text_layer(found)
        if "off_page" in found.hidden.values():
            self._keep_lines(page, box, count, found)
        return found

    def _keep_lines(self, page: int, box: Rect, count: int, found: Scan) -> None:
        """Treat as seen what stands beyond the page's edge and continues a line of the page."""
        lib = self._lib
        texts = [obj for at in range(count) if lib.render_mode(obj := lib.get_object(page, at) or 0) >= 0]
        beyond = {obj: self._bounds_of(obj) for obj, why in found.hidden.items() if why == "off_page"}
        seen = [self._bounds_of(obj) for obj in texts if obj not in found.hidden]
        for obj in continued(beyond, seen, (box.left, box.bottom, box.right, box.top)):
            del found.hidden[obj]

    def _scan_top(self, page: int, box: Rect, count: int, found: Scan) -> None:
        """The hot loop: four calls for a text object, two for any other."""
        lib = self._lib
        get_object, render_mode, fill_colour, bounds = lib.get_object, lib.render_mode, lib.fill_colour, lib.bounds
        red, green, blue, alpha = self._colour.pointers
        colour = self._colour.values
        p_left, p_bottom, p_right, p_top = self._bounds.pointers
        edges = self._bounds.values
        x0, y0, x1, y1 = box.left, box.bottom, box.right, box.top
        tiny = TINY * min(1.0, max(x1 - x0, y1 - y0) / 400)
        thin = tiny * THIN
        for place in range(count):
            obj = get_object(page, place) or 0
            mode = render_mode(obj)
            if mode < 0:
                self._other(obj, place, found)
                continue
            if mode == MODE_INVISIBLE:
                found.hidden[obj] = "invisible"
                continue
            found.seen += 1
            if fill_colour(obj, red, green, blue, alpha):
                if colour[3] == 0:
                    found.hidden[obj] = "invisible"
                elif colour[0] >= WHITE and colour[1] >= WHITE and colour[2] >= WHITE and mode != 1:
                    found.white[obj] = place
            if not bounds(obj, p_left, p_bottom, p_right, p_top):
                continue
            left, bottom, right, top = edges
            if right < x0 or left > x1 or top < y0 or bottom > y1:
                if right > left:
                    found.hidden[obj] = "off_page"
            elif (top - bottom < thin or right - left < thin) and right > left and self._font_size(obj) < tiny:
                found.hidden[obj] = "tiny"

    def _other(self, obj: int, place: int, found: Scan) -> None:
        """Handle an object that is not text: an image, a form, or a possible background of white text."""
        kind = self._lib.object_type(obj)
        if kind == OBJECT_PATH:
            found.drawn.append(obj)
            found.painted.append((place, obj, (0.0, 0.0, 0.0, 0.0)))
            return
        if kind == OBJECT_FORM:
            found.drawn.append(obj)
            self._form(obj, obj, place, found, 1)
        elif kind == OBJECT_IMAGE:
            self._picture(obj, place, found)
        elif kind == OBJECT_SHADING:
            found.painted.append((place, obj, self._bounds_of(obj)))

    def _picture(self, obj: int, place: int, found: Scan) -> None:
        left, bottom, right, top = edges = self._bounds_of(obj)
        found.has_images = True
        found.pictures += (right - left) * (top - bottom)
        found.painted.append((place, obj, edges))

    def _form(self, form: int, outer: int, place: int, found: Scan, depth: int) -> None:
        """Scan the objects of a form. Their bounds are relative to the form, so only mode and colour are checked."""
        if depth > MAX_DEPTH:
            found.complete = False
            return
        lib = self._lib
        for index in range(min(lib.form_count(form), MAX_OBJECTS)):
            obj = lib.form_object(form, index) or 0
            mode = lib.render_mode(obj)
            if mode == MODE_INVISIBLE:
                found.hidden[obj] = "invisible"
            elif mode >= 0:
                found.seen += 1
                if self._is_white(obj):
                    found.white[obj] = place
            else:
                kind = lib.object_type(obj)
                if kind == OBJECT_FORM:
                    self._form(obj, outer, place, found, depth + 1)
                elif kind == OBJECT_IMAGE and not found.has_images:
                    self._picture(outer, place, found)
                elif kind in (OBJECT_IMAGE, OBJECT_SHADING) or (kind == OBJECT_PATH and self._paints(obj)):
                    found.painted.append((place - 1, outer, self._bounds_of(outer)))

    def whites_without_ground(self, found: Scan, middle_of: Callable[[int], tuple[float, float] | None]) -> list[int]:
        """White text objects without a painted background.

        Args:
            found: the pass.
            middle_of: text object → centre of its characters in user space, or None.
        """
        grounds = [
            (place, self._bounds_of(obj) if edges == (0.0, 0.0, 0.0, 0.0) else edges)
            for place, obj, edges in found.painted
            if self._lib.object_type(obj) != OBJECT_PATH or self._paints(obj)
        ]
        lonely = []
        for obj, place in found.white.items():
            middle = middle_of(obj)
            if middle is None:
                continue
            x, y = middle
            if not any(
                before < place and left <= x <= right and bottom <= y <= top
                for before, (left, bottom, right, top) in grounds
            ):
                lonely.append(obj)
        return lonely

    def _paints(self, path: int) -> bool:
        """Whether a path fills an area with something other than white."""
        fill, stroke = self._modes.pointers
        return bool(self._lib.draw_mode(path, fill, stroke)) and self._modes.values[0] != 0 and not self._is_white(path)

    def _is_white(self, obj: int) -> bool:
        if not self._lib.fill_colour(obj, *self._colour.pointers):
            return False
        red, green, blue, _ = self._colour.values
        return min(red, green, blue) >= WHITE

    def _bounds_of(self, obj: int) -> Bounds:
        if not self._lib.bounds(obj, *self._bounds.pointers):
            return (0.0, 0.0, 0.0, 0.0)
        left, bottom, right, top = self._bounds.values
        return (left, bottom, right, top)

    def _font_size(self, obj: int) -> float:
        """The size in points on the page: the font's size times the scale of the text's matrix."""
        if not self._lib.font_size(obj, self._size.pointers[0]):
            return math.inf
        scale = 1.0
        if self._lib.matrix(obj, self._matrix.pointers[0]):
            scale = math.hypot(self._matrix.values[2], self._matrix.values[3])
        return abs(self._size.values[0]) * scale
