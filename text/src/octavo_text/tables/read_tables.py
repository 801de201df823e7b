"""A table of one reading, with what it is compared by: computed once, however many readings it is compared with.

It is made for the comparison of one page and dropped after it: kept for all pages of a long document, this would take hundreds
of megabytes.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from itertools import pairwise
from typing import Final

from octavo_contracts import Table

from .complete_tables import MAX_CELL_WORDS
from .table_words import Bag, CellWords, neighbours_in, words_in_cells

STACKED: Final = 3
"""Two cells of a row with so many numbers each hold rows that were stacked: only lines between columns were seen."""
LABELS: Final = 0.75
"""Least share of the rows with a label in a table of its own."""
_NUMBER: Final = re.compile(r"[^\w\s]*\d[\d.,'%/\u2013-]*[^\w\s]*")


class ReadTable:
    """A table of a reading.

    Args:
        table: the table; it is not changed.
    """

    def __init__(self, table: Table) -> None:
        self.table = table

    @cached_property
    def rows(self) -> CellWords:
        """The words of its cells, row by row."""
        return words_in_cells(self.table)

    @cached_property
    def words(self) -> Bag:
        """The words."""
        return Counter(word for row in self.rows for cell in row for word in cell)

    @cached_property
    def neighbours(self) -> Bag:
        """The pairs of neighbouring filled cells."""
        return neighbours_in(self.rows)

    @cached_property
    def cell_bags(self) -> list[list[Bag]]:
        """The words of its filled cells, row by row."""
        return [[Counter(cell) for cell in row if cell] for row in self.rows]

    @cached_property
    def word_pairs(self) -> list[tuple[str, str]]:
        """The pairs of words that follow each other in a cell."""
        return [pair for row in self.rows for cell in row for pair in pairwise(cell)]

    @cached_property
    def prose(self) -> Bag:
        """The words in cells of running text."""
        return Counter(word for row in self.rows for cell in row if len(cell) > MAX_CELL_WORDS for word in cell)

    @cached_property
    def filled(self) -> int:
        """Number of its cells that are not blank."""
        return len(self._numbers)

    @cached_property
    def single(self) -> int:
        """Number of its filled cells with at most one number."""
        return sum(count < 2 for count in self._numbers)

    @cached_property
    def is_stacked(self) -> bool:
        """Whether a row holds several rows, the numbers of each column in one cell."""
        return any(sum(_numbers(cell) >= STACKED for cell in row) > 1 for row in self.table.rows)

    @cached_property
    def has_labels(self) -> bool:
        """Whether most cells of the first column have letters."""
        rows = self.table.rows
        return sum(any(map(str.isalpha, row[0])) for row in rows) >= LABELS * len(rows)

    @cached_property
    def _numbers(self) -> list[int]:
        """How many numbers each filled cell has."""
        return [_numbers(cell) for row in self.table.rows for cell in row if cell.strip()]


def _numbers(cell: str) -> int:
    """Return how many words of a cell are numbers."""
    return sum(_NUMBER.fullmatch(word) is not None for word in cell.split())
