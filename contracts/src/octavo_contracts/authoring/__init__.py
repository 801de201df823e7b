"""What most converters need besides the contract itself, so that no two of them write it twice.

Standard library only; a plugin may use it or not. What engines that listen to recordings share stands in `listening` and
`recordings`, which are imported by name and need PyAV when a recording is opened.
"""

from __future__ import annotations

from .markdown import code_span, collapse, escape, escape_line_starts, fence, link, pipe_table, wrap
from .pdf_dates import iso_date
from .requests import require_media_type, source_pages, wanted_pages
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
    "source_pages",
    "transcript",
    "wanted_pages",
    "wrap",
]
