"""Tables of two readings that differ in little: one has the cells of the other, and more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from octavo_contracts import Table

from .divided_tables import undivided
from .table_words import neighbours, words_in_cells, words_of_tables

MAX_CELL_WORDS = 8
"""A cell with more words is running text."""
SAME_GRID = 0.9
"""Readings whose neighbouring cells overlap this much have the same table."""

SAME_ROW = 0.75
"""Rows that share this much of the words of the first are the same row, read in two ways: a word may be cut otherwise."""

Row = tuple[tuple[str, ...], ...]
"""The words of the filled cells of a row."""


def completes(tables: Sequence[Table], others: Sequence[Table]) -> bool:
    """Return whether tables have further rows beside the cells of others, or the same words in more cells of the same grid.

    So do tables that have the same rows undivided.

    A further row has at least two cells, words that the others lack, no row there that resembles it, and no running text: a
    line of one cell may be a heading or a note that stands beside the table.
    """
    mine, theirs = _rows(tables), _rows(others)
    if mine == theirs and undivided(others) <= len(tables) < len(others):
        return True
    known = words_of_tables(others)
    if list(map(_shape, tables)) == list(map(_shape, others)):
        return words_of_tables(tables) == known and sum(map(len, mine)) > sum(map(len, theirs))
    grid = neighbours(others)
    if (grid & neighbours(tables)).total() < SAME_GRID * grid.total():
        return False
    further = [row for row in mine if row not in theirs and len(row) > 1]
    return any(
        max(map(len, row)) <= MAX_CELL_WORDS
        and not set().union(*row) <= known.keys()
        and not any(_resemble(row, other) for other in theirs)
        for row in further
    )


def _resemble(row: Row, other: Row) -> bool:
    mine = Counter(word for cell in row for word in cell)
    theirs = Counter(word for cell in other for word in cell)
    return (mine & theirs).total() >= SAME_ROW * mine.total()


def _rows(tables: Sequence[Table]) -> list[Row]:
    return [tuple(cell for cell in row if cell) for table in tables for row in words_in_cells(table)]


def _shape(table: Table) -> tuple[int, int]:
    return len(table.rows), max(map(len, table.rows), default=0)
