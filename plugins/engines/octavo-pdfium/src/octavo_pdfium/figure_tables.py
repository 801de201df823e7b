"""Finds tables of figures on a page by the places of its words: no ruling lines are needed.

A row of such a table has a label and figures, or figures alone. The figures of a column stand under each other, whether they
are aligned to the right, to the left or in the middle.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .page_words import Row, Word, rows_of
from .table_columns import Column, columns_of, nearest, spanned
from .table_items import Item, items_of

_LEADERS = re.compile(r"(?:\.\s?){4,}|…{2,}")
MIN_ROWS = 3
"""Fewest rows of a table."""
MIN_FULL_ROWS = 2
"""Fewest rows with two figures or more."""
MAX_LABEL = 14
"""Most words of a label; longer ones are sentences."""
MAX_HEADING = 9
"""Most words in a cell of a heading."""
MAX_TEXT_ROWS = 4
"""Most rows without figures between two rows with figures."""
MAX_HEADING_ROWS = 7
"""Most rows of a heading."""
FAR = 3.0
"""A gap of this many heights of a line ends a table."""
TIGHT = 0.3
"""A smaller gap, in heights of a line, is that between two lines of one cell."""
MIN_FILLED = 0.45
"""Least share of the cells under figures that are filled."""


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table on a page.

    Attributes:
        rows: its cells, from the top and from the left.
        lines: the lines of the page's text that it holds, each of them whole.
        left: in points from the page's corner, as are the others.
        top: of its first row.
        right: of its longest row.
        bottom: of its last row.
    """

    rows: tuple[tuple[str, ...], ...]
    lines: frozenset[int]
    left: float
    top: float
    right: float
    bottom: float


@dataclass(slots=True)
class _Line:
    """A printed row of the page with the items in it."""

    row: Row
    items: list[Item]

    @property
    def figures(self) -> int:
        return sum(one.is_figure for one in self.items)

    @property
    def words(self) -> int:
        return sum(len(one.words) for one in self.items if not one.is_figure)

    @property
    def height(self) -> float:
        return self.row.bottom - self.row.top

    @property
    def has_values(self) -> bool:
        """Whether it may be a row of figures: it has some, behind a label that is no sentence."""
        return bool(self.figures) and self.words <= MAX_LABEL and not self._has_leaders

    @property
    def is_short(self) -> bool:
        """Whether it may be a label or a heading between rows of figures."""
        return all(len(one.words) <= MAX_LABEL for one in self.items) and not self._has_leaders

    @property
    def _has_leaders(self) -> bool:
        return any(_LEADERS.search(one.text) for one in self.items)


def tables_on(words: Sequence[Word]) -> list[FoundTable]:
    """Return the tables of figures among the words of a page, from the top."""
    lines = [_Line(row, items_of(row)) for row in rows_of(words)]
    found: list[FoundTable] = []
    begin = 0
    for start, end in _regions(lines):
        table = _table(lines, start, end, above=begin)
        if table is not None:
            found.append(table)
            begin = end
    return _with_whole_lines(found, words)


def _regions(lines: Sequence[_Line]) -> list[tuple[int, int]]:
    """Return the runs of rows with figures, first and past the last, with the short rows between them."""
    found: list[tuple[int, int]] = []
    start = last = -1
    for place, line in enumerate(lines):
        if last >= 0:
            gap = line.row.top - lines[place - 1].row.bottom
            ends = gap > FAR * line.height or place - last > MAX_TEXT_ROWS or not (line.has_values or line.is_short)
            if ends:
                found.append((start, last + 1))
                start = last = -1
        if line.has_values:
            start = place if start < 0 else start
            last = place
    if last >= 0:
        found.append((start, last + 1))
    return found


