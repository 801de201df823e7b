"""Reads sheet extents, error cells and defined names of xlsb files ([MS-XLSB] 2.1.4 records), which the engine does not return."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from octavo_contracts import SourceCorrupt

from .extent import Extent
from .facts import ERROR_TEXTS, WorkbookFacts
from .name_formulas import XLSB_GRID, formula_text
from .package import Package, relationships

WORKBOOK_PART = "xl/workbook.bin"

_ROW = 0
_CELLS_WITH_VALUE = range(2, 12)
_CELL_ERROR = 3
_FORMULA_ERROR = 11
_SHEET = 156
_NAME = 39
_SUPPORTING_BOOK, _THIS_WORKBOOK, _THIS_SHEET, _ADD_IN = 355, 357, 358, 667
_EXTERNAL_SHEETS = 362
_HIDDEN, _MACRO, _BUILT_IN = 0x0001, 0x000E, 0x0020


def read_xlsb_facts(package: Package) -> WorkbookFacts:
    """Read the facts of an xlsb workbook.

    Raises:
        SourceCorrupt: a part is missing or its records do not add up.
    """
    facts = WorkbookFacts(has_macros="xl/vbaproject.bin" in package.names())
    facts.has_comments = any(name.startswith("xl/comments") for name in package.names())
    targets = relationships(package, WORKBOOK_PART)
    records = list(_records(package.read(WORKBOOK_PART), part=WORKBOOK_PART))
    for kind, body in records:
        if kind != _SHEET:
            continue
        relation, name = _sheet_names(body)
        target = targets.get(relation)
        if target is None:
            raise SourceCorrupt(f"sheet {name!r} names a relationship that the workbook does not hold")
        facts.extents.append((name, _scan(package.read(target), part=target)))
    _read_names(records, facts)
    return facts


def _read_names(records: list[tuple[int, bytes]], facts: WorkbookFacts) -> None:
    """Add the names that a user gave ([MS-XLSB] BrtName)."""
    sheets = [name for name, _ in facts.extents]
    books = [kind for kind, _ in records if kind in (_SUPPORTING_BOOK, _THIS_WORKBOOK, _THIS_SHEET, _ADD_IN)]
    places: list[tuple[int, int, int]] = []
    for kind, body in records:
        if kind == _EXTERNAL_SHEETS:
            places += struct.iter_unpack("<Iii", body[4 : 4 + (len(body) - 4) // 12 * 12])

    def sheets_of(index: int) -> Sequence[str] | None:
        book, first, last = places[index]
        if books[book] != _THIS_WORKBOOK:
            return None
        return (sheets[first], sheets[last]) if min(first, last) >= 0 else ()

    for kind, body in records:
        if kind != _NAME:
            continue
        try:
            flags, _, scope, length = struct.unpack_from("<IBII", body)
            end = 13 + 2 * length
            (size,) = struct.unpack_from("<I", body, end)
        except struct.error as error:
            raise SourceCorrupt("a record of a defined name ends inside it") from error
        if flags & (_HIDDEN | _MACRO | _BUILT_IN):
            continue
        name = body[13:end].decode("utf-16-le", errors="replace")
        text = formula_text(body[end + 4 : end + 4 + size], grid=XLSB_GRID, sheets_of=sheets_of)
        facts.add_name(name, text, scope=sheets[scope] if scope < len(sheets) else None)


def _scan(data: bytes, *, part: str) -> Extent:
    extent = Extent()
    row = 0
    for kind, body in _records(data, part=part):
        if kind == _ROW and len(body) >= 4:
            (row,) = struct.unpack_from("<I", body)
        elif kind in _CELLS_WITH_VALUE and len(body) >= 8:
            (column,) = struct.unpack_from("<I", body)
            extent.add(row, column)
            if kind in (_CELL_ERROR, _FORMULA_ERROR) and len(body) > 8:
                extent.errors[row, column] = ERROR_TEXTS.get(body[8], "#ERROR!")
    return extent


def _records(data: bytes, *, part: str) -> Iterator[tuple[int, bytes]]:
    """Kind and body of each record."""
    position = 0
    try:
        while position < len(data):
            kind, position = _number(data, position, most_bytes=2)
            length, position = _number(data, position, most_bytes=4)
            if position + length > len(data):
                raise SourceCorrupt(f"part {part!r} ends inside a record")
            yield kind, data[position : position + length]
            position += length
    except IndexError as error:
        raise SourceCorrupt(f"part {part!r} ends inside a record") from error


def _number(data: bytes, position: int, *, most_bytes: int) -> tuple[int, int]:
    """A number of seven bits a byte, low bits first, and the place after it."""
    value = 0
    for index in range(most_bytes):
        byte = data[position + index]
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return value, position + index + 1
    return value, position + most_bytes


def _sheet_names(body: bytes) -> tuple[str, str]:
    """Relationship id and name of a sheet's record."""
    texts: list[str] = []
    position = 8
    for _ in range(2):
        length = int.from_bytes(body[position : position + 4], "little")
        raw = body[position + 4 : position + 4 + 2 * length]
        if len(raw) != 2 * length:
            raise SourceCorrupt("a sheet's record ends inside its name")
        texts.append(raw.decode("utf-16-le", errors="replace"))
        position += 4 + 2 * length
    return texts[0], texts[1]
