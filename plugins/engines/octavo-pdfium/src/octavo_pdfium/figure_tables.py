"""Finds tables of figures on a page by the places of its words: no ruling lines are needed.

A row of such a table has a label and figures, or figures alone. The figures of a column stand under each other, whether they
are aligned to the right, to the left or in the middle.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from octavo_contracts.authoring.row_numbers import gutter_behind_numbers

from .found_tables import FoundTable, found_table
from .page_words import Row, Word
from .table_columns import Column, columns_of, divided_at, nearest, spanned
from .table_gutters import Part, is_caption, parts_of
from .table_items import Item, items_of

_LEADERS = re.compile(r"(?:\.\s?){4,}|…{2,}")
_SENTENCE = re.compile(r"[a-z]{2,}[.;]$")
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
_BROKEN = re.compile(r"\d,\d{0,2}$|\d$")
_REST = re.compile(r"\d{1,3}[%)]*|[%)]+")
OVERLAP = 0.25
"""Rows that overlap by more than this share of their height are the lines of cells that stand in the middle of their row."""
_YEAR = re.compile(r"(?:19|20)\d\d[AEFPaefp*]?")
HEADING_GAP = 1.5
"""A gap of this many heights of a line ends the heading of a table."""
FAR = 3.0
"""A gap of this many heights of a line ends a table."""
TIGHT = 0.3
"""A smaller gap, in heights of a line, is that between two lines of one cell."""
LARGER = 1.15
"""A row of type this much larger than that of the figures is the heading of another part of the page."""
MAX_INK = 0.85
"""Words that cover more of their row are running text, whose gaps are those of justified lines."""
MIN_FILLED = 0.45
"""Least share of the cells under figures that are filled."""


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
        """Whether it may be a row of figures: at least as many as texts behind the first one, and no sentence before it."""
        first = next((place for place, item in enumerate(self.items) if item.is_figure), len(self.items))
        texts = len(self.items) - first - self.figures
        return 0 < self.figures >= texts and self.words <= MAX_LABEL and not self._has_leaders

    @property
    def is_short(self) -> bool:
        """Whether it may be a label or a heading between rows of figures."""
        return all(len(one.words) <= MAX_LABEL for one in self.items) and not self._has_leaders

    @property
    def _has_leaders(self) -> bool:
        return any(_LEADERS.search(one.text) for one in self.items)


def figure_tables(words: Sequence[Word]) -> list[FoundTable]:
    """Return the tables of figures among words, in the order of reading."""
    return [table for part in parts_of(words) for table in _tables_in(part)]


def _tables_in(part: Part) -> list[FoundTable]:
    """Return the tables of a part of the page. If one side of a gutter has none by itself, the rows of both sides are divided."""
    if part.middle is None:
        return _tables_of(part.rows)
    sides = [[table for one in side for table in _tables_in(one)] for side in part.sides]
    found = [*sides[0], *sides[1]]
    if part.holds_tables and not all(sides):
        halves = [half for table in _tables_of(part.rows) for half in _halves(table, part.words, part.middle)]
        return halves if len(halves) > len(found) else found
    return found


def _halves(table: FoundTable, words: Sequence[Word], middle: float) -> list[FoundTable]:
    """Divide a table, found among words, at a gutter."""
    at = sum(left < middle for left in table.columns)
    words = [word for word in words if table.top <= (word.top + word.bottom) / 2 <= table.bottom]
    found: list[FoundTable] = []
    for columns, own in (
        (slice(at), [word for word in words if word.right <= middle]),
        (slice(at, None), [word for word in words if word.right > middle]),
    ):
        rows = [row[columns] for row in table.rows if any(row[columns])]
        if own and len(rows) >= MIN_ROWS and len(rows[0]) > 1:
            found.append(found_table(rows, own, table.columns[columns]))
    return found if len(found) > 1 else [table]


def _tables_of(rows: Sequence[Row]) -> list[FoundTable]:
    lines = [_Line(row, items_of(row)) for row in rows]
    found: list[FoundTable] = []
    begin = 0
    for start, end in _regions(lines):
        table = _table(lines, start, end, above=begin)
        if table is not None:
            found.append(table)
            begin = end
    return found


def _regions(lines: Sequence[_Line]) -> list[tuple[int, int]]:
    """Return the runs of rows with figures, first and past the last, with the labels and headings between them."""
    found: list[tuple[int, int]] = []
    for place, line in enumerate(lines):
        if not line.has_values:
            continue
        if found and _goes_on(lines, *found[-1], place):
            found[-1] = found[-1][0], place + 1
        else:
            found.append((place, place + 1))
    return _joined(lines, found)


def _goes_on(lines: Sequence[_Line], start: int, end: int, place: int) -> bool:
    """Return whether a row of figures follows the last one of a run without a row between them."""
    return place == end and lines[place].row.top - lines[end - 1].row.bottom <= FAR * lines[place].height


def _joined(lines: Sequence[_Line], runs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join runs of one grid."""
    found: list[tuple[int, int]] = []
    for start, end in runs:
        if found and _is_one_table(lines, found[-1], (start, end)):
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return found


