"""Tables of several readings that show the same part of a page, and which reading's are best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from octavo_contracts import Table
from octavo_text.deadline import checkpoint
from octavo_text.tables.beside_tables import are_beside
from octavo_text.tables.complete_tables import MAX_CELL_WORDS, SAME_GRID, completes
from octavo_text.tables.divided_tables import undivided
from octavo_text.tables.joined_tables import joined
from octavo_text.tables.placed_tables import SAME_PLACE
from octavo_text.tables.read_tables import ReadTable
from octavo_text.tables.stacked_rows import has_stacked_rows, number_lines, number_rows
from octavo_text.tables.table_words import Bag, overlap
from octavo_text.words import words

from .readings import PageReading

OWN_MARGIN = 0.02
"""Tables of another reading are taken if their quality exceeds that of the page's own tables by this much."""


@dataclass(frozen=True, kw_only=True)
class TableGroup:
    """The tables of one part of a page.

    Attributes:
        tables: index of a reading → its tables there, in order, without empty columns and title rows.
        quality: index of a reading → quality of its tables, 0..1; the best first, and of equals the one that divides no table, then the earlier.
        is_agreed: whether another reading has the best reading's cells.
        stacked: the readings with several rows of the page in one row, where another reading has them apart.
        beside: the readings whose page has rows of two of these tables in one row; their tables here are apart.
    """

    tables: Mapping[int, Sequence[Table]]
    quality: Mapping[int, float]
    is_agreed: bool
    stacked: frozenset[int] = frozenset()
    beside: frozenset[int] = frozenset()

    @property
    def is_prose(self) -> bool:
        """Whether most words of the best tables stand in cells of running text: lists and columns look like tables."""
        cells = [words(cell) for table in self.tables[self.best] for row in table.rows for cell in row]
        in_prose = sum(len(cell) for cell in cells if len(cell) > MAX_CELL_WORDS)
        return 2 * in_prose > sum(map(len, cells))

    @property
    def best(self) -> int:
        """The reading with the best tables."""
        return next(iter(self.quality))

    @property
    def sound(self) -> int:
        """The reading with the best tables among those whose page has the rows and all tables apart, if there is one."""
        count = len(self.tables[self.best])
        apart = (index for index in self.quality if index not in self.stacked | self.beside)
        return next((index for index in apart if len(self.tables[index]) >= count), self.best)

    def choice(self, base: int) -> int:
        """Return the reading whose tables to take in a page by `base`: its own, if they are nearly the best.

        They fit its text, and qualities that differ so little say nothing, unless the best have the same cells and more, or
        apart what stands side by side.
        """
        nearly = (
            base in self.quality
            and base not in self.beside
            and self.quality[base] > self.quality[self.best] - OWN_MARGIN
        )
        return base if nearly and not completes(self.tables[self.best], self.tables[base]) else self.best

    def whole(self, reading: int) -> Table | None:
        """Return the table of a reading with the rows and cells that only other readings have; None if it lacks none."""
        found: Table | None = None
        for other in self.quality:
            if other != reading and len(self.tables[reading]) == len(self.tables[other]) == 1:
                now = found or self.tables[reading][0]
                more = joined(now, self.tables[other][0])
                found = more if more.rows != now.rows else found
        return found


@dataclass(frozen=True, kw_only=True)
class _Item:
    """A table of a reading, or one of the two that the reading has as one.

    Attributes:
        reading: index of the reading.
        place: of the reading's table among those of the page.
        table: what is sound of it.
    """

    reading: int
    place: int
    table: ReadTable


def table_groups(readings: Sequence[PageReading | None]) -> list[TableGroup]:
    """Group the tables of a page's readings by place, and judge each reading's share.

    Args:
        readings: of the page, in order of preference; None where a reader did not read the page.
    """
    items = [
        _Item(reading=index, place=place, table=ReadTable(table))
        for index, reading in enumerate(readings)
        if reading is not None
        for place, parts in enumerate(reading.sound_parts)
        for table in parts
    ]
    return [_judged(group, readings) for group in _grouped(items)]


def _grouped(items: Sequence[_Item]) -> list[list[_Item]]:
    owner = list(range(len(items)))

    def root(place: int) -> int:
        while owner[place] != place:
            place = owner[place]
        return place

    for place, item in enumerate(items):
        for earlier, other in enumerate(items[:place]):
            if item.reading == other.reading:
                is_same = item.place == other.place
            else:
                mine, theirs = item.table.words, other.table.words
                fewer = min(mine.total(), theirs.total())
                is_same = fewer > 0 and (mine & theirs).total() >= SAME_PLACE * fewer
            if is_same:
                owner[root(place)] = root(earlier)
    groups: dict[int, list[_Item]] = {}
    for place, item in enumerate(items):
        groups.setdefault(root(place), []).append(item)
    return list(groups.values())


