"""Refuses dangerous or broken documents before any parser reads them, and notes lesser problems. Runs in the worker.

`preflight` raises a typed error if a document is certainly empty, broken, encrypted or beyond a limit, and
reports everything else as findings. It reads headers and directories; it inflates only the parts of a container that a
parser would read whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazily

if TYPE_CHECKING:
    from .checking import preflight
    from .limits import RAISABLE, PreflightLimits, how_to_raise
    from .passwords import encrypted_remedy
    from .pdf_file import PdfFile
    from .report import (
        ENCRYPTED,
        FOREIGN_DATA,
        OVERSIZED_IMAGE,
        SOURCE_DAMAGED,
        SPARSE_SHEET,
        PreflightReport,
    )

__all__ = [
    "ENCRYPTED",
    "FOREIGN_DATA",
    "OVERSIZED_IMAGE",
    "RAISABLE",
    "SOURCE_DAMAGED",
    "SPARSE_SHEET",
    "PdfFile",
    "PreflightLimits",
    "PreflightReport",
    "encrypted_remedy",
    "how_to_raise",
    "preflight",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "ENCRYPTED": "report",
        "FOREIGN_DATA": "report",
        "OVERSIZED_IMAGE": "report",
        "RAISABLE": "limits",
        "SOURCE_DAMAGED": "report",
        "SPARSE_SHEET": "report",
        "PdfFile": "pdf_file",
        "PreflightLimits": "limits",
        "PreflightReport": "report",
        "encrypted_remedy": "passwords",
        "how_to_raise": "limits",
        "preflight": "checking",
    },
)
