"""Builds the draft of a repaired conversion: the merged pages, and their provenance (CNV-2, CNV-12)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .page_repair import Merged, pages_text
from .routing import Candidate

if TYPE_CHECKING:
    from .draft import Draft


def repaired_draft(first: Draft, merged: Merged, *, engine: str) -> Draft:
    """Return the draft with the parts of another engine merged; its evidence is unchanged.

    Args:
        first: the conversion that was repaired.
        merged: the merged pages, with at least one repair.
        engine: the plugin that provided the repairs.
    """
    base = first.candidate
    pages = pages_text([one.page for one in merged.repairs])
    what = f"tables of {pages}" if merged.repairs[0].tables else pages
    return replace(
        first,
        candidate=Candidate(plugin=base.plugin, because=f"{base.because}; {what} by {engine}"),
        conversion=merged.conversion,
        repairs=(*first.repairs, *merged.repairs),
    )
