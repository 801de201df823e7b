"""Page-level repair: another engine converts only the pages that are suspect according to the evidence (CNV-2).

    doubts = suspect_pages(first, evidence, assessment)     which pages, and why
    merged = merge(first, second, doubts, …)                the better version of each of these pages

A page is replaced only by a better one, and never by one that shows text which the first engine separated as
hidden.
"""

from __future__ import annotations

from .merge_pages import Merged, PageRepair, check_part, findings, has_origins, merge, origins
from .page_suspects import PageSuspect, suspect_pages

__all__ = [
    "Merged",
    "PageRepair",
    "PageSuspect",
    "check_part",
    "findings",
    "has_origins",
    "merge",
    "origins",
    "suspect_pages",
]
