"""What most converters need besides the contract itself, so that no two of them write it twice.

Standard library only; a plugin may use it or not.
"""

from __future__ import annotations

from .markdown import code_span, collapse, escape, escape_line_starts, fence, link, pipe_table, wrap
from .pdf_dates import iso_date
from .requests import require_media_type, source_pages, wanted_pages

__all__ = [
    "code_span",
    "collapse",
    "escape",
    "escape_line_starts",
    "fence",
    "iso_date",
    "link",
    "pipe_table",
    "require_media_type",
    "source_pages",
    "wanted_pages",
    "wrap",
]
