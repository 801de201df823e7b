"""How far the readings of a page agree with the page that is taken: evidence for the score (QLT-3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from octavo_contracts import Conversion, PageAgreement, ReaderAgreement

from ..page_repair.merge_pages import REPAIRED, PageRepair
from .readings import Bag, PageReading, Reading, neighbours, overlap
from .sound_tables import sound_tables

PLACES = 3
"""Digits of an agreement: it is evidence, not a measurement."""


def agreements(
    conversion: Conversion, readings: Sequence[Reading], pages: Collection[int], repairs: Sequence[PageRepair]
) -> tuple[PageAgreement, ...]:
    """Compare pages with their other readings. The reading that a page's text came from is no witness for it.

    Args:
        conversion: the merged pages.
        readings: of the document, the first reader's first.
        pages: the pages that other readers read.
        repairs: what came from other readers than the first.
    """
    origins = {one.page: one.engine for one in repairs if one.kind == REPAIRED}
    found = []
    for number in sorted(pages):
        origin = origins.get(number, readings[0].engine)
        others = {one.engine: one.pages[number] for one in readings if one.engine != origin and number in one.pages}
        if others:
            page = PageReading(conversion.pages[number - 1])
            found.append(agreement_on(page, others, number=number, plugin=origin))
    return tuple(found)


def agreement_on(page: PageReading, others: Mapping[str, PageReading], *, number: int, plugin: str) -> PageAgreement:
    """Compare a page with other readings.

    Args:
        page: the page that is taken.
        others: plugin → its reading, at least one.
        number: the page's number.
        plugin: the plugin that the page's text came from.
    """
    cells, headings = _cells(page), _headings(page)
    return PageAgreement(
        page=number,
        plugin=plugin,
        others=tuple(
            ReaderAgreement(
                plugin=name,
                words=round(overlap(page.word_pairs, other.word_pairs), PLACES),
                tables=_agreement(cells, _cells(other)),
                headings=_agreement(headings, _headings(other)),
            )
            for name, other in others.items()
        ),
    )


def _agreement(one: Bag, other: Bag) -> float | None:
    return round(overlap(one, other), PLACES) if one or other else None


def _cells(page: PageReading) -> Bag:
    return neighbours(sound_tables(page.page.tables))


def _headings(page: PageReading) -> Bag:
    return Counter(heading.letters for heading in page.headings)
