"""Splits a sheet into its tables, and the titles and notes between them.

A sheet has no tables of its own: people leave rows or columns empty between them. Empty rows inside one table are as common,
so a part of a sheet is a table of its own only if it begins with a header.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from .cells import Rows, Value

_YEARS = range(1900, 2101)
_MOST_LINES = 3
"""Rows of a single column up to which a part of a sheet is prose, not a list."""
_LINE = 30
"""Characters a row from which a longer column is prose too: footnotes."""
_GAP = 2
"""Empty rows that part tables of words alone, whose headers cannot be told from their rows; empty columns that part any."""


@dataclass(frozen=True, kw_only=True)
class Region:
    """A rectangle of a sheet; rows and columns count from 0, the ends are not included.

    Attributes:
        is_table: whether it is a table; else each row is a title or a note.
    """

    top: int
    left: int
    bottom: int
    right: int
    is_table: bool


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """The cells of a sheet, all rows of one length.

    Attributes:
        texts: the cells as text, empty where nothing is shown.
        values: the cells' values.
        wide: places of cells that are merged with others of their row.
    """

    texts: Rows
    values: Sequence[Sequence[Value]]
    wide: frozenset[tuple[int, int]] = frozenset()

    def regions(self) -> list[Region]:
        """Return the parts of the sheet, from the top, those side by side from the left."""
        found = []
        for top, bottom, is_table in self._groups():
            box = self._shrunk(top, bottom, 0, len(self.texts[0]))
            found += self._side_by_side(box) if is_table else [self._region(box, is_table=False)]
        return found

    def _groups(self) -> list[tuple[int, int, bool]]:
        """Top, bottom and kind of the parts that rows without text separate."""
        groups: list[tuple[int, int, bool]] = []
        waiting: list[tuple[int, int]] = []
        open_table = False
        for top, bottom in self._bands():
            box = self._shrunk(top, bottom, 0, len(self.texts[0]))
            if self._is_prose(box):
                waiting.append((top, bottom))
                continue
            if open_table and not self._is_apart(box, groups[-1][:2]):
                groups[-1] = (groups[-1][0], bottom, True)
            else:
                groups += [(*one, False) for one in waiting]
                groups.append((top, bottom, True))
                open_table = True
            waiting = []
        groups += [(*one, False) for one in waiting]
        if not open_table:  # a sheet of words in one column is one list
            return [(0, len(self.texts), True)]
        return groups

    def _bands(self) -> list[tuple[int, int]]:
        """Runs of rows that hold text."""
        bands = []
        start: int | None = None
        for index, row in enumerate(self.texts):
            if any(row):
                start = index if start is None else start
            elif start is not None:
                bands.append((start, index))
                start = None
        return bands if start is None else [*bands, (start, len(self.texts))]

    def _shrunk(self, top: int, bottom: int, left: int, right: int) -> tuple[int, int, int, int]:
        """Top, bottom, left and right of the filled part of a rectangle that is not empty."""
        rows = [index for index in range(top, bottom) if any(self.texts[index][left:right])]
        columns = [
            column for column in range(left, right) if any(self.texts[index][column] for index in range(top, bottom))
        ]
        return rows[0], rows[-1] + 1, columns[0], columns[-1] + 1

    def _is_prose(self, box: tuple[int, int, int, int]) -> bool:
        top, bottom, left, right = box
        rows = range(top, bottom)
        cells = [(row, column) for row in rows for column in self._filled(row, left, right)]
        if len(cells) != len(rows) or not all(self._is_word(row, column) for row, column in cells):
            return False
        return (
            len(rows) <= _MOST_LINES or sum(len(self.texts[row][column]) for row, column in cells) > len(cells) * _LINE
        )

    def _is_apart(self, box: tuple[int, int, int, int], group: tuple[int, int]) -> bool:
        """Whether a part is a table of its own, not more rows of the table before it."""
        top, bottom, left, right = box
        if self._has_header(box):
            return True
        above = self._shrunk(*group, 0, len(self.texts[0]))
        if right <= above[2] or left >= above[3]:
            return True
        has_words_alone = all(
            self._is_word(row, column) for row in range(top, bottom) for column in self._filled(row, left, right)
        )
        return has_words_alone and bottom - top > 1 and (top - group[1] >= _GAP or (left, right) != above[2:])

    def _has_header(self, box: tuple[int, int, int, int]) -> bool:
        """Whether the first row of several cells holds names of columns, and a row below it numbers."""
        top, bottom, left, right = box
        for row in range(top, bottom):
            filled = self._filled(row, left, right)
            if len(filled) < 2:
                continue
            return self._is_header(row, filled) and any(
                not self._is_word(below, column)
                for below in range(row + 1, bottom)
                for column in self._filled(below, left, right)
            )
        return False

    def _is_header(self, row: int, columns: list[int]) -> bool:
        return all(self._is_word(row, column) or _is_period(self.values[row][column]) for column in columns)

    def _side_by_side(self, box: tuple[int, int, int, int]) -> list[Region]:
        """Part tables that stand side by side, each with a header of its own.

        A single empty column is as often a margin between the columns of one table. It parts two tables if the right one has
        words in its first column, as names of its rows, or if they do not begin in the same row.
        """
        top, bottom, left, right = box
        empty = [
            column
            for column in range(left, right)
            if not any(self.texts[index][column] for index in range(top, bottom))
        ]
        cuts: list[int] = []
        for column in empty:
            if column + 1 in empty:
                continue
            one = self._shrunk(top, bottom, cuts[-1] if cuts else left, column)
            other = self._shrunk(top, bottom, column + 1, right)
            if self._are_apart(one, other):
                cuts.append(column + 1)
        edges = [left, *cuts, right]
        parts = [self._shrunk(top, bottom, *edge) for edge in pairwise(edges)]
        return [region for part in parts for region in self._with_titles(part)]

    def _are_apart(self, one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> bool:
        if any(
            right - left < 2 or not self._has_header((top, bottom, left, right))
            for top, bottom, left, right in (one, other)
        ):
            return False
        top, bottom, left, _ = other
        names_rows = all(self._is_word(row, left) for row in range(top, bottom) if self.texts[row][left])
        is_whole = all(any(self.texts[row][column] for row in range(top, bottom)) for column in (left, left + 1))
        return other[2] - one[3] >= _GAP or one[0] != top or (names_rows and is_whole)

    def _with_titles(self, box: tuple[int, int, int, int]) -> list[Region]:
        """The titles above a table, and the table: rows of one cell at its left edge, above a row of names."""
        top, bottom, left, right = box
        row = top
        is_merged = False
        while row < bottom and self._filled(row, left, right) == [left] and self._is_word(row, left):
            is_merged = is_merged or (row, left) in self.wide
            row += 1
        filled = self._filled(row, left, right) if row < bottom else []
        if row == top or len(filled) < 2 or not (is_merged or self._is_header(row, filled)):
            return [self._region(box, is_table=True)]
        table = (row, bottom, left, right)
        return [self._region((top, row, left, right), is_table=False), self._region(table, is_table=True)]

    def _region(self, box: tuple[int, int, int, int], *, is_table: bool) -> Region:
        top, bottom, left, right = box
        return Region(top=top, left=left, bottom=bottom, right=right, is_table=is_table)

    def _filled(self, row: int, left: int, right: int) -> list[int]:
        texts = self.texts[row]
        return [column for column in range(left, right) if texts[column]]

    def _is_word(self, row: int, column: int) -> bool:
        return isinstance(self.values[row][column], str)


def _is_period(value: Value) -> bool:
    """Whether a value is a year or a day, which columns are named by."""
    if isinstance(value, bool | str):
        return False
    return isinstance(value, date) or (isinstance(value, int | float) and value in _YEARS)
