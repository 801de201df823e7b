"""The draft that a repair makes of another one: the merged pages, and who they are by (CNV-2, CNV-12)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .page_repair import Merged, pages_text
from .routing import Candidate

if TYPE_CHECKING:
    from .draft import Draft


def repaired_draft(first: Draft, merged: Merged, *, engine: str) -> Draft:
    """The draft with what came from another engine; the evidence that it is judged by stays.

    Args:
        first: the conversion that was repaired.
        merged: its pages with what came from the other engine, of which there is something.
        engine: the plugin that it came from.
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
