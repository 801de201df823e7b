"""The compound file that holds an xls workbook ([MS-CFB]): just enough to read one stream by its name."""

from __future__ import annotations

import struct

from octavo_contracts import SourceCorrupt

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_HEADER_BYTES = 512
_DIRECTORY_ENTRY_BYTES = 128
_HIGHEST_SECTOR = 0xFFFFFFFA
_STREAM = 2
_ROOT = 5


class CompoundFile:
    """A compound file in memory.

    Raises:
        SourceCorrupt: the header or a chain of sectors does not add up.
    """

    def __init__(self, data: bytes) -> None:
        if len(data) < _HEADER_BYTES or not data.startswith(MAGIC):
            raise SourceCorrupt("the compound file's header is cut off")
        self._data = data
        sector_shift, mini_shift = struct.unpack_from("<HH", data, 30)
        if sector_shift not in (9, 12) or mini_shift != 6:
            raise SourceCorrupt("the compound file's header names sector sizes that do not exist")
        self._sector = 1 << sector_shift
        self._mini_sector = 1 << mini_shift
        (directory,) = struct.unpack_from("<I", data, 48)
        self._mini_cutoff, mini_fat = struct.unpack_from("<II", data, 56)
        self._fat = self._read_fat()
        self._mini_fat = _numbers(self._chain(mini_fat)) if mini_fat < _HIGHEST_SECTOR else ()
        self._entries = self._read_directory(self._chain(directory))

    def stream(self, *names: str) -> bytes | None:
        """Return the bytes of the first stream with one of these names, ignoring case; None if there is none."""
        for name in names:
            for kind, entry_name, start, size in self._entries:
                if kind == _STREAM and entry_name.lower() == name.lower():
                    return self._content(start, size)
        return None

    def _content(self, start: int, size: int) -> bytes:
        if size >= self._mini_cutoff:
            return self._chain(start)[:size]
        roots = [entry for entry in self._entries if entry[0] == _ROOT]
        if not roots:
            raise SourceCorrupt("the compound file has no root entry")
        container = self._chain(roots[0][2])
        pieces = [
            container[number * self._mini_sector : (number + 1) * self._mini_sector]
            for number in _walk(start, self._mini_fat)
        ]
        return b"".join(pieces)[:size]

    def _read_fat(self) -> tuple[int, ...]:
        sectors = [number for number in struct.unpack_from("<109I", self._data, 76) if number < _HIGHEST_SECTOR]
        (further,) = struct.unpack_from("<I", self._data, 68)
        seen: set[int] = set()
        while further < _HIGHEST_SECTOR:
            if further in seen:
                raise SourceCorrupt("the compound file's sector list runs in a circle")
            seen.add(further)
            numbers = _numbers(self._sector_bytes(further))
            sectors.extend(number for number in numbers[:-1] if number < _HIGHEST_SECTOR)
            further = numbers[-1]
        return tuple(number for sector in sectors for number in _numbers(self._sector_bytes(sector)))

    def _sector_bytes(self, number: int) -> bytes:
        start = (number + 1) * self._sector
        piece = self._data[start : start + self._sector]
        if not piece:
            raise SourceCorrupt(f"the compound file ends before sector {number}")
        return piece.ljust(self._sector, b"\x00")

    def _chain(self, start: int) -> bytes:
        return b"".join(self._sector_bytes(number) for number in _walk(start, self._fat))

    @staticmethod
    def _read_directory(data: bytes) -> list[tuple[int, str, int, int]]:
        entries = []
        for place in range(0, len(data) - _DIRECTORY_ENTRY_BYTES + 1, _DIRECTORY_ENTRY_BYTES):
            (name_bytes,) = struct.unpack_from("<H", data, place + 64)
            name = data[place : place + max(0, min(name_bytes, 64) - 2)].decode("utf-16-le", errors="replace")
            start, size = struct.unpack_from("<II", data, place + 116)
            entries.append((data[place + 66], name, start, size))
        return entries


def _numbers(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])


def _walk(start: int, table: tuple[int, ...]) -> list[int]:
    """Sector numbers of a chain."""
    chain: list[int] = []
    number = start
    while number < _HIGHEST_SECTOR:
        if number >= len(table) or len(chain) > len(table):
            raise SourceCorrupt("a chain of the compound file's sectors is broken or runs in a circle")
        chain.append(number)
        number = table[number]
    return chain
