"""Calls of pdf-inspector: no recognition, no network; failures as typed errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from types import ModuleType
from typing import TypeVar

from octavo_contracts import ContentTooLarge, DocumentMetadata, SourceCorrupt, SourceEncrypted, ToolUnavailable
from octavo_contracts.authoring import iso_date

PLUGIN = "pdf-inspector"
INSTALL = "Run: pip install octavo-pdf-inspector"
MAX_CHARS = 50_000_000
"""Characters of a whole document; above it `ContentTooLarge`."""

GARBLED = "suspected_garbled_text"
"""pdf-inspector's word for a page whose characters look wrong."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Reading:
    """A document as pdf-inspector reads it."""

    pages: tuple[str, ...]
    """Markdown of every page; empty for a page without text, or with none that can be seen."""
    distrusted: dict[int, str]
    """Page from 1 → why pdf-inspector does not trust its text, in its own word; empty for a page without text."""
    metadata: DocumentMetadata


def engine_version() -> str:
    """Name and version, such as 'pdf-inspector 1.25.2'."""
    return f"pdf-inspector {version('pdf-inspector')}"


def read(data: bytes, *, password: str | None) -> Reading:
    """Let pdf-inspector read every page.

    Pages are always read together: pdf-inspector derives heading levels from the fonts of the whole document.

    Args:
        data: the document.
        password: what opens it, or None.

    Raises:
        SourceCorrupt: pdf-inspector cannot read it, or panicked over it.
        SourceEncrypted: a password is missing or wrong.
        ContentTooLarge: more text than `MAX_CHARS`.
        ToolUnavailable: pdf-inspector cannot be imported.
    """
    engine = _engine()
    reading = _read_open(engine, data) if password is None else _read_locked(engine, data, password)
    if sum(map(len, reading.pages)) > MAX_CHARS:
        raise ContentTooLarge(f"the text is longer than {MAX_CHARS:,} characters")
    return reading


def _engine() -> ModuleType:
    try:
        import pdf_inspector
    except ImportError as error:
        raise ToolUnavailable(f"pdf-inspector cannot be imported: {error}", remedy=INSTALL) from error
    return pdf_inspector


def _read_open(engine: ModuleType, data: bytes) -> Reading:
    locked = "the document is encrypted"
    found = _call(lambda: engine.extract_pages_markdown_bytes(data), locked=locked)
    told = _call(lambda: engine.detect_pdf_bytes(data), locked=locked)
    distrusted = {page.page + 1: page.ocr_reason or "" for page in found.pages if page.needs_ocr}
    texts = {page.page + 1: page.markdown for page in found.pages}
    for number, why in distrusted.items():
        if why == GARBLED:
            # Leaders of a table of contents are enough for the suspicion: whether a text is garbled is for the host to say.
            again = _call(partial(engine.process_pdf_bytes, data, pages=[number]), locked=locked)
            texts[number] = again.markdown or ""
    return Reading(
        pages=tuple(texts[number] for number in sorted(texts)),
        distrusted=distrusted,
        metadata=DocumentMetadata(
            title=told.title or None,
            author=told.author or None,
            date=iso_date(told.creation_date) or iso_date(told.mod_date),
            fields={
                name: value for name in ("subject", "keywords", "creator", "producer") if (value := getattr(told, name))
            },
        ),
    )


def _read_locked(engine: ModuleType, data: bytes, password: str) -> Reading:
    """Read an encrypted document: the one call that takes a password gives no metadata, and drops running heads."""
    found = _call(
        lambda: engine.process_pdf_with_ocr_bytes(data, mode="off", offline=True, password=password),
        locked="the password does not fit",
    )
    return Reading(
        pages=tuple(page.markdown for page in found.pages),
        distrusted={one.page: ", ".join(one.reasons) for one in found.ocr_reasons_by_page},
        metadata=DocumentMetadata(),
    )


def _call(function: Callable[[], Result], *, locked: str) -> Result:
    try:
        return function()
    except (ValueError, RuntimeError, OSError) as error:
        said = " ".join(str(error).split())[:300]
        if "encrypt" in said.lower() or "password" in said.lower():
            raise SourceEncrypted(locked) from error
        raise SourceCorrupt(f"pdf-inspector cannot read it: {said}") from error
    except BaseException as error:
        # A panic of Rust code is no Exception.
        if type(error).__name__ != "PanicException":
            raise
        raise SourceCorrupt(f"pdf-inspector panicked over the document: {error}") from error
