"""What a file is: by its content first, by its name second (CLS-8).

`sniff` looks at header bytes only and is safe in the host. `refine` looks into containers and belongs in the
sandboxed worker. `FORMATS` is the one table of formats that everything else reads.
"""

from __future__ import annotations

from .detected import Detected
from .formats import FORMATS, UNKNOWN, Format, format_for_extension, format_of, is_textual
from .refining import refine
from .sniffing import HEAD_BYTES, sniff

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
