"""Properties of an Outlook message: streams and fixed values in the storages of a compound file ([MS-OXMSG])."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from olefile import OleFileIO  # type: ignore[import-untyped]  # ships no types

_STREAM = "__substg1.0_"
_PROPERTIES = "__properties_version1.0"
_HEADER_BYTES = {"message": 32, "embedded": 24, "part": 8}
"""Bytes before the entries of the property stream: of the file's own message, of one inside, of a recipient or an attachment."""

_ENTRY_BYTES = 16
_CODE_PAGES = {
    65001: "utf-8",
    20127: "ascii",
    28591: "iso-8859-1",
    28592: "iso-8859-2",
    20866: "koi8-r",
    50220: "iso-2022-jp",
}
_INTERNET_CODE_PAGE, _MESSAGE_CODE_PAGE = "3FDE", "3FFD"
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
MAX_STREAM_BYTES = 200 * 2**20
"""Longest stream that is read; a longer one counts as absent."""


class Properties:
    """The properties of one storage: a message, a recipient or an attachment.

    Args:
        file: the compound file, open.
        path: names of the storages from the root to this one.
        kind: which header the property stream has.
        encoding: of strings that are not Unicode; None: as the storage's own code page says.
    """

    def __init__(self, file: OleFileIO, path: tuple[str, ...], *, kind: str, encoding: str | None = None) -> None:
        self._file = file
        self.path = path
        self._values = self._fixed_values(_HEADER_BYTES[kind])
        self.encoding = encoding or self._own_encoding()

    def text(self, tag: str) -> str:
        """Return a string property on as many lines as it has; '' where there is none."""
        if (wide := self._stream(f"{tag}001F")) is not None:
            return wide.decode("utf-16-le", errors="replace").rstrip("\x00").strip("\x00")
        narrow = self._stream(f"{tag}001E")
        return "" if narrow is None else narrow.decode(self.encoding, errors="replace").rstrip("\x00")

    def binary(self, tag: str) -> bytes | None:
        """Return a binary property, or None."""
        return self._stream(f"{tag}0102")

    def number(self, tag: str) -> int | None:
        """Return a 32-bit integer property, or None."""
        value = self._values.get(f"{tag}0003")
        return None if value is None else int.from_bytes(value[:4], "little")

    def moment(self, tag: str) -> datetime | None:
        """Return a time property in UTC, to the second; None if it is absent or out of range."""
        ticks = int.from_bytes(self._values.get(f"{tag}0040", b""), "little")
        if not ticks:
            return None
        try:
            return (_EPOCH + timedelta(microseconds=ticks // 10)).replace(microsecond=0)
        except OverflowError:
            return None

    def charset(self) -> str:
        """Return the charset of an HTML body that is stored as bytes."""
        page = self.number(_INTERNET_CODE_PAGE)
        return self.encoding if page is None else _codec(page)

    def children(self, prefix: str) -> list[Properties]:
        """Return the storages of recipients or attachments below this one, in the order of their numbers."""
        depth = len(self.path)
        names = {
            entry[depth]
            for entry in self._file.listdir(streams=True, storages=True)
            if len(entry) > depth and tuple(entry[:depth]) == self.path and entry[depth].startswith(prefix)
        }
        return [
            Properties(self._file, (*self.path, name), kind="part", encoding=self.encoding) for name in sorted(names)
        ]

    def embedded(self, tag: str) -> Properties | None:
        """Return the message stored inside this attachment, or None."""
        path = (*self.path, f"{_STREAM}{tag}000D")
        if not self._file.exists("/".join((*path, _PROPERTIES))):
            return None
        return Properties(self._file, path, kind="embedded")

    def has_storage(self, tag: str) -> bool:
        """Return whether a property is a storage, as embedded objects are."""
        return bool(self._file.exists("/".join((*self.path, f"{_STREAM}{tag}000D"))))

    def _own_encoding(self) -> str:
        pages = (self.number(_MESSAGE_CODE_PAGE), self.number(_INTERNET_CODE_PAGE))
        return next((_codec(page) for page in pages if page is not None), "cp1252")

    def _stream(self, name: str) -> bytes | None:
        path = "/".join((*self.path, _STREAM + name))
        if not self._file.exists(path) or self._file.get_size(path) > MAX_STREAM_BYTES:
            return None
        data: bytes = self._file.openstream(path).read()
        return data

    def _fixed_values(self, header: int) -> dict[str, bytes]:
        path = "/".join((*self.path, _PROPERTIES))
        if not self._file.exists(path):
            return {}
        content: bytes = self._file.openstream(path).read()
        values: dict[str, bytes] = {}
        for place in range(header, len(content) - _ENTRY_BYTES + 1, _ENTRY_BYTES):
            tag = int.from_bytes(content[place : place + 4], "little")
            values[f"{tag:08X}"] = content[place + 8 : place + _ENTRY_BYTES]
        return values


def _codec(page: int) -> str:
    name = _CODE_PAGES.get(page, f"cp{page}")
    try:
        "".encode(name)
    except LookupError:
        return "cp1252"
    return name


def has_cut_streams(file: OleFileIO) -> bool:
    """Return whether a stream that was read has fewer bytes than the directory says, as in a file that is cut off."""
    return any("less than declared" in str(issue) for _, issue in file.parsing_issues)