def _table(lines: Sequence[_Line], start: int, end: int, *, above: int) -> FoundTable | None:
    inside = lines[start:end]
    valued = [line for line in inside if line.has_values]
    if sum(line.figures >= 2 for line in valued) < MIN_FULL_ROWS:
        return None
    columns = columns_of([line.items for line in valued])
    figured = [column for column in columns if column.has_figures]
    if len(figured) < 2:
        return None
    start = _heading_start(lines, start, figured, above=above)
    grid = [_cells(line, columns) for line in lines[start:end]]
    if len(grid) < MIN_ROWS or not _is_filled(grid, lines[start:end], columns):
        return None
    taken = lines[start:end]
    rows = _merged(grid, taken, heads=_heads(taken))
    words = [word for line in taken for word in line.row.words]
    return FoundTable(
        rows=tuple(map(tuple, rows)),
        lines=frozenset(word.line for word in words),
        left=min(word.left for word in words),
        top=min(word.top for word in words),
        right=max(word.right for word in words),
        bottom=max(word.bottom for word in words),
    )


def _heading_start(lines: Sequence[_Line], start: int, figured: Sequence[Column], *, above: int) -> int:
    """Return the first row of the heading that stands over a table's first row."""
    first = start
    while first > above and start - first < MAX_HEADING_ROWS:
        line, below = lines[first - 1], lines[first]
        gap = below.row.top - line.row.bottom
        if gap > 1.5 * line.height or not _is_heading(line, figured):
            break
        first -= 1
    return first


def _is_heading(line: _Line, figured: Sequence[Column]) -> bool:
    """Return whether a row has cells over the columns of figures, and none that runs from the labels into them."""
    left = figured[0].left
    over = [one for one in line.items if one.right > left]
    if not over or any(len(one.words) > MAX_HEADING for one in line.items):
        return False
    return not any(one.left < left - 2 * line.height and one.right > figured[0].right for one in over)


def _heads(lines: Sequence[_Line]) -> int:
    """Return the number of rows before the first one that has a label and figures."""
    for place, line in enumerate(lines):
        if line.has_values and line.items and not line.items[0].is_figure:
            return place
    return 1


def _cells(line: _Line, columns: Sequence[Column]) -> list[str]:
    cells = [""] * len(columns)
    for item in line.items:
        for part in spanned(item, columns):
            at = nearest(part, columns)
            cells[at] = f"{cells[at]} {part.text}".strip()
    return cells


def _is_filled(grid: Sequence[Sequence[str]], lines: Sequence[_Line], columns: Sequence[Column]) -> bool:
    figured = [place for place, column in enumerate(columns) if column.has_figures]
    rows = [cells for cells, line in zip(grid, lines, strict=True) if line.has_values]
    filled = sum(bool(cells[place]) for cells in rows for place in figured)
    return filled >= MIN_FILLED * len(rows) * len(figured)


def _merged(grid: Sequence[list[str]], lines: Sequence[_Line], *, heads: int) -> list[list[str]]:
    """Join the lines of cells that are printed in several ones."""
    rows = [list(grid[0])]
    for place, (above, below) in enumerate(pairwise(lines), start=1):
        cells = grid[place]
        gap = below.row.top - above.row.bottom
        is_tight = gap < TIGHT * min(above.height, below.height)
        if is_tight and _continues(rows[-1], cells, above, below, in_heading=place < heads):
            rows[-1] = [f"{one} {other}".strip() for one, other in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(list(cells))
    return rows


def _continues(upper: Sequence[str], cells: Sequence[str], above: _Line, below: _Line, *, in_heading: bool) -> bool:
    """Return whether a printed row continues the cells of the row above it."""
    if in_heading:
        return not above.figures or not below.figures
    if above.figures and below.figures:
        return False
    label = cells[0]
    if not label:
        return not upper[0] and not above.figures and not below.figures
    if label[0].islower():
        return bool(upper[0])
    return not above.figures and upper[0].endswith(("-", "\N{EN DASH}", ",", " and", " of", " to", " the", " for"))


def _with_whole_lines(tables: Iterable[FoundTable], words: Sequence[Word]) -> list[FoundTable]:
    """Leave out tables with a line of the page's text of which another part stands outside of the table."""
    kept: list[FoundTable] = []
    for table in tables:
        inside = all(
            table.top <= (word.top + word.bottom) / 2 <= table.bottom for word in words if word.line in table.lines
        )
        if inside and not any(table.lines & other.lines for other in kept):
            kept.append(table)
    return kept
