"""Texts of the formulas that defined names of binary workbooks stand for ([MS-XLS] and [MS-XLSB] Rgce).

References to cells of the workbook and single constants are written as a spreadsheet program shows them. Any other formula is an expression
and has no text here.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

_PAREN, _UNION, _TEXT, _BOOLEAN, _WHOLE, _NUMBER = 0x15, 0x10, 0x17, 0x1D, 0x1E, 0x1F
_MEMORY_AREA, _MEMORY_FUNCTION = 0x26, 0x29
_CELL, _AREA, _LOST_CELL, _LOST_AREA = 0x3A, 0x3B, 0x3C, 0x3D
_RELATIVE_COLUMN, _RELATIVE_ROW, _COLUMN_BITS = 0x4000, 0x8000, 0x3FFF
_PLAIN_NAME = re.compile(r"[^\W\d][\w.]*")
_LIKE_A_CELL = re.compile(r"[A-Za-z]{1,3}\d{1,7}|[RrCc]|[Rr]\d*[Cc]\d*")


@dataclass(frozen=True, kw_only=True)
class Grid:
    """How a format stores places, and the outermost ones.

    Attributes:
        row: format of a row for `struct`.
        last_row: the last row, from 0.
        last_column: the last column, from 0.
    """

    row: str
    last_row: int
    last_column: int


XLS_GRID = Grid(row="H", last_row=0xFFFF, last_column=0xFF)
XLSB_GRID = Grid(row="I", last_row=0xFFFFF, last_column=0x3FFF)

SheetsOf = Callable[[int], Sequence[str] | None]
"""Names of the first and the last sheet of an entry of the table of references: none of a deleted sheet; None where it leads out of the workbook."""


def formula_text(tokens: bytes, *, grid: Grid, sheets_of: SheetsOf) -> str | None:
    """Write the formula of a name, such as `Sheet1!$A$1:$B$2`.

    Args:
        tokens: the parsed formula, in reverse Polish notation.
        grid: the format's.
        sheets_of: index in the table of references → the sheets.

    Returns:
        The text, or None where the formula is an expression, leads to another workbook, or is damaged.
    """
    try:
        return _Tokens(tokens, grid, sheets_of).text()
    except (struct.error, IndexError):
        return None


class _Tokens:
    """One formula, and the place of the next token."""

    def __init__(self, tokens: bytes, grid: Grid, sheets_of: SheetsOf) -> None:
        self._tokens = tokens
        self._grid = grid
        self._sheets_of = sheets_of
        self._place = 0

    def text(self) -> str | None:
        operands: list[str] = []
        while self._place < len(self._tokens):
            (kind,) = self._take("B")
            if kind == _UNION:
                right, left = operands.pop(), operands.pop()
                operands.append(f"{left},{right}")
                continue
            kind = _class_free(kind)
            if kind == _PAREN:
                continue
            if kind == _MEMORY_FUNCTION:  # the length of the references that follow
                self._take("H")
                continue
            if kind == _MEMORY_AREA:
                self._take("IH")
                continue
            operand = self._reference(kind) if kind >= _CELL else self._constant(kind)
            if operand is None:
                return None
            operands.append(operand)
        return operands[0] if len(operands) == 1 else None

    def _constant(self, kind: int) -> str | None:
        if kind == _NUMBER:
            (number,) = self._take("d")
            return repr(number).removesuffix(".0")
        if kind == _WHOLE:
            return str(self._take("H")[0])
        if kind == _BOOLEAN:
            return "TRUE" if self._take("B")[0] else "FALSE"
        if kind == _TEXT:
            return self._quoted_text()
        return None

    def _quoted_text(self) -> str:
        if self._grid is XLSB_GRID:
            (length,) = self._take("H")
            is_wide = True
        else:
            length, is_wide = self._take("BB")
        raw = self._tokens[self._place : self._place + length * (2 if is_wide else 1)]
        self._place += len(raw)
        text = raw.decode("utf-16-le" if is_wide else "latin-1", "replace").replace('"', '""')
        return f'"{text}"'

    def _reference(self, kind: int) -> str | None:
        row = self._grid.row
        if kind in (_LOST_CELL, _LOST_AREA):
            self._take("H" + (f"{row}H" if kind == _LOST_CELL else f"{row}{row}HH"))
            return "#REF!"
        if kind not in (_CELL, _AREA):
            return None
        if kind == _CELL:
            index, top, left = self._take(f"H{row}H")
            cells = _cell(top, left)
        else:
            index, top, bottom, left, right = self._take(f"H{row}{row}HH")
            cells = self._area(top, bottom, left, right)
        sheets = self._sheets_of(index)
        if sheets is None:
            return None
        return f"{_sheet_prefix(sheets)}!{cells}" if sheets else "#REF!"

    def _area(self, top: int, bottom: int, left: int, right: int) -> str:
        if (top, bottom) == (0, self._grid.last_row):
            return f"{_column(left)}:{_column(right)}"
        if (left & _COLUMN_BITS, right & _COLUMN_BITS) == (0, self._grid.last_column):
            return f"{_row(top, left)}:{_row(bottom, right)}"
        return f"{_cell(top, left)}:{_cell(bottom, right)}"

    def _take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(f"<{layout}", self._tokens, self._place)
        self._place += struct.calcsize(f"<{layout}")
        return values


def _class_free(kind: int) -> int:
    """A token without its class (reference, value, array); tokens below 0x20 have none."""
    return kind if kind < 0x20 else kind & 0x1F | 0x20


def _cell(row: int, column: int) -> str:
    return f"{_column(column)}{_row(row, column)}"


def _row(row: int, column: int) -> str:
    """A row as it is shown; the field of the column says whether it is relative."""
    return f"{'' if column & _RELATIVE_ROW else '$'}{row + 1}"


def _column(column: int) -> str:
    number, letters = (column & _COLUMN_BITS) + 1, ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{'' if column & _RELATIVE_COLUMN else '$'}{letters}"


def _sheet_prefix(sheets: Sequence[str]) -> str:
    """The sheets in front of a reference, in quotes where a spreadsheet program sets them."""
    names = list(dict.fromkeys(sheets))
    text = ":".join(name.replace("'", "''") for name in names)
    is_plain = all(_PLAIN_NAME.fullmatch(name) and not _LIKE_A_CELL.fullmatch(name) for name in names)
    return text if is_plain else f"'{text}'"
