"""Builds the draft of a repaired conversion: the merged pages, and their provenance (CNV-2, CNV-12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from octavo_text.page_spans import pages_text

from .page_repair import Merged, PageRepair
from .page_repair.merge_pages import HEADINGS_VOTED, LETTERS_PUT_BACK, REPAIRED, TABLES_PUT_BACK, TABLES_UNDONE
from .routing import Candidate

if TYPE_CHECKING:
    from .states import Draft

_WHAT = {
    REPAIRED: "{} by ",
    TABLES_PUT_BACK: "tables of {} by ",
    TABLES_UNDONE: "tables of {} undone by ",
    HEADINGS_VOTED: "headings of {} by ",
    LETTERS_PUT_BACK: "letters of {} by ",
}


def repaired_draft(first: Draft, merged: Merged) -> Draft:
    """Return the draft with the parts of other engines merged, and the agreement of readings in its evidence.

    Args:
        first: the conversion that was repaired.
        merged: the merged pages, with at least one repair.
    """
    base = first.candidate
    return replace(
        with_agreements(first, merged),
        candidate=Candidate(plugin=base.plugin, because="; ".join((base.because, *_origins(merged.repairs)))),
        conversion=merged.conversion,
        repairs=(*first.repairs, *merged.repairs),
    )


def with_agreements(first: Draft, merged: Merged) -> Draft:
    """Return the draft with the agreement of readings in its evidence; its pages are unchanged."""
    if not merged.agreements:
        return first
    return replace(first, evidence=first.evidence.model_copy(update={"agreements": merged.agreements}))


def _origins(repairs: Sequence[PageRepair]) -> list[str]:
    """Say which engine gave what, for example "tables of pages 2, 3 by xberg"."""
    pages: dict[str, list[int]] = {}
    for one in repairs:
        pages.setdefault(_WHAT[one.kind] + one.engine, []).append(one.page)
    return [what.format(pages_text(sorted(set(numbers)))) for what, numbers in pages.items()]
