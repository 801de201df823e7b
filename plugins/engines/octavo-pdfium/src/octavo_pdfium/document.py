"""Opens a PDF document and reads its metadata."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from octavo_contracts import DocumentMetadata, SourceCorrupt, SourceEncrypted

from .dates import iso_date
from .native import ERROR_PASSWORD, ERROR_SECURITY, Native

_PLACEHOLDERS = frozenset({"(anonymous)", "(unspecified)", "untitled"})
"""Placeholders that PDF writers use for unknown values."""


@contextmanager
def open_document(lib: Native, data: bytes, *, password: str | None) -> Iterator[int]:
    """Context manager: open a document handle over bytes. `data` must stay alive until it exits.

    Raises:
        SourceEncrypted: a password is missing or wrong, or the encryption is not supported.
        SourceCorrupt: the bytes are not a PDF document that PDFium can open.
    """
    handle = lib.load_document(
        data, len(data), None if password is None else password.encode("utf-8", "surrogateescape")
    )
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
            "the document is encrypted in a way that PDFium cannot read",
            remedy="Save a copy without encryption in the program that made it",
        )
    return SourceCorrupt("PDFium finds no PDF document in these bytes")


def page_label(lib: Native, document: int, index: int) -> str | None:
    """Return the document's label of a page ('iv'), or None if it has no labels."""
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
