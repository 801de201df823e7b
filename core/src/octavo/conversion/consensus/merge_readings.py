"""Merges the readings of a document into one conversion, page by page, and records which engine gave what."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from operator import ne

from octavo_contracts import Conversion, Page, QualityEvidence, Table
from octavo_text.lost_letters import with_lost_letters
from octavo_text.page_feet import with_foot
from octavo_text.tables.placed_tables import with_scattered_tables, with_tables, without_tables
from octavo_text.tables.table_in_code import is_in_code

from ...builtins.quality.evidence_pairs import pairs
from ..form_fields import FORM_FIELDS
from ..page_repair.merge_pages import Merged, PageRepair, in_place_of, shows_hidden
from .heading_votes import voted
from .page_consensus import LONE_QUALITY, TEXT_READERS, PageConsensus
from .reading_agreement import agreements
from .readings import PageReading, Reading
from .table_groups import TableGroup

CONFIRMED = "the other readings of the page confirm more of its text"
IN_ORDER = "the other readings of the page confirm the order of its text"
WITH_TABLES = "its tables have no place in another reader's text"
"""Why the text of a page is that of another reader."""


def merge_readings(
    first: Conversion, readings: Sequence[Reading], pages: Collection[int], *, shown: Mapping[int, bool]
) -> Merged:
    """Take for each page the text that most readings confirm, the best tables, and the headings that most mark.

    Args:
        first: the whole document by the first reader; its other pages stay.
        readings: of the first reader and of the others, in the order of preference.
        pages: the pages to decide.
        shown: see `shown_tables`.
    """
    made = list(first.pages)
    repairs: list[PageRepair] = []
    for number in sorted(pages):
        page, of_page = _PageMerge(
            first=first.pages[number - 1],
            readings=readings,
            number=number,
            shows_a_table=shown.get(number),
        ).merged()
        made[number - 1] = page
        repairs += of_page
    conversion = first.model_copy(update={"pages": tuple(made)})
    agreed = agreements(conversion, readings, pages, repairs)
    return Merged(conversion=conversion, repairs=tuple(repairs), kept={}, agreements=agreed)


def shown_tables(first: Conversion, evidence: QualityEvidence) -> dict[int, bool]:
    """Return for each inspected page whether the source shows a table there."""
    return {pair.sight.page: pair.shows_a_table for pair in pairs(first, evidence)}


@dataclass(frozen=True, kw_only=True)
class _Made:
    """A page with the text of one reader and the tables of perhaps others.

    Attributes:
        page: the page.
        base: the reader of its text.
        repairs: the parts that were taken from another reader than the first.
        is_whole: whether every table that is wanted found its place.
    """

    page: Page
    base: int
    repairs: tuple[PageRepair, ...]
    is_whole: bool


@dataclass(frozen=True, kw_only=True)
class _PageMerge:
    """Merges one page.

    Attributes:
        first: the page by the first reader.
        readings: of the document.
        number: the page's number.
        shows_a_table: whether the source shows a table there; None for a page that was not inspected.
    """

    first: Page
    readings: Sequence[Reading]
    number: int
    shows_a_table: bool | None

    def merged(self) -> tuple[Page, tuple[PageRepair, ...]]:
        """Return the page, and the parts that were taken from another reader than the first."""
        consensus = consensus_on(self.readings, self.number)
        made = self._best(consensus)
        own, others = consensus.readings[made.base], self._voters(consensus.readings, made.base)
        page, repairs = self._with_letters(made, consensus)
        if own is None or not others or not self.readings[made.base].has_headings:
            return page, repairs
        markdown = voted(own, others, page.markdown)
        changed = sum(map(ne, markdown.split("\n"), page.markdown.split("\n")))
        if not changed:
            return page, repairs
        because = "they differ, and most have it so"
        engines = " and ".join(one.engine for one in self.readings if one.has_headings)
        repair = self._of_several(engines, made.base, because=because, headings=changed)
        return page.model_copy(update={"markdown": markdown}), (*repairs, repair)

    def _with_letters(self, made: _Made, consensus: PageConsensus) -> tuple[Page, tuple[PageRepair, ...]]:
        """Return the page with the letters that its words lack."""
        others = [index for index in consensus.present if index != made.base]
        page, count = with_lost_letters(made.page, consensus.texts(others))
        if not count:
            return page, made.repairs
        because = "at least two other readers agree on them, and on the words around"
        engines = " and ".join(self.readings[index].engine for index in others)
        return page, (*made.repairs, self._of_several(engines, made.base, because=because, words=count))

    def _best(self, consensus: PageConsensus) -> _Made:
        """Take the text that is confirmed most; where a table finds no place in it, that of the table's reader.

        The other readings have to confirm that reader's text nearly as much. A text with its blocks in a better order comes first.
        """
        base = self._base(consensus)
        for other in consensus.in_better_order(base):
            if self._may_show(consensus.readings[other]) and (made := self._made(consensus, other, IN_ORDER)).is_whole:
                return made
        first = self._made(consensus, base)
        if first.is_whole:
            return first
        joining = frozenset[int]().union(*(group.beside for group in consensus.groups))
        for other in dict.fromkeys(group.best for group in consensus.groups):
            if (
                other not in {base, *joining}
                and consensus.is_close(other)
                and self._may_show(consensus.readings[other])
            ):
                made = self._made(consensus, other, WITH_TABLES)
                if made.is_whole:
                    return made
        return first

    def _base(self, consensus: PageConsensus) -> int:
        """Return the reader whose text to take: where columns of running text are its tables, their order is doubtful."""
        base = consensus.base if self._may_show(consensus.readings[consensus.base]) else 0
        if self.shows_a_table or base not in consensus.running:
            return base
        return next((at for at in consensus.close_without_running if self._may_show(consensus.readings[at])), base)

    def _may_show(self, reading: PageReading | None) -> bool:
        """Return whether a page may be taken: it shows nothing that the first reader separated as hidden."""
        return reading is not None and (reading.page is self.first or not shows_hidden(self.first, reading.page))

    def _made(self, consensus: PageConsensus, base: int, because: str = CONFIRMED) -> _Made:
        reading = consensus.readings[base]
        page, repairs, is_whole = self.first, [], True
        if base != 0 and reading is not None:
            rest = (one.page for at, one in enumerate(consensus.readings) if one is not None and at not in (0, base))
            page = with_foot(in_place_of(self.first, reading.page), [self.first, *rest])
            repairs.append(self._repair(base, instead_of=0, because=because, tables=0))
        sound = without_tables(page, self._bogus_tables(consensus, base))
        if sound.tables != page.tables:
            repairs.append(self._undone(base, tables=len(page.tables) - len(sound.tables)))
            page = sound
        for group in consensus.groups:
            best = group.choice(base)
            if (whole := group.whole(best)) is not None and (placed := with_tables(page, [whole])) is not None:
                page = placed
                because = "each lacks rows or cells of the table that the other one has"
                repairs.append(self._repair(best, instead_of=base, because=because, tables=1))
                continue
            if base not in group.beside and not self._is_wanted(group, base):
                continue
            if base not in group.quality and is_in_code(page.markdown, group.tables[best]):
                continue
            place = with_scattered_tables if group.beside else with_tables
            placed = place(page, group.tables[best])
            if placed is None:
                is_whole = False
                continue
            page = placed
            own = f"the text's own {group.quality[base]:.2f}" if base in group.quality else "the text has none there"
            because = f"fit with the readings of the page {group.quality[best]:.2f}, {own}"
            repairs.append(self._repair(best, instead_of=base, because=because, tables=len(group.tables[best])))
        return _Made(page=page, base=base, repairs=tuple(repairs), is_whole=is_whole)

    def _is_wanted(self, group: TableGroup, base: int) -> bool:
        """Return whether another reader's tables are to be put into the base's page."""
        if group.choice(base) == base:
            return False
        if len(group.quality) > 1:
            return True
        may_be = self.shows_a_table if self.shows_a_table is not None else not group.is_prose
        return may_be and group.quality[group.best] >= LONE_QUALITY

    def _bogus_tables(self, consensus: PageConsensus, base: int) -> list[Table]:
        """Return the base's tables, or what is sound of them, that are running text."""
        running = [] if self.shows_a_table else consensus.running.get(base, ())
        groups = (
            group for group in consensus.groups if group.choice(base) == base and self._is_bogus(consensus, group)
        )
        return [*running, *(table for group in groups for table in group.tables[base])]

    def _is_bogus(self, consensus: PageConsensus, group: TableGroup) -> bool:
        """Return whether the base's table is running text: two other readers see none there, nor does the page show one."""
        alone = len(group.quality) == 1 and len(consensus.present) >= TEXT_READERS
        return alone and group.is_prose and not self.shows_a_table

    def _undone(self, base: int, *, tables: int) -> PageRepair:
        engines = " and ".join(one.engine for index, one in enumerate(self.readings) if index != base)
        because = "its cells hold sentences, and no other reading has a table there"
        return self._of_several(engines, base, because=because, tables_undone=tables)

    def _of_several(self, engines: str, base: int, *, because: str, **counts: int) -> PageRepair:
        return PageRepair(
            page=self.number,
            engine=engines,
            engine_version=None,
            instead_of=self.readings[base].engine,
            because=because,
            tells_hidden=True,
            **counts,
        )

    def _voters(self, page: Sequence[PageReading | None], base: int) -> list[PageReading]:
        return [
            one
            for index, (one, reading) in enumerate(zip(page, self.readings, strict=True))
            if one is not None and index != base and reading.has_headings
        ]

    def _repair(self, reader: int, *, instead_of: int, because: str, tables: int) -> PageRepair:
        taken = self.readings[reader]
        return PageRepair(
            page=self.number,
            engine=taken.engine,
            engine_version=taken.engine_version,
            instead_of=self.readings[instead_of].engine,
            because=because,
            tells_hidden=taken.tells_hidden,
            tables=tables,
        )


