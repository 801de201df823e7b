"""Fresh workbooks whose sheets are in no order of their names, and whose grids begin at other cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .edited_office import filled_sheet
from .grids import square_grid
from .ods_bytes import ODS_TYPE, ods
from .office_bytes import xlsx
from .package_changes import changed
from .sheaf_bytes import SHEAF, sheaf
from .truths import OFFICE, Truth, cells
from .words import Words

Place = tuple[int, int]
"""Row and column, from 1."""
Grid = tuple[tuple[str, ...], ...]


def _sheets(words: Words) -> dict[str, tuple[Place, Grid]]:
    """Generate sheets with the place of the first cell and the cells: grids of all sizes, one in four of them square."""
    n = words.dice.randint
    made: dict[str, tuple[Place, Grid]] = {}
    for at in range(n(12, 16)):
        grid = (
            square_grid(words, n(3, 9)) if at % 4 == 3 else tuple((words.word(), words.word()) for _ in range(n(2, 6)))
        )
        made[words.word().capitalize()] = ((n(1, 40), n(1, 12)), grid)
    if list(made) == sorted(made):
        made = dict(reversed(made.items()))
    return made


def _truth(sheets: Mapping[str, tuple[Place, Grid]]) -> dict[str, object]:
    return {
        "allowed": tuple(sheets),
        "tables": tuple(grid for _, grid in sheets.values()),
        "places": tuple((name, *start) for name, (start, _) in sheets.items()),
    }


def _texts(sheets: Mapping[str, tuple[Place, Grid]]) -> list[str]:
    return [cells(grid) for _, grid in sheets.values()]


def _placed(start: Place, grid: Grid) -> dict[Place, str]:
    row, column = start
    return {(row + y, column + x): cell for y, line in enumerate(grid) for x, cell in enumerate(line)}


def _xlsx(words: Words) -> Truth:
    sheets = _sheets(words)
    strings: list[str] = []
    filled = {
        f"sheet{number}": filled_sheet(
            {(row, column - 1): text for (row, column), text in _placed(*one).items()}, strings
        )
        for number, one in enumerate(sheets.values(), start=1)
    }
    package = xlsx(sheets={name: [["x"]] for name in sheets}, merges={}, title="", author="", shared=strings)
    return changed(package, **filled), "sheet", _texts(sheets), _truth(sheets)


def _ods(words: Words) -> Truth:
    sheets = _sheets(words)
    data = ods({name: _placed(*one) for name, one in sheets.items()})
    return data, "sheet", _texts(sheets), _truth(sheets)


def _sheaf(words: Words) -> Truth:
    """Pages of a table each, which have the name and the place of a sheet."""
    sheets = _sheets(words)
    pages = [
        {"blocks": [["t", grid]], "sheet": {"name": name, "first_row": row, "first_column": column}}
        for name, ((row, column), grid) in sheets.items()
    ]
    return sheaf(pages=pages), "page", _texts(sheets), _truth(sheets)


PLACED_GRIDS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "ods/placed.ods": (ODS_TYPE, _ods),
    "sheaf/placed.sheaf": (SHEAF, _sheaf),
    "xlsx/placed.xlsx": (f"{OFFICE}.spreadsheetml.sheet", _xlsx),
}
"""Path → media type, and the function that makes the document."""
