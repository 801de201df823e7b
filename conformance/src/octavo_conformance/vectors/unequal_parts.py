"""Fresh documents whose first part is much longer than those behind it: parts that are read at once end in another order than they stand."""

from __future__ import annotations

from collections.abc import Callable

from .ods_bytes import ODS_TYPE, ods
from .office_bytes import pptx, xlsx
from .sheaf_bytes import SHEAF, sheaf
from .truths import OFFICE, Truth, cells
from .words import Words

Grid = tuple[tuple[str, ...], ...]


def _long(words: Words, least: int) -> Grid:
    """Generate a table of more rows than are read at once; a cell of each is a number of its own."""
    count = words.dice.randint(least, least + 300)
    first = words.dice.randint(10_000, 60_000)
    return tuple((str(first + row), words.short()) for row in range(count))


def _sheets(words: Words, least: int) -> dict[str, Grid]:
    """Generate a long sheet, a short one, one of middle length, and short ones, with a long one between."""
    short = [tuple((words.word(), words.word()) for _ in range(words.dice.randint(2, 4))) for _ in range(4)]
    grids = [_long(words, least), short[0], _long(words, least // 5), *short[1:]]
    return {words.word().capitalize(): grid for grid in grids}


def _truth(sheets: dict[str, Grid]) -> dict[str, object]:
    return {"allowed": tuple(sheets), "tables": tuple(sheets.values()), "labels": tuple(sheets)}


def _xlsx(words: Words) -> Truth:
    sheets = _sheets(words, 2_000)
    data = xlsx(sheets=sheets, merges={}, title="", author="", typed=True)
    return data, "sheet", [cells(grid) for grid in sheets.values()], _truth(sheets)


def _ods(words: Words) -> Truth:
    sheets = _sheets(words, 2_000)
    placed = {
        name: {(y, x): cell for y, row in enumerate(grid, 1) for x, cell in enumerate(row, 1)}
        for name, grid in sheets.items()
    }
    return ods(placed), "sheet", [cells(grid) for grid in sheets.values()], _truth(sheets)


def _pptx(words: Words) -> Truth:
    slides = [(words.heading(), [words.line(8) for _ in range(count)]) for count in (60, 1, 14, 2, 1)]
    allowed = ("Slide", *map(str, range(1, len(slides) + 1)))
    texts = [" ".join((heading, *lines)) for heading, lines in slides]
    return pptx(slides=slides, title="", author=""), "slide", texts, {"allowed": allowed}


def _sheaf(words: Words) -> Truth:
    pages = [[words.short() for _ in range(count)] for count in (2_400, 3, 400, 5, 2)]
    lines = [[" ".join(page[at : at + 12]) for at in range(0, len(page), 12)] for page in pages]
    blocks = [{"blocks": [["p", line] for line in page]} for page in lines]
    return sheaf(pages=blocks), "page", [" ".join(page) for page in pages], {}


UNEQUAL_PARTS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "ods/unequal.ods": (ODS_TYPE, _ods),
    "pptx/unequal.pptx": (f"{OFFICE}.presentationml.presentation", _pptx),
    "sheaf/unequal.sheaf": (SHEAF, _sheaf),
    "xlsx/unequal.xlsx": (f"{OFFICE}.spreadsheetml.sheet", _xlsx),
}
"""Path → media type, and the function that makes the document."""
