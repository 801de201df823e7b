"""Converts cells of a workbook to text, and sheets to pages.

The same rules as those of the engine `calamine`, so that two readings of one workbook can be compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta

from octavo_contracts import ContentTooLarge, ConversionWarning, Page, Table

from .engine import PLUGIN
from .pipe_tables import Grid, escape, pipe_table

MAX_FILLED_CELLS = 5_000_000
"""Cells with a value in one sheet."""

MAX_GRID_CELLS = 2_000_000
"""Cells of a sheet's rectangle, empty ones too, up to which empty rows and columns inside it are kept."""

_LARGEST_PLAIN_INTEGER = 1e15

Cells = dict[tuple[int, int], str]
"""(row, column) from 0 → text, for the cells with a value."""


def cell_text(value: object) -> str:
    """A value as text.

    Whole numbers are written without a decimal point, other numbers in their shortest exact form, dates and durations
    in ISO 8601, booleans as TRUE and FALSE, nothing but white space as an empty cell.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < _LARGEST_PLAIN_INTEGER else repr(value)
    if isinstance(value, datetime):
        return (value.date() if value.time() == time(0) else value).isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return _duration_text(value)
    text = str(value)
    return "" if text.isspace() else text


def _duration_text(value: timedelta) -> str:
    milliseconds = round(value / timedelta(milliseconds=1))
    sign = "-" if milliseconds < 0 else ""
    seconds, fraction = divmod(abs(milliseconds), 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    text = (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")
    if fraction:
        text += f"{seconds}.{fraction:03d}".rstrip("0") + "S"
    elif seconds or not text:
        text += f"{seconds}S"
    return f"{sign}PT{text}"


def gather(rows: Iterable[tuple[int, Iterable[object]]], *, sheet: str) -> Cells:
    """Keep the cells that have a value.

    Args:
        rows: row numbers from 0 with their values from column 0 on.
        sheet: the sheet's name, for messages.

    Raises:
        ContentTooLarge: more than `MAX_FILLED_CELLS` have one.
    """
    cells: Cells = {}
    for row, values in rows:
        for column, value in enumerate(values):
            if value is not None and (text := cell_text(value)):
                cells[row, column] = text
        if len(cells) > MAX_FILLED_CELLS:
            raise ContentTooLarge(f"sheet {sheet!r} has more than {MAX_FILLED_CELLS} filled cells", plugin=PLUGIN)
    return cells


def sheet_page(cells: Cells, *, name: str, number: int) -> tuple[Page, list[ConversionWarning]]:
    """A sheet as a page.

    Where a few cells are so far apart that the rectangle between them passes `MAX_GRID_CELLS`, the empty rows and
    columns are left out and a warning says so: no value is lost, only the gaps.

    Returns:
        The page, and warnings.

    Raises:
        ContentTooLarge: even so the grid is too large.
    """
    if not cells:
        return Page(number=number, label=name, kind="sheet", markdown=""), []
    rows, columns = sorted({row for row, _ in cells}), sorted({column for _, column in cells})
    warnings = []
    if (rows[-1] - rows[0] + 1) * (columns[-1] - columns[0] + 1) > MAX_GRID_CELLS:
        message = f"Cells of sheet {name!r} are far apart; empty rows and columns between them were left out."
        warnings.append(ConversionWarning(code="gaps_left_out", message=message, page=number))
    else:
        rows, columns = list(range(rows[0], rows[-1] + 1)), list(range(columns[0], columns[-1] + 1))
    if len(rows) * len(columns) > 4 * MAX_FILLED_CELLS:
        raise ContentTooLarge(f"sheet {name!r} spans {len(rows)} rows and {len(columns)} columns", plugin=PLUGIN)
    grid: Grid = [[cells.get((row, column), "") for column in columns] for row in rows]
    markdown = f"## {escape(name)}\n\n{pipe_table(grid)}\n"
    table = Table(rows=tuple(map(tuple, grid)))
    return Page(number=number, label=name, kind="sheet", markdown=markdown, tables=(table,)), warnings
