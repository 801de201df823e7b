"""Converts one sheet of the engine to one page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import HiddenText, Page, Table
from octavo_contracts.authoring.number_formats import is_percent, shown
from pydantic import JsonValue

from .cells import Rows, cell_text, escape, markdown_table, trim

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

    from .cells import Value
    from .extent import Extent

Merged = list[tuple[tuple[int, int], tuple[int, int]]]


def sheet_page(sheet: CalamineSheet, *, number: int, extent: Extent) -> tuple[Page, dict[str, JsonValue]]:
    """Make a page of a sheet: one table, whose cells have their places in the sheet, amounts and dates as it shows them.

    The table of the page holds the values instead: exact numbers, and dates in ISO 8601. Empty rows and columns between the
    cells stay, so that a cell can be found in the sheet.

    Args:
        sheet: the sheet as the engine gives it.
        number: its place in the workbook, from 1.
        extent: what the engine does not return: errors, which it gives as empty, links and number formats.

    Returns:
        The page, and what a reader needs to find a cell in the sheet: its name, row and column (from 1) of the first cell
        that is not empty, null for an empty sheet.
    """
    top, left = sheet.start or (0, 0)
    values = sheet.to_python(skip_empty_area=True)
    rows: Rows = [[cell_text(value) for value in row] for row in values]
    _write_percents(rows, values, extent, top=top, left=left)
    hidden = _clear_merged(rows, sheet.merged_cell_ranges or [], top=top, left=left)
    _write(rows, extent.errors, top=top, left=left)
    rows, dropped_rows, dropped_columns = trim(rows)
    if not rows:
        return empty_page(sheet.name, number, hidden)
    facts: dict[str, JsonValue] = {"name": sheet.name}
    top, left = top + dropped_rows, left + dropped_columns
    facts["first_row"], facts["first_column"] = top + 1, left + 1
    values = [row[dropped_columns : dropped_columns + len(rows[0])] for row in values[dropped_rows:][: len(rows)]]
    visible = _shown(rows, values, extent, top=top, left=left)
    links = {
        (row - top, column - left): address
        for (row, column), address in extent.links.items()
        if 0 <= row - top < len(rows) and 0 <= column - left < len(rows[0])
    }
    page = Page(
        number=number,
        label=sheet.name,
        kind="sheet",
        markdown=f"## {escape(sheet.name)}\n\n{markdown_table(visible, links)}\n",
        tables=(Table(rows=tuple(map(tuple, rows)), header_rows=1),),
        hidden_text=hidden,
    )
    return page, facts


def empty_page(name: str, number: int, hidden: tuple[HiddenText, ...] = ()) -> tuple[Page, dict[str, JsonValue]]:
    """Make the page of a sheet without cells, as `sheet_page` does."""
    page = Page(number=number, label=name, kind="sheet", markdown="", hidden_text=hidden)
    return page, {"name": name, "first_row": None, "first_column": None}


def _write(rows: Rows, texts: dict[tuple[int, int], str], *, top: int, left: int) -> None:
    """Write texts into the cells of a grid that begins at a place of the sheet."""
    for (row, column), text in texts.items():
        if 0 <= row - top < len(rows) and 0 <= column - left < len(rows[row - top]):
            rows[row - top][column - left] = text


def _write_percents(rows: Rows, values: list[list[Value]], extent: Extent, *, top: int, left: int) -> None:
    for (row, column), code in extent.formats.items():
        row, column = row - top, column - left
        if 0 <= row < len(rows) and 0 <= column < len(rows[row]) and is_percent(code):
            rows[row][column] = shown(values[row][column], code) or rows[row][column]


def _shown(rows: Rows, values: list[list[Value]], extent: Extent, *, top: int, left: int) -> Rows:
    """The grid with amounts, units and dates as the sheet shows them; errors and covered cells stay."""
    if not extent.formats and not extent.shown:
        return rows
    visible = [list(row) for row in rows]
    for (row, column), code in extent.formats.items():
        row, column = row - top, column - left
        if 0 <= row < len(rows) and 0 <= column < len(rows[row]) and rows[row][column]:
            visible[row][column] = shown(values[row][column], code) or rows[row][column]
    for (row, column), text in extent.shown.items():
        row, column = row - top, column - left
        if 0 <= row < len(rows) and 0 <= column < len(rows[row]) and rows[row][column]:
            visible[row][column] = text
    return visible


def _clear_merged(rows: Rows, ranges: Merged, *, top: int, left: int) -> tuple[HiddenText, ...]:
    """Empty all cells of a merged range but the first, the only one that a sheet shows.

    Returns:
        The texts that stood in the others.
    """
    covered: list[str] = []
    for (first_row, first_column), (last_row, last_column) in ranges:
        for index in range(max(0, first_row - top), min(len(rows), last_row - top + 1)):
            row = rows[index]
            for place in range(max(0, first_column - left), min(len(row), last_column - left + 1)):
                if row[place] and (index + top, place + left) != (first_row, first_column):
                    covered.append(row[place])
                    row[place] = ""
    return tuple(HiddenText(text=text, why="covered") for text in covered)
