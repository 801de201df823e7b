"""Joins two readings' tables of one grid: rows that one lacks, and cells that one leaves empty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence, Set
from difflib import SequenceMatcher

from octavo_contracts import Table

from ..words import words
from .complete_tables import MAX_CELL_WORDS, Row
from .table_words import Bag, words_of_tables

SAME_ROWS = 0.5
"""Two tables have the same grid if they have as many columns, and this share of the shorter one's rows is equal."""


def joined(table: Table, other: Table) -> Table:
    """Return a table with the rows and cells that it lacks and another reading has; itself if there are none.

    A row is added if it has two cells or more, words that the table lacks, and no running text.
    """
    mine, theirs = _keys(table), _keys(other)
    blocks = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
    equal = sum(end - start for kind, start, end, _, _ in blocks if kind == "equal")
    if _width(table) != _width(other) or equal < SAME_ROWS * min(len(mine), len(theirs)):
        return table
    bag = words_of_tables([table])
    known, lacking = bag.keys(), words_of_tables([other]) - bag
    rows: list[tuple[str, ...]] = []
    for kind, start, end, from_, to in blocks:
        if kind == "replace" and end - start == to - from_:
            beside = zip(table.rows[start:end], other.rows[from_:to], strict=True)
            rows += [_filled(row, their_row, lacking) for row, their_row in beside]
            continue
        rows += table.rows[start:end]
        if kind == "insert":
            rows += [other.rows[at] for at in range(from_, to) if _is_further(theirs[at], known)]
    return table.model_copy(update={"rows": tuple(rows)})


def _filled(row: Sequence[str], other: Sequence[str], lacking: Bag) -> tuple[str, ...]:
    """Return a row with the other one's cells where its own are empty, if all cells that both have are the same.

    A cell whose words the table has elsewhere is left empty: one that spans two rows stands in the lower one for another reading.

    Args:
        row: of the table.
        other: the row of the other reading.
        lacking: words that the other reading's table has more often.
    """
    both = [(words(mine), words(theirs)) for mine, theirs in zip(row, other, strict=True)]
    if all(mine == theirs or not mine or not theirs for mine, theirs in both) and any(
        mine and theirs for mine, theirs in both
    ):
        return tuple(
            theirs if not mine.strip() and Counter(words(theirs)) <= lacking else mine
            for mine, theirs in zip(row, other, strict=True)
        )
    return tuple(row)


def _is_further(row: Row, known: Set[Hashable]) -> bool:
    cells = [cell for cell in row if cell]
    return len(cells) > 1 and max(map(len, cells)) <= MAX_CELL_WORDS and not set().union(*cells) <= known


def _keys(table: Table) -> list[Row]:
    return [tuple(tuple(words(cell)) for cell in row) for row in table.rows]


def _width(table: Table) -> int:
    return max(map(len, table.rows), default=0)
