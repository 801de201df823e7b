"""Opens a PDF document with pypdf and reads its metadata."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from octavo_contracts import ContentTooLarge, DocumentMetadata, SourceCorrupt, SourceEncrypted, ToolUnavailable
from octavo_contracts.authoring import iso_date

if TYPE_CHECKING:
    from pypdf import PasswordType, PdfReader

BROKEN = (
    ArithmeticError, AssertionError, AttributeError, LookupError, NotImplementedError, RecursionError, TypeError,
    ValueError, struct.error, zlib.error,
)  # fmt: skip
"""Exceptions besides pypdf's own that it raises for malformed files."""


def engine_errors() -> tuple[type[Exception], ...]:
    """All exceptions that pypdf raises for broken files.

    Raises:
        ToolUnavailable: pypdf is not installed.
    """
    try:
        from pypdf.errors import DependencyError, DeprecationError, PyPdfError
    except ImportError as error:
        raise ToolUnavailable(
            f"pypdf cannot be imported: {error}", plugin="pypdf", remedy="Run `pip install 'pypdf[crypto]>=7.1,<8'`"
        ) from error
    return (PyPdfError, DependencyError, DeprecationError, *BROKEN)


def open_reader(data: bytes, *, password: str | None) -> PdfReader:
    """Open a reader over bytes; decrypt it if necessary.

    Raises:
        SourceEncrypted: a password is missing or wrong, or the encryption is not supported.
        SourceCorrupt: the bytes are not a PDF document that pypdf can open.
        ContentTooLarge: a limit of pypdf was exceeded, for example the number of page tree entries.
        ToolUnavailable: the document is encrypted and the library for that is not installed.
    """
    errors = engine_errors()
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError

    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not _unlocked(reader.decrypt(password or ""), given=password is not None):
            raise SourceEncrypted("the document is encrypted" if password is None else "the password does not fit")
        reader.get_num_pages()
    except DependencyError as error:
        raise ToolUnavailable(f"pypdf misses a library: {error}", remedy="Run `pip install 'pypdf[crypto]'`") from error
    except FileNotDecryptedError as error:
        raise SourceEncrypted(f"the document cannot be decrypted: {error}") from error
    except LimitReachedError as error:
        raise ContentTooLarge(f"a limit of pypdf was reached: {_reason(error)}") from error
    except errors as error:
        raise SourceCorrupt(f"pypdf cannot read it: {_reason(error)}") from error
    return reader


def _reason(error: Exception) -> str:
    return str(error).rstrip(".") or type(error).__name__


def _unlocked(fits: PasswordType, *, given: bool) -> bool:
    """Whether a document is open. Without a password, an empty one counts as a reader's, never as the owner's."""
    return bool(fits) if given else fits.name == "USER_PASSWORD"


def claimed_pages(reader: PdfReader) -> int | None:
    """Return how many pages the document says it has; None if it does not say it in a way that can be read."""
    try:
        count = reader.root_object["/Pages"]["/Count"]  # type: ignore[index]
    except engine_errors():
        return None
    return int(count) if isinstance(count, int) else None


def page_labels(reader: PdfReader, count: int) -> list[str | None]:
    """Return the document's labels of its pages; None for each without a label."""
    try:
        if "/PageLabels" not in reader.root_object:
            return [None] * count
        labels = reader.page_labels
    except engine_errors():
        return [None] * count
    return [label or None for label in labels[:count]] + [None] * (count - len(labels))


def read_metadata(reader: PdfReader) -> DocumentMetadata:
    """Title, author, date and language; subject, keywords and programs under `fields`."""
    try:
        info: Mapping[str, object] = reader.metadata or {}
        entries = {name: text for name in info if (text := _text(info, name))}
        language = _text(reader.root_object, "/Lang")
    except engine_errors():
        return DocumentMetadata()
    names = ("Subject", "Keywords", "Creator", "Producer")
    return DocumentMetadata(
        title=entries.get("/Title"),
        author=entries.get("/Author"),
        date=iso_date(entries.get("/CreationDate")) or iso_date(entries.get("/ModDate")),
        language=language,
        fields={
            **{name.lower(): entries[f"/{name}"] for name in names if f"/{name}" in entries},
            **({"encrypted": True} if reader.is_encrypted else {}),
        },
    )


def _text(entries: Mapping[str, object], name: str) -> str | None:
    """An entry that is a string, resolved; None for anything else."""
    from pypdf.generic import PdfObject

    value = entries.get(name)
    value = value.get_object() if isinstance(value, PdfObject) else value
    return (str(value).replace("\0", "").strip() or None) if isinstance(value, str) else None