def consensus_on(readings: Sequence[Reading], number: int) -> PageConsensus:
    """Return the consensus of the readings on a page."""
    return PageConsensus(readings=[one.pages.get(number) for one in readings])


def unsettled(
    readings: Sequence[Reading], pages: Collection[int], *, tables_only: bool, shown: Mapping[int, bool]
) -> list[int]:
    """Return the pages on which the readings do not agree yet, or agree on no table where the source shows one.

    Args:
        readings: so far.
        pages: the pages to look at.
        tables_only: whether texts need no further reading.
        shown: inspected page → whether the source shows a table there.
    """
    found = []
    for number in pages:
        consensus = consensus_on(readings, number)
        lacks = shown.get(number, False) and not consensus.groups
        if lacks or not consensus.has_same_tables or not (tables_only or consensus.has_same_text):
            found.append(number)
    return found


def reading_of(
    conversion: Conversion,
    *,
    engine: str,
    tells_hidden: bool,
    reads_tables: bool = False,
    numbers: Mapping[int, int] | None = None,
) -> Reading:
    """Return a conversion as a reading.

    Args:
        conversion: complete, with a text on every page.
        engine: the plugin that made it.
        tells_hidden: whether the plugin separates hidden text.
        reads_tables: whether the plugin can find tables.
        numbers: place in the conversion → page of the document, if it holds only some of the pages.
    """
    with_added_fields = {warning.page for warning in conversion.warnings if warning.code == FORM_FIELDS}
    places = numbers or {page.number: page.number for page in conversion.pages}
    return Reading(
        engine=engine,
        engine_version=conversion.engine_version,
        tells_hidden=tells_hidden,
        reads_tables=reads_tables,
        pages={
            places[page.number]: PageReading(page, has_added_fields=page.number in with_added_fields)
            for page in conversion.pages
        },
    )
