"""Fast bindings of the few PDFium functions for a page's objects and lines, at half the cost of `pypdfium2.raw`.

`pypdfium2.raw` wraps each handle in a pointer object; here handles are plain integers. None of these functions parses
anything, so they keep the GIL.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import c_int, c_void_p
from dataclasses import dataclass
from functools import cache
from typing import Any

Matrix = tuple[float, float, float, float, float, float]
"""`FS_MATRIX`: a, b, c, d, e, f."""


@dataclass(frozen=True, slots=True)
class Calls:
    """The functions. Handles and addresses are integers; 0 or None if PDFium returns none."""

    count_objects: Callable[[int], int]
    get_object: Callable[[int, int], int | None]
    form_count: Callable[[int], int]
    form_object: Callable[[int, int], int | None]
    object_type: Callable[[int], int]
    bounds: Callable[..., int]
    matrix: Callable[[int, int], int]
    count_segments: Callable[[int], int]
    count_rectangles: Callable[[int, int, int], int]
    rectangle: Callable[..., int]


@cache
def calls() -> Calls:
    """Return the functions; pypdfium2 has loaded the library before the first page is inspected."""
    import pypdfium2.raw as raw

    def quick(name: str, result: Any, *arguments: Any) -> Any:
        return ctypes.PYFUNCTYPE(result, *arguments)(handle_of(getattr(raw, name)))

    handle = c_void_p
    return Calls(
        count_objects=quick("FPDFPage_CountObjects", c_int, handle),
        get_object=quick("FPDFPage_GetObject", handle, handle, c_int),
        form_count=quick("FPDFFormObj_CountObjects", c_int, handle),
        form_object=quick("FPDFFormObj_GetObject", handle, handle, ctypes.c_ulong),
        object_type=quick("FPDFPageObj_GetType", c_int, handle),
        bounds=quick("FPDFPageObj_GetBounds", c_int, handle, handle, handle, handle, handle),
        matrix=quick("FPDFPageObj_GetMatrix", c_int, handle, handle),
        count_segments=quick("FPDFPath_CountSegments", c_int, handle),
        count_rectangles=quick("FPDFText_CountRects", c_int, handle, c_int, c_int),
        rectangle=quick("FPDFText_GetRect", c_int, handle, c_int, handle, handle, handle, handle),
    )


def handle_of(pointer: Any) -> int:
    """Return the address in a ctypes pointer."""
    return ctypes.cast(pointer, c_void_p).value or 0
