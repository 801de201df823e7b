"""Opening a PDF document, and what it says of itself."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone

from octavo_contracts import DocumentMetadata, SourceCorrupt, SourceEncrypted

from .native import ERROR_PASSWORD, ERROR_SECURITY, Native

_PLACEHOLDERS = frozenset({"(anonymous)", "(unspecified)", "untitled"})
"""What writers put where they know nothing."""

_PDF_DATE = re.compile(
    r"(?:D:)?(?P<year>\d{4})(?P<month>\d\d)?(?P<day>\d\d)?(?P<time>\d{4}(?:\d\d)?)?"
    r"(?:(?P<sign>[+\-Z])(?:(?P<hours>\d\d)'?(?P<minutes>\d\d)?'?)?)?",
    re.ASCII,
)


@contextmanager
def open_document(lib: Native, data: bytes, *, password: str | None) -> Iterator[int]:
    """A document handle over bytes, closed at the end; `data` must stay alive as long.

    Raises:
        SourceEncrypted: a password is needed, does not fit, or the encryption is of an unknown kind.
        SourceCorrupt: PDFium finds no document in the bytes.
    """
    handle = lib.load_document(data, len(data), None if password is None else password.encode())
    if not handle:
        raise _opening_error(lib.last_error(), given=password is not None)
    try:
        yield handle
    finally:
        lib.close_document(handle)


def _opening_error(code: int, *, given: bool) -> SourceCorrupt | SourceEncrypted:
    if code == ERROR_PASSWORD:
        return SourceEncrypted("the password does not fit" if given else "the document is encrypted")
    if code == ERROR_SECURITY:
        return SourceEncrypted(
            "the document is encrypted in a way that PDFium can not read",
            remedy="Save a copy without encryption in the program that made it",
        )
    return SourceCorrupt("PDFium finds no PDF document in these bytes")


def page_label(lib: Native, document: int, index: int) -> str | None:
    """What the document calls a page ('iv'), or None where it has no labels."""
    return _text(lambda buffer, size: lib.page_label(document, index, buffer, size))


def read_metadata(lib: Native, document: int) -> DocumentMetadata:
    """Title, author, date and language; subject, keywords and programs under `fields`."""

    def entry(key: str) -> str | None:
        return _text(lambda buffer, size: lib.meta_text(document, key.encode(), buffer, size))

    fields = {name.lower(): entry(name) for name in ("Subject", "Keywords", "Creator", "Producer")}
    modified = iso_date(entry("ModDate"))
    return DocumentMetadata(
        title=entry("Title"),
        author=entry("Author"),
        date=iso_date(entry("CreationDate")) or modified,
        language=_text(lambda buffer, size: lib.language(document, buffer, size)),
        fields={
            **{name: value for name, value in fields.items() if value},
            **({"modified": modified} if modified else {}),
            **({"encrypted": True} if lib.security_revision(document) >= 0 else {}),
        },
    )


def _text(read: Callable[[object, int], int]) -> str | None:
    """Call a PDFium function that fills a UTF-16 buffer and returns the size in bytes, terminator included."""
    size = read(None, 0)
    if size <= 2:
        return None
    buffer = ctypes.create_string_buffer(size)
    read(buffer, size)
    text = buffer.raw[: size - 2].decode("utf-16-le", "replace").replace("\0", "").strip()
    return None if not text or text.lower() in _PLACEHOLDERS else text


def iso_date(text: str | None) -> str | None:
    """A PDF date (ISO 32000-2, 7.9.4) as ISO 8601, as far as it goes: 'D:2024' is '2024'; None if it is none."""
    match = _PDF_DATE.match(text or "")
    if match is None:
        return None
    year, month, day, time = match.group("year", "month", "day", "time")
    try:
        if not (month and day):
            return f"{year}-{month}" if month and 1 <= int(month) <= 12 else year
        date = datetime.strptime(year + month + day + (time or "").ljust(6, "0"), "%Y%m%d%H%M%S")
        return date.replace(tzinfo=_zone(match)).isoformat() if time else date.date().isoformat()
    except ValueError:
        return None


def _zone(match: re.Match[str]) -> timezone | None:
    sign, hours, minutes = match.group("sign", "hours", "minutes")
    if sign is None:
        return None
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    return timezone(-offset if sign == "-" else offset)
