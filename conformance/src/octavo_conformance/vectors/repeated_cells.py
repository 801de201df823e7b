"""Fresh OpenDocument workbooks that write equal cells and equal rows once, with the number of times that they stand there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from xml.sax.saxutils import escape

from .ods_bytes import ODS_TYPE, ods
from .package_changes import changed
from .truths import Truth, cells
from .words import Words

_MARK = "mark"
"""Text of the only cell of the table whose rows are replaced."""
Row = tuple[str, ...]


def _grid(words: Words) -> list[Row]:
    """Generate rows with runs of equal cells, empty ones between filled ones, and equal rows behind each other."""
    n, w = words.dice.randint, words.word
    width = n(6, 8)
    rows: list[Row] = [tuple(w() for _ in range(width))]
    for number in range(10):
        again, row = w(), [w() for _ in range(width)]
        start = n(0, width - 4)
        row[start : start + n(2, 3)] = [again] * 2
        del row[width:]
        row += [w() for _ in range(width - len(row))]
        if number % 3 == 1:
            row[1:3] = ["", ""]
        if number % 4 == 2:
            row[0] = ""
        rows += [tuple(row)] * (n(2, 3) if number % 3 == 2 else 1)
    return rows


def _written(rows: Sequence[Row]) -> str:
    return "".join(_row(row, len(list(same))) for row, same in groupby(rows))


def _row(row: Row, times: int) -> str:
    repeated = f' table:number-rows-repeated="{times}"' if times > 1 else ""
    return f"<table:table-row{repeated}>{''.join(_cell(text, len(list(same))) for text, same in groupby(row))}</table:table-row>"


def _cell(text: str, times: int) -> str:
    repeated = f' table:number-columns-repeated="{times}"' if times > 1 else ""
    if not text:
        return f"<table:table-cell{repeated}/>"
    return f'<table:table-cell office:value-type="string"{repeated}><text:p>{escape(text)}</text:p></table:table-cell>'


def _ods(words: Words) -> Truth:
    sheets = {words.word().capitalize(): _grid(words) for _ in range(2)}
    package = ods({name: {(1, 1): f"{_MARK}{number}"} for number, name in enumerate(sheets)})

    def filled(xml: str) -> str:
        for number, rows in enumerate(sheets.values()):
            xml = xml.replace(_row((f"{_MARK}{number}",), 1), _written(rows))
        return xml

    grids = tuple(map(tuple, sheets.values()))
    truth = {"allowed": tuple(sheets), "tables": grids}
    return changed(package, content=filled), "sheet", [cells(grid) for grid in grids], truth


REPEATED_CELLS: dict[str, tuple[str, Callable[[Words], Truth]]] = {"ods/repeated.ods": (ODS_TYPE, _ods)}
"""Path → media type, and the function that makes the document."""