def _judged(items: Sequence[_Item], readings: Sequence[PageReading | None]) -> TableGroup:
    checkpoint()
    indices = sorted({item.reading for item in items})
    tables = {index: [item.table for item in items if item.reading == index] for index in indices}
    bags: dict[int, Bag] = {index: sum((one.words for one in own), Counter()) for index, own in tables.items()}
    all_words: Bag = Counter()
    for bag in bags.values():
        all_words |= bag
    cells: dict[int, Bag] = {index: sum((one.neighbours for one in own), Counter()) for index, own in tables.items()}
    joining = _with_joined_rows(tables, readings)
    stacked = {index for index, own in tables.items() if any(one.is_stacked for one in own)}
    agreement = {
        index: max((overlap(mine, other) for place, other in cells.items() if place != index), default=0.0)
        for index, mine in cells.items()
    }
    confirmed = {index: 0.0 if index in stacked | joining else share for index, share in agreement.items()}
    voted = _voted_words(list(bags.values()))
    plain = {index: [one.table for one in own] for index, own in tables.items()}
    laid_out = {index for index, own in plain.items() if all(table.columns_seen is not None for table in own)}
    counts = {index: undivided(own) for index, own in plain.items()}
    usual = (median if len(tables) > 2 else min)(counts.values())
    quality = {
        index: _quality(
            own, bags[index], all_words, [one for at, one in enumerate(readings) if one is not None and at != index]
        )
        + confirmed[index] / PARTS
        - max(_surplus(bags[index], voted), _prose_alone(own, bags, index)) / PARTS
        - max(0.0, 1 - counts[index] / usual) / PARTS
        - (GUESSED / PARTS if laid_out and index not in laid_out else 0.0)
        - (index in joining) / PARTS
        for index, own in tables.items()
    }
    divisions = {index: len(own) - counts[index] for index, own in tables.items()}
    ranked = dict(sorted(quality.items(), key=lambda item: (-round(item[1], 4), divisions[item[0]], item[0])))
    best = next(iter(ranked))
    return TableGroup(
        tables=plain,
        quality=ranked,
        is_agreed=confirmed[best] >= SAME_GRID and not _is_wider(bags, best),
        stacked=frozenset(stacked) if best not in stacked else frozenset(),
        beside=frozenset(index for index in indices if are_beside(_whole_tables(items, readings, index), tables[best])),
    )


def _with_joined_rows(tables: Mapping[int, Sequence[ReadTable]], readings: Sequence[PageReading | None]) -> set[int]:
    """Return the readings with rows that are several ones in another reading's table; of a lone table, in another one's text."""
    apart = {index: number_rows(row for one in own for row in one.table.rows) for index, own in tables.items()}
    if len(tables) == 1:
        of_others = (one for at, one in enumerate(readings) if one is not None and at not in tables)
        apart |= {-1 - at: number_lines(one.page.text or "") for at, one in enumerate(of_others)}
    return {
        index
        for index, own in tables.items()
        if any(has_stacked_rows(one.table, rows) for one in own for at, rows in apart.items() if at != index)
    }


def _whole_tables(items: Sequence[_Item], readings: Sequence[PageReading | None], index: int) -> list[ReadTable]:
    """Return the tables of a group as they stand in a reading's page."""
    reading = readings[index]
    places = sorted({item.place for item in items if item.reading == index})
    return [] if reading is None else [ReadTable(reading.page.tables[place]) for place in places]


def _is_wider(bags: Mapping[int, Bag], best: int) -> bool:
    """Return whether another reading has many more words in its tables: a second table may stand beside the agreed one."""
    return any(bag.total() > WIDER * bags[best].total() for bag in bags.values())


def _voted_words(bags: Sequence[Bag]) -> Bag:
    """Return the words as often as half of the readings have them in their tables: one table may span a whole page."""
    found: Bag = Counter()
    for bag in bags:
        found.update(bag.keys())
    usual = median if len(bags) > 2 else max
    return Counter({word: int(usual(bag[word] for bag in bags)) for word in found})


def _surplus(bag: Bag, voted: Bag) -> float:
    """Return the share of a reading's words in tables that most readings have outside of theirs."""
    return (bag - voted).total() / max(1, bag.total())


def _prose_alone(tables: Sequence[ReadTable], bags: Mapping[int, Bag], index: int) -> float:
    """Return the share of a reading's words in cells of running text that stand in no table of the other readings, if they have any."""
    others = max((bag for place, bag in bags.items() if place != index), key=Counter.total, default=bags[index])
    prose: Bag = sum((one.prose for one in tables), Counter())
    return (prose - others).total() / max(1, bags[index].total())


GUESSED = 0.5
"""Deducted, of a part, from guessed columns where another reading has those of the page's layout: lines between cells."""
PARTS = 5.5
"""Number of parts; filled cells count by half. A part each may be deducted for words outside of others' tables, division and stacked rows."""


def _quality(tables: Sequence[ReadTable], own: Bag, all_words: Bag, others: Sequence[PageReading]) -> float:
    """Return how well the cells of tables stand for what is on the page, 0..1, without the agreement of their grid.

    The parts: cells that are filled; words of a cell that follow each other in another reading's text; words that stand
    no oftener in the tables than on the page; words of all readings' tables that these hold; cells with one number.

    Args:
        tables: of one reading.
        own: their words.
        all_words: of the tables of all readings.
        others: the other readings of the page.
    """
    filled = sum(one.filled for one in tables)
    if not filled:
        return 0.0
    pairs = [pair for one in tables for pair in one.word_pairs]
    supported = sum(any(pair in other.word_pairs for other in others) for pair in pairs)
    on_page: Bag = Counter()
    for other in others:
        on_page |= other.words
    parts = (
        0.5 * filled / sum(len(row) for one in tables for row in one.table.rows),
        supported / len(pairs) if pairs else 1.0,
        1 - (own - on_page).total() / max(1, own.total()),
        (own & all_words).total() / max(1, all_words.total()),
        sum(one.single for one in tables) / filled,
    )
    return sum(parts) / PARTS


WIDER = 1.3
"""A reading with so many times the words of the best tables in its own disputes how far they reach."""
