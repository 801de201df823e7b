"""Converts tables of an OpenDocument file to grids: expands repeated cells; merged cells are empty except the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from octavo_contracts import ContentTooLarge, Table
from octavo_contracts.authoring import pipe_table

from .package import tag
from .program import PLUGIN

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_CELLS = 2_000_000
"""Cells of one grid, empty ones inside it too."""

_ROW, _HEADERS = tag("table:table-row"), tag("table:table-header-rows")
_CELLS = (tag("table:table-cell"), tag("table:covered-table-cell"))
Read = Callable[["_Element"], str]
Cells = dict[tuple[int, int], "_Element"]


def filled_cells(table: _Element) -> Cells:
    """(row, column) from 0 → cell, for the cells of a table that hold something; repeated ones are written out.

    Raises:
        ContentTooLarge: more than `MAX_CELLS`.
    """
    found: Cells = {}
    row = 0
    for element in rows_of(table):
        repeats = _count(element, "table:number-rows-repeated")
        column, filled = 0, []
        for cell in element.iterchildren(*_CELLS):
            width = _count(cell, "table:number-columns-repeated")
            if len(cell) or cell.get(tag("office:value-type")):
                filled += [(column + place, cell) for place in range(min(width, MAX_CELLS + 1))]
            column += width
        if len(found) + repeats * len(filled) > MAX_CELLS:
            raise ContentTooLarge(f"a table has more than {MAX_CELLS} filled cells", plugin=PLUGIN)
        if filled:
            found |= {(row + down, across): cell for down in range(repeats) for across, cell in filled}
        row += repeats
    return found


def rows_of(table: _Element) -> Iterator[_Element]:
    """Its rows in order, those of groups and headers too, those of tables in its cells not."""
    for child in table:
        if child.tag == _ROW:
            yield child
        elif (isinstance(child.tag, str) and child.tag.startswith(tag("table:table-row"))) or child.tag == _HEADERS:
            yield from rows_of(child)


def _count(element: _Element, attribute: str) -> int:
    said = element.get(tag(attribute), "1")
    return max(1, int(said)) if said.isdecimal() and len(said) < 9 else 1


def read_table(table: _Element, markdown: Read, text: Read) -> tuple[str, Table | None]:
    """A table as a pipe table and as a grid.

    Args:
        table: the element.
        markdown: how to write a cell as one line.
        text: how to read a cell as text.

    Returns:
        Both; '' and None where no cell holds anything.

    Raises:
        ContentTooLarge: more cells than `MAX_CELLS`.
    """
    cells = filled_cells(table)
    if not cells:
        return "", None
    height, width = max(row for row, _ in cells) + 1, max(column for _, column in cells) + 1
    if height * width > MAX_CELLS:
        raise ContentTooLarge(f"a table spans {height} rows and {width} columns", plugin=PLUGIN)
    places = [[(row, column) for column in range(width)] for row in range(height)]
    seen = [[text(cells[place]) if place in cells else "" for place in line] for line in places]
    shown = [[markdown(cells[place]) if place in cells else "" for place in line] for line in places]
    headers = table.find(_HEADERS)
    grid = Table(rows=tuple(map(tuple, seen)), header_rows=len(list(rows_of(headers))) if headers is not None else 1)
    return pipe_table(shown), grid