def _is_one_table(lines: Sequence[_Line], upper: tuple[int, int], lower: tuple[int, int]) -> bool:
    """Return whether two runs of rows have the same columns, with nothing but labels and headings between them."""
    between = lines[upper[1] : lower[0]]
    if len(between) > MAX_TEXT_ROWS or not all(line.is_short for line in between):
        return False
    stretch = lines[upper[1] - 1 : lower[0] + 1]
    if any(below.row.top - above.row.bottom > FAR * below.height for above, below in pairwise(stretch)):
        return False
    one, other = (_figured(_valued(lines, *run)) for run in (upper, lower))
    both = _figured([*_valued(lines, *upper), *_valued(lines, *lower)])
    if not both or len(both) != max(len(one), len(other)):
        return False
    if _is_headed(between, both) and min(_labelled(lines, *upper), _labelled(lines, *lower)) >= MIN_FULL_ROWS:
        return False
    height = lines[lower[0]].height
    edge = (both[0].left + both[-1].right) / 2
    return not any(
        line.height > LARGER * height
        or (len(line.items) == 1 and line.items[0].left < both[0].left and line.items[0].right > edge)
        for line in between
    )


def _is_headed(between: Sequence[_Line], figured: Sequence[Column]) -> bool:
    """Return whether rows are the heading of another table: two or more of them, or one without a label, over the figures."""
    left = figured[0].left
    heads = [line for line in between if len(line.items) > 1 and line.items[-1].right > left]
    return len(heads) > 1 or any(line.items[0].left > left - line.height for line in heads)


def _labelled(lines: Sequence[_Line], start: int, end: int) -> int:
    return sum(not line.items[0].is_figure for line in _valued(lines, start, end))


def _valued(lines: Sequence[_Line], start: int, end: int) -> list[_Line]:
    return [line for line in lines[start:end] if line.has_values]


def _figured(lines: Sequence[_Line]) -> list[Column]:
    return [column for column in columns_of([line.items for line in lines]) if column.has_figures]


def _table(lines: Sequence[_Line], start: int, end: int, *, above: int) -> FoundTable | None:
    valued = _valued(lines, start, end)
    if sum(line.figures >= 2 for line in valued) < MIN_FULL_ROWS:
        return None
    columns = columns_of([line.items for line in valued])
    figured = [column for column in columns if column.has_figures]
    if len(figured) < 2:
        return None
    start = _heading_start(lines, start, columns, above=above)
    taken = lines[start:end]
    heads, label = _heads(taken), 0
    labels = [line.items[0].words for line in valued if not line.items[0].is_figure]
    edge = gutter_behind_numbers(labels, [line.row.words for line in taken[:heads]])
    if edge is not None:
        taken, label = [_Line(line.row, divided_at(line.items, edge)) for line in taken], 1
        columns = columns_of([line.items for line in _valued(taken, 0, len(taken))])
    grid = [_cells(line, columns) for line in taken]
    if not _is_filled(grid, taken, columns):
        return None
    rows = _merged(grid, taken, heads=heads, label=label)
    if len(rows) < MIN_ROWS:
        return None
    words = [word for line in taken for word in line.row.words]
    return found_table(rows, words, [column.left for column in columns])


