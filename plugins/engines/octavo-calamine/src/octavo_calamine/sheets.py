"""Converts one sheet of the engine to one page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import HiddenText, Page, Table
from pydantic import JsonValue

from .cells import Rows, cell_text, escape, markdown_table, percent_text, trim

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

    from .extent import Extent


def sheet_page(sheet: CalamineSheet, *, number: int, extent: Extent) -> tuple[Page, dict[str, JsonValue]]:
    """Make a page of a sheet.

    Args:
        sheet: the sheet as the engine gives it.
        number: its place in the workbook, from 1.
        extent: its error cells, which the engine gives as empty.

    Returns:
        The page, and what a reader needs to find a table cell in the sheet: its name, and row and column (from 1)
        of the table's first cell, null for an empty sheet.
    """
    top, left = sheet.start or (0, 0)
    values = sheet.to_python(skip_empty_area=True)
    rows: Rows = [[cell_text(value) for value in row] for row in values]
    for row, column in extent.percents:
        if 0 <= row - top < len(rows) and 0 <= column - left < len(rows[row - top]):
            rows[row - top][column - left] = percent_text(values[row - top][column - left])
    hidden = _clear_merged(rows, sheet.merged_cell_ranges or [], top=top, left=left)
    for (row, column), text in extent.errors.items():
        if 0 <= row - top < len(rows) and 0 <= column - left < len(rows[row - top]):
            rows[row - top][column - left] = text
    rows, dropped_rows, dropped_columns = trim(rows)
    facts: dict[str, JsonValue] = {"name": sheet.name, "first_row": None, "first_column": None}
    if not rows:
        return Page(number=number, label=sheet.name, kind="sheet", markdown="", hidden_text=hidden), facts
    facts["first_row"] = top + dropped_rows + 1
    facts["first_column"] = left + dropped_columns + 1
    table = Table(rows=tuple(map(tuple, rows)), header_rows=1)
    first = (top + dropped_rows, left + dropped_columns)
    links = {
        (row - first[0], column - first[1]): address
        for (row, column), address in extent.links.items()
        if 0 <= row - first[0] < len(rows) and 0 <= column - first[1] < len(rows[0])
    }
    markdown = f"## {escape(sheet.name)}\n\n{markdown_table(rows, links)}\n"
    page = Page(number=number, label=sheet.name, kind="sheet", markdown=markdown, tables=(table,), hidden_text=hidden)
    return page, facts


def _clear_merged(
    rows: Rows, ranges: list[tuple[tuple[int, int], tuple[int, int]]], *, top: int, left: int
) -> tuple[HiddenText, ...]:
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
