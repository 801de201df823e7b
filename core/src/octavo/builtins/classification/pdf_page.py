"""Extracts classification features from one PDF page at low cost: text, images, lines."""

from __future__ import annotations

import ctypes
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from octavo_contracts import PageMetadata

from .page_layout import UNSEEN, Layout, layout_of
from .pdf_calls import Matrix, calls, handle_of
from .scanned import ANY_PICTURE, is_garbled, page_needs_ocr, unmapped_share
from .text_tables import table_rows

_MAX_OBJECTS = 1000
"""Maximum number of objects from which a page's lines and curves are counted."""
_MAX_OBJECTS_FOR_PICTURES = 300
"""Maximum number of objects in which a scanned page's image is searched; it is among the first."""
_MAX_DEPTH = 3
_THIN = 2.0
_LONG = 20.0
_TEXT, _PATH, _IMAGE, _FORM = 1, 2, 3, 5
"""pdfium's FPDF_PAGEOBJ_*."""
_WIDGET = 20
"""pdfium's FPDF_ANNOT_WIDGET."""
_MAX_ANNOTATIONS = 200
_RECTANGLE_SEGMENTS = 5


@dataclass(frozen=True, kw_only=True)
class PageSignals:
    """Classification features of one page.

    Attributes:
        number: page, from 1.
        text: its text layer as read by pdfium.
        chars: characters of the text layer, without white space.
        area: square points.
        picture_share: share of the page covered by its largest raster image, 0..1.
        paths: vector paths.
        curves: paths that are neither lines nor rectangles.
        ruled_rows: rows of the largest ruled table, counted by its lines; 0 if there is none.
        garbled: see `is_garbled`.
        unmapped: see `unmapped_share`.
        has_widget: whether the page has a form field.
        layout: layout of its lines; `UNSEEN` if not requested.
        is_text_read: whether the text layer was read; if not, `text` is empty, and no picture could be a scan.
    """

    number: int
    text: str
    chars: int
    area: float
    picture_share: float
    paths: int
    curves: int
    ruled_rows: int
    garbled: bool
    unmapped: float
    has_widget: bool
    layout: Layout = UNSEEN
    is_text_read: bool = True

    @cached_property
    def text_tables(self) -> tuple[int, ...]:
        """The number of rows of each table, detected in the text."""
        return table_rows(self.text)

    @property
    def density(self) -> float:
        """Characters per square point."""
        return self.chars / self.area if self.area else 0.0


def read_page(
    document: Any,
    number: int,
    *,
    has_rasters: bool,
    has_form: bool,
    for_scans: bool = False,
    read_text: bool = True,
    see_layout: bool = False,
) -> PageSignals:
    """Extract the features of one page.

    Args:
        document: pdfium's document. Any: pypdfium2 ships no types.
        number: page, from 1.
        has_rasters: whether the file contains image objects; if not, form objects need not be searched.
        has_form: whether the file has a form, so that widgets are worth a search.
        for_scans: whether to look for pictures only, not for lines and curves, which halves the cost of a page.
        read_text: whether to read the text of a page on which no picture could be a scan.
        see_layout: whether to analyse the positions of its lines.

    Raises:
        pypdfium2.PdfiumError: pdfium cannot load the page.
    """
    page = document[number - 1]
    try:
        width, height = page.get_size()
        objects = _Objects(page.raw, width=width, height=height, has_rasters=has_rasters)
        if has_rasters or not for_scans:
            objects.walk(see_drawings=not for_scans)
        is_text_read = read_text or objects.picture_share >= ANY_PICTURE
        text, layout = _text(page, width=width, see_layout=see_layout) if is_text_read else ("", UNSEEN)
        return PageSignals(
            number=number,
            text=text,
            chars=sum(map(len, text.split())),
            area=width * height,
            picture_share=objects.picture_share,
            paths=objects.paths,
            curves=objects.curves,
            ruled_rows=objects.ruled_rows(),
            garbled=objects.picture_share >= 0.5 and is_garbled(text),
            unmapped=unmapped_share(text),
            has_widget=has_form and _has_widget(page.raw),
            layout=layout,
            is_text_read=is_text_read,
        )
    finally:
        page.close()


def _text(page: Any, *, width: float, see_layout: bool) -> tuple[str, Layout]:
    text_page = page.get_textpage()
    try:
        text = text_page.get_text_range()
        return text, layout_of(text_page, width=width) if see_layout and text else UNSEEN
    finally:
        text_page.close()


def is_scanned(page: PageSignals, density: float) -> bool:
    """Apply `page_needs_ocr` to a page.

    Args:
        page: its features.
        density: threshold, characters per square point.
    """
    return page_needs_ocr(
        page.chars,
        area=page.area,
        picture_share=page.picture_share,
        drawn_paths=page.paths,
        garbled=page.garbled,
        unmapped=page.unmapped,
        density_threshold=density,
    )


