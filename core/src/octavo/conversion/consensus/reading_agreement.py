"""How far the readings of a page agree with the page that is taken: evidence for the score (QLT-3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence, Set

from octavo_contracts import Conversion, PageAgreement, ReaderAgreement
from octavo_text.tables.table_in_code import is_in_code
from octavo_text.tables.table_words import Bag, neighbours, overlap

from ..page_repair.merge_pages import REPAIRED, PageRepair
from .readings import PageReading, Reading, running_key

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
        repairs: the parts that were taken from another reader than the first.
    """
    origins = {one.page: one.engine for one in repairs if one.kind == REPAIRED}
    found = []
    for number in sorted(pages):
        origin = origins.get(number, readings[0].engine)
        others = [one for one in readings if one.engine != origin and number in one.pages]
        if others:
            page = PageReading(conversion.pages[number - 1])
            compared = tuple(_compared(page, other, number) for other in others)
            found.append(PageAgreement(page=number, plugin=origin, others=compared))
    return tuple(found)


def _compared(page: PageReading, reading: Reading, number: int) -> ReaderAgreement:
    """Compare a page with another reading, about tables and headings only if that reader finds any in the document."""
    other, running = reading.pages[number], reading.running_headings
    return ReaderAgreement(
        plugin=reading.engine,
        words=round(overlap(page.word_pairs, other.word_pairs), PLACES),
        tables=_agreement(page.sound_neighbours, _tables_beside(page, other)) if reading.has_tables else None,
        headings=_agreement(_headings(page, running), _headings(other, running)) if reading.has_headings else None,
        reads_tables=reading.reads_tables,
    )


def _agreement(one: Bag, other: Bag) -> float | None:
    return round(overlap(one, other), PLACES) if one or other else None


def _tables_beside(page: PageReading, other: PageReading) -> Bag:
    """Return the neighbouring cells of another reading's tables, without the tables whose words are code on the page."""
    return neighbours(table for table in other.sound_tables if not is_in_code(page.page.markdown, [table]))


def _headings(page: PageReading, running: Set[str]) -> Bag:
    """Count the headings of a page, without the running heads of another reading: engines set them in different ways."""
    return Counter(heading.letters for heading in page.headings if running_key(heading) not in running)