def _heading_start(lines: Sequence[_Line], start: int, columns: Sequence[Column], *, above: int) -> int:
    """Return the first row of the heading that stands over a table's first row."""
    first = start
    height = lines[start].height
    figured = [column for column in columns if column.has_figures]
    middle = (columns[0].left + figured[0].left) / 2
    while first > above and start - first < MAX_HEADING_ROWS:
        line, below = lines[first - 1], lines[first]
        if below.row.top - line.row.bottom > HEADING_GAP * line.height or line.height > LARGER * height:
            break
        if is_caption(line.row.words):
            break
        if not _is_heading(line, figured, middle):
            # A label of two rows stands between the rows that it belongs to.
            upper = lines[first - 2] if first - 2 >= above else None
            is_label = line.is_short and line.items[-1].right < figured[0].left
            if upper is None or not is_label or upper.row.bottom < line.row.top - TIGHT * line.height:
                break
            if not _is_heading(upper, figured, middle):
                break
        first -= 1
    return first


def _is_heading(line: _Line, figured: Sequence[Column], middle: float) -> bool:
    """Return whether a row has cells over the columns of figures, and none that runs from the labels into them.

    Args:
        line: the row.
        figured: the columns of figures.
        middle: of the part with the labels; a heading over several columns may begin to the right of it.
    """
    left = figured[0].left
    over = [one for one in line.items if one.right > left]
    if not over or any(len(one.words) > MAX_HEADING or _SENTENCE.search(one.text) for one in line.items):
        return False
    inked = sum(one.right - one.left for one in line.items) / (line.items[-1].right - line.items[0].left)
    if len(line.items) > 1 and inked > MAX_INK and line.words > MAX_HEADING:
        return False
    return not any(one.left < min(middle, left - 2 * line.height) and one.right > figured[0].right for one in over)


def _heads(lines: Sequence[_Line]) -> int:
    """Return the number of rows before the first one that has a label and figures."""
    for place, line in enumerate(lines):
        figures = [item.text for item in line.items if item.is_figure]
        has_label = not line.items[0].is_figure
        if figures and (has_label or not all(map(_YEAR.fullmatch, figures))) and line.figures > 1:
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


def _merged(grid: Sequence[list[str]], lines: Sequence[_Line], *, heads: int, label: int) -> list[list[str]]:
    """Join the lines of cells that are printed in several ones.

    Args:
        grid: the cells of each printed row.
        lines: the printed rows.
        heads: number of those of the heading.
        label: index of the column of labels.
    """
    rows = [list(grid[0])]
    above = lines[0]
    for place, below in enumerate(lines[1:], start=1):
        cells, in_heading = grid[place], place < heads
        gap = (below.row.top - above.row.bottom) / min(above.height, below.height)
        if in_heading and not any(cells[1:]) and not rows[-1][0] and gap < TIGHT:
            rows[-1][0] = cells[0]
            continue
        if gap < -OVERLAP and not in_heading:
            joins = True
        else:
            joins = gap < TIGHT and _continues(rows[-1][label:], cells[label:], above, below, in_heading=in_heading)
        if joins:
            rows[-1] = [_together(one, other) for one, other in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(list(cells))
        above = below
    return rows


def _together(upper: str, lower: str) -> str:
    """Return the text of a cell of two printed lines; a figure that is broken between them is whole."""
    is_broken = _BROKEN.search(upper) is not None and _REST.fullmatch(lower) is not None
    return f"{upper}{lower}" if is_broken else f"{upper} {lower}".strip()


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
