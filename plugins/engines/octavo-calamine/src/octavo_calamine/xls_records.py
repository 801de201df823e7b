"""Reads sheet extents, error cells, links, number formats and defined names of xls files ([MS-XLS] 2.3 records), which the engine does not return.

The engine reserves memory for the declared dimensions before it reads a cell, so these count as well.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from octavo_contracts import SourceCorrupt, SourceEncrypted

from .compound_file import CompoundFile
from .extent import Extent
from .facts import ENCRYPTED_REMEDY, ERROR_TEXTS, WorkbookFacts
from .xls_cells import cell_formats, link_of, notable_formats
from .xls_names import read_xls_names

_FORMULA = 0x0006
_END = 0x000A
_NOTE = 0x001C
_ENCRYPTION = 0x002F
_SHEET = 0x0085
_MANY_NUMBERS = 0x00BD
_DIMENSIONS = 0x0200
_BOOL_OR_ERROR = 0x0205
_BEGIN = 0x0809
_LINK = 0x01B8
_CHART = b"\x20\x00"
"""Type of a stream that is a chart ([MS-XLS] 2.4.21)."""
_CELLS = frozenset((_FORMULA, 0x00D6, 0x00FD, 0x0203, 0x0204, _BOOL_OR_ERROR, 0x027E, _MANY_NUMBERS))


def read_xls_facts(data: bytes) -> WorkbookFacts:
    """Read the facts of an xls workbook.

    Raises:
        SourceEncrypted: the workbook, or an xlsx inside the compound file, is encrypted.
        SourceCorrupt: there is no workbook stream, or its records do not add up.
    """
    container = CompoundFile(data)
    if container.stream("EncryptedPackage", "EncryptionInfo") is not None:
        raise SourceEncrypted("the workbook is protected by a password", remedy=ENCRYPTED_REMEDY)
    stream = container.stream("Workbook", "Book")
    if stream is None:
        raise SourceCorrupt("the compound file holds no workbook")
    facts = WorkbookFacts(has_macros=container.stream("_VBA_PROJECT") is not None)
    formats = notable_formats(_records(stream, 0))
    sheets = _sheets(stream)
    read_xls_names(_records(stream, 0), [name for name, _ in sheets], facts)
    for name, offset in sheets:
        if offset >= len(stream):
            raise SourceCorrupt(f"sheet {name!r} starts after the end of the workbook")
        facts.extents.append((name, _scan(stream, offset, facts, formats)))
    return facts


def _sheets(stream: bytes) -> list[tuple[str, int]]:
    """Name and place of each sheet, in workbook order."""
    found: list[tuple[str, int]] = []
    for kind, body in _records(stream, 0):
        if kind == _ENCRYPTION:
            raise SourceEncrypted("the workbook is protected by a password", remedy=ENCRYPTED_REMEDY)
        if kind == _SHEET and len(body) >= 7:
            (offset,) = struct.unpack_from("<I", body)
            found.append((_sheet_name(body, number=len(found) + 1), offset))
        elif kind == _END:
            break
    return found


def _sheet_name(body: bytes, *, number: int) -> str:
    """A sheet's name; a name of our own for the old encodings, where the order alone tells the sheets apart."""
    if len(body) >= 8:
        length, wide = body[6], body[7]
        if wide == 1 and len(body) >= 8 + 2 * length:
            return body[8 : 8 + 2 * length].decode("utf-16-le", errors="replace")
        if wide == 0 and len(body) >= 8 + length:
            return body[8 : 8 + length].decode("latin-1")
    return f"#{number}"


def _scan(stream: bytes, offset: int, facts: WorkbookFacts, formats: dict[int, str]) -> Extent:
    extent = Extent()
    depth = 0
    for kind, body in _records(stream, offset):
        if kind == _BEGIN:
            depth += 1
            extent.unread_charts += depth > 1 and body[2:4] == _CHART
        elif kind == _END:
            depth -= 1
            if depth <= 0:
                break
        elif kind == _NOTE:
            facts.has_comments = True
        elif kind == _LINK and depth == 1:
            extent.links.update(link_of(body))
        elif kind == _DIMENSIONS:
            _stretch_to_dimensions(extent, body)
        elif kind in _CELLS and len(body) >= 6:
            row, column = struct.unpack_from("<HH", body)
            extent.add(row, column)
            if depth == 1:
                extent.formats.update(cell_formats(body, formats, is_many=kind == _MANY_NUMBERS))
            if kind == _MANY_NUMBERS:
                extent.add(row, struct.unpack_from("<H", body, len(body) - 2)[0])
            elif depth == 1 and (error := _error_of(kind, body)):
                extent.errors[row, column] = error
    return extent


def _stretch_to_dimensions(extent: Extent, body: bytes) -> None:
    layout = "<IIHH" if len(body) >= 14 else "<HHHH"
    if len(body) < struct.calcsize(layout):
        return
    top, bottom, left, right = struct.unpack_from(layout, body)
    if bottom > top and right > left:
        extent.add(top, left)
        extent.add(bottom - 1, right - 1)


def _error_of(kind: int, body: bytes) -> str | None:
    """What an error cell shows, or None where the cell holds something else."""
    if kind == _BOOL_OR_ERROR and len(body) >= 8 and body[7] == 1:
        return ERROR_TEXTS.get(body[6], "#ERROR!")
    if kind == _FORMULA and len(body) >= 14 and body[12:14] == b"\xff\xff" and body[6] == 2:
        return ERROR_TEXTS.get(body[8], "#ERROR!")
    return None


def _records(stream: bytes, position: int) -> Iterator[tuple[int, bytes]]:
    """Kind and body of each record from a place on."""
    while position + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, position)
        yield kind, stream[position + 4 : position + 4 + length]
        position += 4 + length
