"""Classifies a document before its conversion (CLS-1 … CLS-10). Runs in the sandboxed worker.

`classify` reads as little as possible: a few pages of a PDF, the directory and one part of a container, the header of
an image or recording. `page_needs_ocr` is the single test for scanned pages (CNV-3).
`octavo.builtins.classification.inspector` is the entry point that detects, checks and classifies in one call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_sandbox.lazy_names import lazily

if TYPE_CHECKING:
    from .classifier import classify
    from .inspection import Inspection, InspectRequest
    from .scanned import SCANNED_DENSITY, page_needs_ocr

__all__ = [
    "SCANNED_DENSITY",
    "InspectRequest",
    "Inspection",
    "classify",
    "page_needs_ocr",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "SCANNED_DENSITY": "scanned",
        "InspectRequest": "inspection",
        "Inspection": "inspection",
        "classify": "classifier",
        "page_needs_ocr": "scanned",
    },
)
