"""The words of tables, and which cells stand beside each other: what two readings of a table are compared by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from itertools import pairwise

from octavo_contracts import Table

from ..words import words

Bag = Counter[Hashable]
CellWords = tuple[tuple[tuple[str, ...], ...], ...]
"""The words of cells, row by row."""


def overlap(one: Bag, other: Bag) -> float:
    """Return the Dice coefficient of two bags, 0..1; 1 if both are empty."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0


def neighbours(tables: Iterable[Table]) -> Bag:
    """Return the pairs of neighbouring filled cells in rows and columns (the adjacency relation of ICDAR 2013)."""
    found: Bag = Counter()
    for table in tables:
        found.update(neighbours_in(words_in_cells(table)))
    return found


def neighbours_in(rows: CellWords) -> Bag:
    """Return the pairs of neighbouring filled cells of one table."""
    width = max(map(len, rows), default=0)
    full = [row + ((),) * (width - len(row)) for row in rows]
    found: Bag = Counter()
    for kind, lines in (("row", full), ("column", zip(*full, strict=True))):
        for line in lines:
            found.update((kind, *pair) for pair in pairwise(cell for cell in line if cell))
    return found


def words_in_cells(table: Table) -> CellWords:
    """Return the words of each cell, row by row."""
    return tuple(tuple(tuple(words(cell)) for cell in row) for row in table.rows)


def words_of_tables(tables: Iterable[Table]) -> Bag:
    """Return the words in the cells of tables."""
    return Counter(word for table in tables for row in words_in_cells(table) for cell in row for word in cell)
