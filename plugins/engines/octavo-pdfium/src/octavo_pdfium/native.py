"""PDFium's C functions with light prototypes.

The prototypes of `pypdfium2.raw` wrap each handle in a pointer object. A page asks for hundreds of objects, so here
handles are plain integers, which halves the cost of a call. Calls that take microseconds keep the interpreter's lock
(`PYFUNCTYPE`); the ones that parse release it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import c_float, c_int, c_uint, c_ulong, c_void_p
from dataclasses import dataclass
from functools import cache
from typing import Any

from octavo_contracts import ToolUnavailable

ERROR_FORMAT = 3
"""`FPDF_GetLastError`: not a PDF, or damaged beyond repair."""
ERROR_PASSWORD = 4
"""`FPDF_GetLastError`: a password is needed, or the given one is wrong."""
ERROR_SECURITY = 5
"""`FPDF_GetLastError`: an encryption that PDFium does not know."""

OBJECT_PATH, OBJECT_IMAGE, OBJECT_SHADING, OBJECT_FORM = 2, 3, 4, 5
"""`FPDFPageObj_GetType`."""
MODE_INVISIBLE = 3
"""`FPDFTextObj_GetTextRenderMode`: neither filled nor stroked."""


class Rect(ctypes.Structure):
    """`FS_RECTF`, in user space: y grows upwards."""

    _fields_ = [("left", c_float), ("top", c_float), ("right", c_float), ("bottom", c_float)]

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Native:
    """The functions used, by what they do. Handles are integers, 0 or None where PDFium gives none."""

    load_document: Callable[..., int | None]
    last_error: Callable[[], int]
    close_document: Callable[[int], None]
    page_count: Callable[[int], int]
    page_label: Callable[..., int]
    meta_text: Callable[..., int]
    language: Callable[..., int]
    security_revision: Callable[[int], int]
    load_page: Callable[[int, int], int | None]
    close_page: Callable[[int], None]
    page_width: Callable[[int], float]
    page_height: Callable[[int], float]
    page_box: Callable[..., int]
    page_rotation: Callable[[int], int]
    count_objects: Callable[[int], int]
    get_object: Callable[[int, int], int | None]
    form_count: Callable[[int], int]
    form_object: Callable[[int, int], int | None]
    object_type: Callable[[int], int]
    render_mode: Callable[[int], int]
    fill_colour: Callable[..., int]
    bounds: Callable[..., int]
    matrix: Callable[..., int]
    font_size: Callable[..., int]
    draw_mode: Callable[..., int]
    count_segments: Callable[[int], int]
    path_segment: Callable[[int, int], int | None]
    segment_point: Callable[..., int]
    segment_type: Callable[[int], int]
    segment_closes: Callable[[int], int]
    load_text: Callable[[int], int | None]
    close_text: Callable[[int], None]
    count_chars: Callable[[int], int]
    get_text: Callable[..., int]
    char_of_text: Callable[[int, int], int]
    char_box: Callable[..., int]
    char_object: Callable[[int, int], int | None]
    char_font_size: Callable[[int, int], float]
    char_matrix: Callable[..., int]
    version: str


@cache
def native() -> Native:
    """Load PDFium, once a process.

    Raises:
        ToolUnavailable: pypdfium2 is not installed, or its library does not load here.
    """
    try:
        import pypdfium2
        import pypdfium2.raw as raw
    except (ImportError, OSError) as error:
        raise ToolUnavailable(
            f"PDFium cannot be loaded: {error}", plugin="pdfium", remedy="Run `pip install 'pypdfium2>=5.15,<6'`"
        ) from error

    def parse(name: str, result: Any, *arguments: Any) -> Any:
        return ctypes.CFUNCTYPE(result, *arguments)(_address(raw, name))

    def quick(name: str, result: Any, *arguments: Any) -> Any:
        return ctypes.PYFUNCTYPE(result, *arguments)(_address(raw, name))

    handle = c_void_p
    return Native(
        load_document=parse("FPDF_LoadMemDocument64", handle, c_void_p, ctypes.c_size_t, ctypes.c_char_p),
        last_error=quick("FPDF_GetLastError", c_ulong),
        close_document=parse("FPDF_CloseDocument", None, handle),
        page_count=parse("FPDF_GetPageCount", c_int, handle),
        page_label=quick("FPDF_GetPageLabel", c_ulong, handle, c_int, c_void_p, c_ulong),
        meta_text=quick("FPDF_GetMetaText", c_ulong, handle, ctypes.c_char_p, c_void_p, c_ulong),
        language=quick("FPDFCatalog_GetLanguage", c_ulong, handle, c_void_p, c_ulong),
        security_revision=quick("FPDF_GetSecurityHandlerRevision", c_int, handle),
        load_page=parse("FPDF_LoadPage", handle, handle, c_int),
        close_page=parse("FPDF_ClosePage", None, handle),
        page_width=quick("FPDF_GetPageWidthF", c_float, handle),
        page_height=quick("FPDF_GetPageHeightF", c_float, handle),
        page_box=quick("FPDF_GetPageBoundingBox", c_int, handle, c_void_p),
        page_rotation=quick("FPDFPage_GetRotation", c_int, handle),
        count_objects=quick("FPDFPage_CountObjects", c_int, handle),
        get_object=quick("FPDFPage_GetObject", handle, handle, c_int),
        form_count=quick("FPDFFormObj_CountObjects", c_int, handle),
        form_object=quick("FPDFFormObj_GetObject", handle, handle, c_ulong),
        object_type=quick("FPDFPageObj_GetType", c_int, handle),
        render_mode=quick("FPDFTextObj_GetTextRenderMode", c_int, handle),
        fill_colour=quick("FPDFPageObj_GetFillColor", c_int, handle, c_void_p, c_void_p, c_void_p, c_void_p),
        bounds=quick("FPDFPageObj_GetBounds", c_int, handle, c_void_p, c_void_p, c_void_p, c_void_p),
        matrix=quick("FPDFPageObj_GetMatrix", c_int, handle, c_void_p),
        font_size=quick("FPDFTextObj_GetFontSize", c_int, handle, c_void_p),
        draw_mode=quick("FPDFPath_GetDrawMode", c_int, handle, c_void_p, c_void_p),
        count_segments=quick("FPDFPath_CountSegments", c_int, handle),
        path_segment=quick("FPDFPath_GetPathSegment", handle, handle, c_int),
        segment_point=quick("FPDFPathSegment_GetPoint", c_int, handle, c_void_p, c_void_p),
        segment_type=quick("FPDFPathSegment_GetType", c_int, handle),
        segment_closes=quick("FPDFPathSegment_GetClose", c_int, handle),
        load_text=parse("FPDFText_LoadPage", handle, handle),
        close_text=parse("FPDFText_ClosePage", None, handle),
        count_chars=quick("FPDFText_CountChars", c_int, handle),
        get_text=parse("FPDFText_GetText", c_int, handle, c_int, c_int, c_void_p),
        char_of_text=quick("FPDFText_GetCharIndexFromTextIndex", c_int, handle, c_int),
        char_box=quick("FPDFText_GetLooseCharBox", c_int, handle, c_int, c_void_p),
        char_object=quick("FPDFText_GetTextObject", handle, handle, c_int),
        char_font_size=quick("FPDFText_GetFontSize", ctypes.c_double, handle, c_int),
        char_matrix=quick("FPDFText_GetMatrix", c_int, handle, c_int, c_void_p),
        version=f"pypdfium2 {pypdfium2.PYPDFIUM_INFO}, pdfium {pypdfium2.PDFIUM_INFO}",
    )


def _address(raw: Any, name: str) -> int:
    address = ctypes.cast(getattr(raw, name), c_void_p).value
    assert address is not None, name
    return address


class Cells:
    """A few C numbers that out-parameters point into; reading one back is an index."""

    def __init__(self, kind: type[c_float] | type[c_uint] | type[c_int], count: int) -> None:
        self._array = (kind * count)()
        self.pointers = tuple(
            c_void_p(ctypes.addressof(self._array) + ctypes.sizeof(kind) * index) for index in range(count)
        )
        self.values = memoryview(self._array).cast("B").cast("i" if kind is c_int else "f" if kind is c_float else "I")
