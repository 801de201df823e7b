"""Detects what a file is: by its content first, by its name second (CLS-8).

`sniff` reads header bytes only and is safe in the host. `refine` reads containers and belongs in the
sandboxed worker. `FORMATS` is the single table of formats, which all other modules read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_sandbox.lazy_names import lazily

if TYPE_CHECKING:
    from .detection import HEAD_BYTES, Detected, sniff
    from .refinement import refine
    from .table import FORMATS, UNKNOWN, Format, format_for_extension, format_of, is_textual

__all__ = [
    "FORMATS",
    "HEAD_BYTES",
    "UNKNOWN",
    "Detected",
    "Format",
    "format_for_extension",
    "format_of",
    "is_textual",
    "refine",
    "sniff",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "FORMATS": "table",
        "HEAD_BYTES": "detection",
        "UNKNOWN": "table",
        "Detected": "detection",
        "Format": "table",
        "format_for_extension": "table",
        "format_of": "table",
        "is_textual": "table",
        "refine": "refinement",
        "sniff": "detection",
    },
)
