"""Computes the size of a sheet, counting every cell between its outermost ones.

calamine keeps a sheet as one dense rectangle of 32 bytes a cell and allocates it at once: two cells at opposite
corners of a sheet ask for half a terabyte, and the process aborts. So the outermost cells are looked for first.
"""

from __future__ import annotations

from octavo_contracts import ContentTooLarge

MAX_SHEET_CELLS = 10_000_000
"""Cells of the rectangle that holds all values of one sheet (320 MB in the engine)."""

MAX_WORKBOOK_CELLS = 20_000_000
"""The same, all sheets of a workbook together."""


class Extent:
    """The smallest rectangle that holds all cells seen, and the errors among them.

    Rows and columns count from 0.

    Attributes:
        errors: (row, column) → the error as a sheet shows it, for example '#DIV/0!'. The engine drops them.
        links: (row, column) → the address that the cell leads to.
        formats: (row, column) → the code of a number format that shows more than the value.
        formulas_without_value: number of formulas whose values the file does not hold.
        unread_charts: number of charts that are not read.
        shown: (row, column) → the text that the sheet shows, where the file holds it.
    """

    __slots__ = (
        "_bottom",
        "_left",
        "_right",
        "_top",
        "errors",
        "formats",
        "formulas_without_value",
        "links",
        "shown",
        "unread_charts",
    )

    def __init__(self) -> None:
        self._top = self._left = self._bottom = self._right = -1
        self.errors: dict[tuple[int, int], str] = {}
        self.links: dict[tuple[int, int], str] = {}
        self.formats: dict[tuple[int, int], str] = {}
        self.formulas_without_value = 0
        self.unread_charts = 0
        self.shown: dict[tuple[int, int], str] = {}

    def add(self, row: int, column: int) -> None:
        """Stretch the rectangle over a cell."""
        if self._top < 0:
            self._top = self._bottom = row
            self._left = self._right = column
            return
        if row < self._top:
            self._top = row
        elif row > self._bottom:
            self._bottom = row
        if column < self._left:
            self._left = column
        elif column > self._right:
            self._right = column

    @property
    def cells(self) -> int:
        """Cells of the rectangle, empty ones too; 0 where no cell was seen."""
        if self._top < 0:
            return 0
        return (self._bottom - self._top + 1) * (self._right - self._left + 1)


def refuse_giants(sheets: list[tuple[str, Extent]]) -> None:
    """Refuse a workbook whose sheets are too large to be laid out.

    Args:
        sheets: name and extent of each sheet.

    Raises:
        ContentTooLarge: one sheet passes `MAX_SHEET_CELLS`, or all together `MAX_WORKBOOK_CELLS`.
    """
    for name, extent in sheets:
        if extent.cells > MAX_SHEET_CELLS:
            raise ContentTooLarge(
                f"the outermost cells of sheet {name!r} span {extent.cells} cells, more than {MAX_SHEET_CELLS}",
                remedy="Delete stray cells far from the table, or read it --with markitdown, which leaves empty rows out",
            )
    total = sum(extent.cells for _, extent in sheets)
    if total > MAX_WORKBOOK_CELLS:
        raise ContentTooLarge(
            f"the {len(sheets)} sheets span {total} cells together, more than {MAX_WORKBOOK_CELLS}",
            remedy="Save the sheets as workbooks of their own",
        )
