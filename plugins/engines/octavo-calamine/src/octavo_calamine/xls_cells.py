"""Number formats and links of the cells of xls files ([MS-XLS] 2.4), which the engine does not return."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from octavo_contracts.authoring.number_formats import BUILT_IN, is_notable

_END = 0x000A
_FORMAT = 0x041E
_CELL_FORMAT = 0x00E0
_URL_MONIKER = bytes.fromhex("e0c9ea79f9bace118c8200aa004ba90b")
_HAS_MONIKER, _HAS_PLACE, _HAS_NAME, _HAS_FRAME, _IS_TEXT = 0x001, 0x008, 0x010, 0x080, 0x100
_SCHEMES = ("http://", "https://", "mailto:", "ftp://")

Place = tuple[int, int]


def notable_formats(records: Iterable[tuple[int, bytes]]) -> dict[int, str]:
    """Indices of the cell formats that show more than a value, with their codes.

    Args:
        records: kind and body of the records of the workbook, before those of its sheets.
    """
    codes = dict(BUILT_IN)
    numbers: list[int] = []
    for kind, body in records:
        if kind == _FORMAT and len(body) >= 5:
            codes[int.from_bytes(body[:2], "little")] = _code(body)
        elif kind == _CELL_FORMAT and len(body) >= 4:
            numbers.append(int.from_bytes(body[2:4], "little"))
        elif kind == _END:
            break
    found = {index: codes.get(number, "") for index, number in enumerate(numbers)}
    return {index: code for index, code in found.items() if code and is_notable(code)}


def _code(body: bytes) -> str:
    length = int.from_bytes(body[2:4], "little")
    if body[4] & 1:
        return body[5 : 5 + 2 * length].decode("utf-16-le", "replace")
    return body[5 : 5 + length].decode("latin-1")


def cell_formats(body: bytes, formats: dict[int, str], *, is_many: bool) -> dict[Place, str]:
    """Places of the cells of a record that have one of the formats, with its code.

    Args:
        body: the record.
        formats: index of a cell format → code.
        is_many: whether the record holds several numbers of one row.
    """
    row, column = struct.unpack_from("<HH", body)
    step = 6 if is_many else max(1, len(body))
    indices = (
        int.from_bytes(body[place : place + 2], "little") for place in range(4, len(body) - (2 if is_many else 0), step)
    )
    return {(row, column + offset): formats[index] for offset, index in enumerate(indices) if index in formats}


def link_of(body: bytes) -> dict[Place, str]:
    """The first cell of a link's range and the address that it leads to; empty for other links."""
    try:
        row, _, column, _ = struct.unpack_from("<HHHH", body)
        (flags,) = struct.unpack_from("<I", body, 28)
        position = 32
        for flag in (_HAS_NAME, _HAS_FRAME):
            if flags & flag:
                position = _text(body, position)[1]
        address = place = ""
        if flags & _HAS_MONIKER and flags & _IS_TEXT:
            address, position = _text(body, position)
        elif flags & _HAS_MONIKER and body[position : position + 16] == _URL_MONIKER:
            (size,) = struct.unpack_from("<I", body, position + 16)
            position += 20
            address = body[position : position + size].decode("utf-16-le", "replace").partition("\0")[0]
            position += size
        if address and flags & _HAS_PLACE:
            place, _ = _text(body, position)
    except struct.error:
        return {}
    if not address.lower().startswith(_SCHEMES):
        return {}
    return {(row, column): f"{address}#{place}" if place and "#" not in address else address}


def _text(body: bytes, position: int) -> tuple[str, int]:
    """A text of a link, and the place after it."""
    (length,) = struct.unpack_from("<I", body, position)
    end = position + 4 + 2 * length
    return body[position + 4 : end].decode("utf-16-le", "replace").partition("\0")[0], end
