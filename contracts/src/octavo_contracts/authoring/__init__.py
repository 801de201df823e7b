"""Helpers that most converters need besides the contract itself, so that each is written only once.

They use only the standard library and are optional. The modules `listening` and `recordings`, shared by speech engines,
are not imported here: import them by name; they need PyAV to open a recording.
"""

from __future__ import annotations

from .markdown import code_span, collapse, escape, escape_line_starts, fence, link, pipe_table, wrap
from .pdf_dates import iso_date
from .requests import require_media_type, skipped_pages, source_pages, wanted_pages
from .transcripts import (
    BLOCK_SECONDS,
    PAGE_CONFIDENCES,
    PAUSE_SECONDS,
    Utterance,
    clock,
    in_blocks,
    require_room,
    transcript,
)

__all__ = [
    "BLOCK_SECONDS",
    "PAGE_CONFIDENCES",
    "PAUSE_SECONDS",
    "Utterance",
    "clock",
    "code_span",
    "collapse",
    "escape",
    "escape_line_starts",
    "fence",
    "in_blocks",
    "iso_date",
    "link",
    "pipe_table",
    "require_media_type",
    "require_room",
    "skipped_pages",
    "source_pages",
    "transcript",
    "wanted_pages",
    "wrap",
]