def page_metadata(page: PageSignals, *, is_scanned: bool) -> PageMetadata:
    """Build the record of a page whose text layer was read."""
    return PageMetadata(
        page_number=page.number,
        is_scanned=is_scanned,
        text_density=round(page.density, 6),
        has_text_layer=page.chars > 0,
        needs_ocr=is_scanned,
    )


class _Objects:
    """Walks the objects of a page once, up to a limit that is higher than the number on a text page."""

    def __init__(self, page: Any, *, width: float, height: float, has_rasters: bool) -> None:
        self._calls = calls()
        self._page = handle_of(page)
        self._width, self._height = width, height
        self._has_rasters = has_rasters
        self._numbers = (ctypes.c_float * 6)()
        start = ctypes.addressof(self._numbers)
        self._pointers = tuple(range(start, start + 16, 4))
        self._left = _MAX_OBJECTS
        self._see_drawings = True
        self.picture_share = 0.0
        self.paths = 0
        self.curves = 0
        self._horizontals: Counter[tuple[int, int]] = Counter()
        self._verticals = 0

    def walk(self, *, see_drawings: bool) -> None:
        calls, page = self._calls, self._page
        self._see_drawings = see_drawings
        self._left = _MAX_OBJECTS if see_drawings else _MAX_OBJECTS_FOR_PICTURES
        get_object, object_type = calls.get_object, calls.object_type
        for index in range(min(calls.count_objects(page), self._left)):
            item = get_object(page, index) or 0
            if object_type(item) == _TEXT:  # most objects of most pages: passed over without a call
                self._left -= 1
            else:
                self._see(item, None, depth=0)

    def ruled_rows(self) -> int:
        """Count the rows between horizontal lines with the same ends; a single pair is a rule, not a table."""
        _, most = max(self._horizontals.items(), key=lambda item: item[1], default=((0, 0), 0))
        total = sum(self._horizontals.values())
        if most >= 4:
            return most - 1
        return total // 2 if self._verticals >= 3 and total >= 4 else 0

    def _see(self, item: int, matrix: Matrix | None, *, depth: int) -> None:
        """Process one object; `matrix` is that of the enclosing form objects, None at the top level."""
        self._left -= 1
        if self._left < 0:
            return
        kind = self._calls.object_type(item)
        if kind == _PATH and self._see_drawings:
            self._see_path(item, matrix)
        elif kind == _IMAGE:
            left, bottom, right, top = self._bounds(item, matrix)
            covered = max(0.0, min(right, self._width) - max(left, 0.0)) * max(
                0.0, min(top, self._height) - max(bottom, 0.0)
            )
            self.picture_share = min(1.0, max(self.picture_share, covered / max(1.0, self._width * self._height)))
        elif kind == _FORM and self._has_rasters and depth < _MAX_DEPTH:
            inner = self._matrix(item) if matrix is None else _multiply(self._matrix(item), matrix)
            for index in range(max(0, self._calls.form_count(item))):
                if self._left < 0:
                    return
                self._see(self._calls.form_object(item, index) or 0, inner, depth=depth + 1)

    def _see_path(self, item: int, matrix: Matrix | None) -> None:
        self.paths += 1
        left, bottom, right, top = self._bounds(item, matrix)
        width, height = right - left, top - bottom
        if height <= _THIN and width >= _LONG:
            self._horizontals[(round(left / 4), round(right / 4))] += 1
        elif width <= _THIN and height >= _LONG / 2:
            self._verticals += 1
        elif width > _THIN and height > _THIN:
            segments = self._calls.count_segments(item)
            # A line with both extents is sloped: charts have such lines, tables do not.
            self.curves += segments > _RECTANGLE_SEGMENTS or segments == 2

    def _bounds(self, item: int, matrix: Matrix | None) -> tuple[float, float, float, float]:
        if not self._calls.bounds(item, *self._pointers):
            return (0.0, 0.0, 0.0, 0.0)
        left, bottom, right, top, _, _ = self._numbers
        if matrix is None:
            if left <= right and bottom <= top:
                return (left, bottom, right, top)
            return (min(left, right), min(bottom, top), max(left, right), max(bottom, top))
        a, b, c, d, e, f = matrix
        corners = [(a * x + c * y + e, b * x + d * y + f) for x in (left, right) for y in (bottom, top)]
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        return (min(xs), min(ys), max(xs), max(ys))

    def _matrix(self, item: int) -> Matrix:
        if not self._calls.matrix(item, self._pointers[0]):
            return (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
        a, b, c, d, e, f = self._numbers
        return (a, b, c, d, e, f)


def _multiply(inner: Matrix, outer: Matrix) -> Matrix:
    a, b, c, d, e, f = inner
    p, q, r, s, t, u = outer
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)


def _has_widget(page: Any) -> bool:
    import pypdfium2.raw as raw

    for index in range(min(raw.FPDFPage_GetAnnotCount(page), _MAX_ANNOTATIONS)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        kind = raw.FPDFAnnot_GetSubtype(annotation)
        raw.FPDFPage_CloseAnnot(annotation)
        if kind == _WIDGET:
            return True
    return False
