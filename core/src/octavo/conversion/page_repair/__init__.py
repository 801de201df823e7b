"""Page-level repair: only the pages that the evidence doubts are converted again, by another engine (CNV-2).

    doubts = suspect_pages(first, evidence, assessment)     which pages, and why
    merged = merge(first, second, doubts, …)                the better page of the two in each of these places
    lost = lost_tables(first, evidence)                     which pages lost their tables
    merged = put_back(first, second, lost, …)               another engine's tables in the first one's text

A page is only ever replaced by a better one, and never by one that shows what the first engine kept apart as hidden. A table comes
without its page: the text stays as it was.
"""

from __future__ import annotations

from ...settings.repair import DEFAULT_REPAIR, RepairSettings
from .merge_pages import Merged, PageRepair, check_part, findings, has_origins, merge, origins, pages_text
from .page_suspects import PageSuspect, suspect_pages
from .tables import lost_tables, put_back, unseen_pages

__all__ = [
    "DEFAULT_REPAIR",
    "Merged",
    "PageRepair",
    "PageSuspect",
    "RepairSettings",
    "check_part",
    "findings",
    "has_origins",
    "lost_tables",
    "merge",
    "origins",
    "pages_text",
    "put_back",
    "suspect_pages",
    "unseen_pages",
]
