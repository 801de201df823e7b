"""Page-level repair: only the pages that the evidence doubts are converted again, by another engine (CNV-2).

    doubts = doubted_pages(first, evidence, assessment)     which pages, and why
    merged = merge(first, second, doubts, …)                the better page of the two in each of these places

A page is only ever replaced by a better one, and never by one that shows what the first engine kept apart as hidden.
"""

from __future__ import annotations

from .doubts import DEFAULT_REPAIR, Doubt, RepairSettings, doubted_pages
from .merging import Merged, PageRepair, check_part, findings, merge, origins

__all__ = [
    "DEFAULT_REPAIR",
    "Doubt",
    "Merged",
    "PageRepair",
    "RepairSettings",
    "check_part",
    "doubted_pages",
    "findings",
    "merge",
    "origins",
]
