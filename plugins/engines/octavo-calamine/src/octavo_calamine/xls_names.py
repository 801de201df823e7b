"""Reads the defined names of xls files ([MS-XLS] Lbl), which the engine does not return."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from .facts import WorkbookFacts
from .name_formulas import XLS_GRID, formula_text

_END = 0x000A
_EXTERNAL_SHEETS = 0x0017
_NAME = 0x0018
_SUPPORTING_BOOK = 0x01AE
_BEGIN = 0x0809
_BIFF8 = b"\x00\x06"
_THIS_WORKBOOK = b"\x01\x04"
_HIDDEN, _MACRO, _BUILT_IN = 0x0001, 0x000E, 0x0020
_SCOPE, _TEXT = 8, 14


def read_xls_names(records: Iterable[tuple[int, bytes]], sheets: Sequence[str], facts: WorkbookFacts) -> None:
    """Add the names that a user gave to the facts; those of the formats before Excel 97 count as not read.

    Args:
        records: kind and body of the records of the workbook, before those of its sheets.
        sheets: names of the sheets, in workbook order.
        facts: get `named_ranges` and `unread_names`.
    """
    names: list[bytes] = []
    own_books: set[int] = set()
    books = 0
    places: list[tuple[int, int, int]] = []
    is_biff8 = True
    for kind, body in records:
        if kind == _BEGIN:
            is_biff8 = body[:2] == _BIFF8
        elif kind == _NAME and len(body) > _TEXT:
            names.append(body)
        elif kind == _SUPPORTING_BOOK:
            if body[2:4] == _THIS_WORKBOOK:
                own_books.add(books)
            books += 1
        elif kind == _EXTERNAL_SHEETS:
            places += struct.iter_unpack("<Hhh", body[2 : 2 + (len(body) - 2) // 6 * 6])
        elif kind == _END:
            break

    def sheets_of(index: int) -> Sequence[str] | None:
        book, first, last = places[index]
        if book not in own_books:
            return None
        return (sheets[first], sheets[last]) if min(first, last) >= 0 else ()

    for body in names:
        flags, _, length, size = struct.unpack_from("<HBBH", body)
        if flags & (_HIDDEN | _MACRO | _BUILT_IN):
            continue
        if not is_biff8:
            facts.unread_names.append(body[_TEXT : _TEXT + length].decode("latin-1"))
            continue
        is_wide = body[_TEXT] & 1
        end = _TEXT + 1 + length * (2 if is_wide else 1)
        name = body[_TEXT + 1 : end].decode("utf-16-le" if is_wide else "latin-1", "replace")
        (scope,) = struct.unpack_from("<H", body, _SCOPE)
        text = formula_text(body[end : end + size], grid=XLS_GRID, sheets_of=sheets_of)
        facts.add_name(name, text, scope=sheets[scope - 1] if 0 < scope <= len(sheets) else None)
