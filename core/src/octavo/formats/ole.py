"""Detects the document type of an OLE compound file from its directory of streams, without trusting its contents.

The layout follows MS-CFB. Reads only what type detection needs: names, and the first sector of a stream.
"""

from __future__ import annotations

from typing import BinaryIO, NamedTuple

_END = 0xFFFFFFFC
"""Sector numbers from here up are special values, not sectors."""
_ENTRY = 128
_MAX_DIRECTORY_SECTORS = 2048
_FIB_ENCRYPTED = 0x0100
_XLS_FILEPASS = 0x002F
_STREAM, _ROOT = 2, 5

_KINDS: tuple[tuple[str, str], ...] = (
    ("WordDocument", "application/msword"),
    ("Workbook", "application/vnd.ms-excel"),
    ("Book", "application/vnd.ms-excel"),
    ("PowerPoint Document", "application/vnd.ms-powerpoint"),
    ("__properties_version1.0", "application/vnd.ms-outlook"),
)
"""Stream that only this document type has → its media type."""


class _Entry(NamedTuple):
    name: str
    kind: int
    start: int
    size: int


class OleVerdict(NamedTuple):
    """Result of detecting an OLE file.

    Attributes:
        media_type: None if the streams identify no known type.
        encrypted: whether it is encrypted, according to its headers.
    """

    media_type: str | None
    encrypted: bool


def ole_media_type(stream: BinaryIO) -> OleVerdict | None:
    """Return the document type of an OLE compound file; None if its directory cannot be read."""
    reader = _Reader(stream)
    entries = reader.entries()
    if not entries or entries[0].kind != _ROOT:
        return None
    by_name = {entry.name: entry for entry in reversed(entries)}
    if "EncryptedPackage" in by_name:
        return OleVerdict(None, encrypted=True)
    for name, media_type in _KINDS:
        if name in by_name:
            return OleVerdict(media_type, encrypted=_is_encrypted(reader, by_name, name))
    return OleVerdict(None, encrypted=False)


def stream_names(stream: BinaryIO) -> frozenset[str]:
    """Return the names of the streams and storages of an OLE compound file; none if its directory cannot be read."""
    return frozenset(entry.name for entry in _Reader(stream).entries())


def _is_encrypted(reader: _Reader, entries: dict[str, _Entry], name: str) -> bool:
    if name == "PowerPoint Document":
        return "EncryptedSummary" in entries
    first = reader.first_sector(entries[name])
    if name == "WordDocument":
        return len(first) >= 12 and bool(int.from_bytes(first[10:12], "little") & _FIB_ENCRYPTED)
    if name in {"Workbook", "Book"}:
        return _has_record(first, _XLS_FILEPASS)
    return False


def _has_record(stream: bytes, wanted: int) -> bool:
    at = 0
    while at + 4 <= len(stream):
        if int.from_bytes(stream[at : at + 2], "little") == wanted:
            return True
        at += 4 + int.from_bytes(stream[at + 2 : at + 4], "little")
    return False


class _Reader:
    """Reads sectors of a compound file; every number in it is validated before use."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        stream.seek(0)
        self._header = stream.read(512)
        shift = self._u16(30)
        self._sector_size = 1 << shift if shift in {9, 12} else 512
        self._mini_cutoff = self._u32(56)

    def _u16(self, at: int) -> int:
        return int.from_bytes(self._header[at : at + 2], "little")

    def _u32(self, at: int) -> int:
        return int.from_bytes(self._header[at : at + 4], "little")

    def _sector(self, number: int) -> bytes:
        self._stream.seek((number + 1) * self._sector_size)
        return self._stream.read(self._sector_size)

    def _next(self, number: int) -> int:
        """Return the next sector in a chain, from the first 109 table sectors (7 MB with 512-byte sectors)."""
        per_sector = self._sector_size // 4
        table, index = divmod(number, per_sector)
        if table >= 109:
            return number + 1
        sector = self._sector(self._u32(76 + 4 * table))
        return int.from_bytes(sector[4 * index : 4 * index + 4], "little")

    def entries(self) -> list[_Entry]:
        """Return the directory's entries, the root first."""
        found: list[_Entry] = []
        number, seen = self._u32(48), set[int]()
        while number < _END and number not in seen and len(seen) < _MAX_DIRECTORY_SECTORS:
            seen.add(number)
            sector = self._sector(number)
            for at in range(0, len(sector) - _ENTRY + 1, _ENTRY):
                if entry := _entry(sector[at : at + _ENTRY]):
                    found.append(entry)
            number = self._next(number)
        return found

    def first_sector(self, entry: _Entry) -> bytes:
        """Return the first sector of a stream; empty for small streams, which are stored in the mini stream."""
        if entry.kind != _STREAM or entry.size < self._mini_cutoff or entry.start >= _END:
            return b""
        return self._sector(entry.start)


def _entry(raw: bytes) -> _Entry | None:
    length = int.from_bytes(raw[64:66], "little")
    kind = raw[66]
    if kind == 0 or not 2 <= length <= 64:
        return None
    return _Entry(
        name=raw[: length - 2].decode("utf-16-le", "replace"),
        kind=kind,
        start=int.from_bytes(raw[116:120], "little"),
        size=int.from_bytes(raw[120:124], "little"),
    )
