"""Converts a workbook: one page per sheet, keeping every filled cell (CNV-7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import ContentTooLarge, ConversionWarning, Page, Table
from octavo_contracts.authoring import escape, pipe_table

from .grids import MAX_CELLS, filled_cells
from .package import tag
from .paragraphs import text_of
from .program import PLUGIN
from .styles import Styles

if TYPE_CHECKING:
    from lxml.etree import _Element

Warnings = list[ConversionWarning]
_LARGEST_PLAIN_INTEGER = 1e15


def read_sheets(content: _Element, styles: Styles, *, max_pages: int) -> tuple[list[Page], Warnings]:
    """The sheets of a workbook, hidden ones too; a grid begins at its first filled cell.

    Raises:
        ContentTooLarge: more sheets than `max_pages`, or a grid beyond `MAX_CELLS`.
    """
    sheets = list(content.iterfind(f".//{tag('office:spreadsheet')}/{tag('table:table')}"))
    if len(sheets) > max_pages:
        raise ContentTooLarge(f"{len(sheets)} sheets are above the limit of {max_pages}", plugin=PLUGIN)
    pages, warnings = [], []
    for number, sheet in enumerate(sheets, start=1):
        name = sheet.get(tag("table:name"), "")
        page, gaps = _page(sheet, name, number)
        pages.append(page)
        if gaps:
            message = f"Cells of sheet {name!r} are far apart; empty rows and columns between them were left out."
            warnings.append(ConversionWarning(code="gaps_left_out", message=message, page=number))
        if styles.sheet_hidden(sheet.get(tag("table:style-name"))):
            message = "The sheet is hidden in the workbook; it was converted."
            warnings.append(ConversionWarning(code="hidden_sheet", message=message, page=number))
    return pages, warnings


def _page(sheet: _Element, name: str, number: int) -> tuple[Page, bool]:
    cells = {place: text for place, cell in filled_cells(sheet).items() if (text := cell_text(cell))}
    if not cells:
        return Page(number=number, label=name, kind="sheet", markdown=""), False
    rows, columns = sorted({row for row, _ in cells}), sorted({column for _, column in cells})
    gaps = (rows[-1] - rows[0] + 1) * (columns[-1] - columns[0] + 1) > MAX_CELLS
    if not gaps:
        rows, columns = list(range(rows[0], rows[-1] + 1)), list(range(columns[0], columns[-1] + 1))
    if len(rows) * len(columns) > 4 * MAX_CELLS:
        raise ContentTooLarge(f"sheet {name!r} spans {len(rows)} rows and {len(columns)} columns", plugin=PLUGIN)
    grid = [[cells.get((row, column), "") for column in columns] for row in rows]
    shown = [[escape(cell) for cell in line] for line in grid]
    markdown = f"## {escape(name)}\n\n{pipe_table(shown)}\n"
    table = Table(rows=tuple(map(tuple, grid)))
    return Page(number=number, label=name, kind="sheet", markdown=markdown, tables=(table,)), gaps


def cell_text(cell: _Element) -> str:
    """A cell's value as text: whole numbers without a decimal point, dates and durations in ISO 8601."""
    kind = cell.get(tag("office:value-type"))
    if kind in ("float", "currency", "percentage"):
        said = cell.get(tag("office:value"), "")
        try:
            value = float(said)
        except ValueError:
            return text_of(cell)
        return str(int(value)) if value.is_integer() and abs(value) < _LARGEST_PLAIN_INTEGER else repr(value)
    if kind == "date":
        return cell.get(tag("office:date-value"), "").removesuffix("T00:00:00")
    if kind == "time":
        return cell.get(tag("office:time-value"), "")
    if kind == "boolean":
        return cell.get(tag("office:boolean-value"), "").upper()
    return text_of(cell)
