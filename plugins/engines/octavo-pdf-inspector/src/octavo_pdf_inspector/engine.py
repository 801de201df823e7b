"""Calls of pdf-inspector: no recognition, no network; failures as typed errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import TypeVar

from octavo_contracts import ContentTooLarge, SourceCorrupt, ToolUnavailable

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
    """Markdown of every page that it finds; empty for a page without text, or with none that it trusts."""
    distrusted: dict[int, str]
    """Page from 1 → why pdf-inspector does not trust its text, in its own word; empty for a page without text."""


def engine_version() -> str:
    """Name and version, such as 'pdf-inspector 1.25.2'."""
    return f"pdf-inspector {version('pdf-inspector')}"


def read(data: bytes) -> Reading:
    """Let pdf-inspector read every page.

    Pages are always read together: pdf-inspector compares them for running heads.

    Args:
        data: the document, without encryption.

    Raises:
        SourceCorrupt: pdf-inspector cannot read it, or panicked over it.
        ContentTooLarge: more text than `MAX_CHARS`.
        ToolUnavailable: pdf-inspector cannot be imported.
    """
    try:
        import pdf_inspector
    except ImportError as error:
        raise ToolUnavailable(f"pdf-inspector cannot be imported: {error}", remedy=INSTALL) from error
    found = _call(partial(pdf_inspector.extract_pages_markdown_bytes, data))
    distrusted = {page.page + 1: page.ocr_reason or "" for page in found.pages if page.needs_ocr}
    texts = {page.page + 1: page.markdown for page in found.pages}
    for number, why in distrusted.items():
        if why == GARBLED:
            # Leaders of a table of contents are enough for the suspicion: whether a text is garbled is for the host to say.
            texts[number] = _call(partial(pdf_inspector.process_pdf_bytes, data, pages=[number])).markdown or ""
    if sum(map(len, texts.values())) > MAX_CHARS:
        raise ContentTooLarge(f"the text is longer than {MAX_CHARS:,} characters")
    return Reading(pages=tuple(texts[number] for number in sorted(texts)), distrusted=distrusted)


def _call(function: Callable[[], Result]) -> Result:
    try:
        return function()
    except (ValueError, RuntimeError, OSError) as error:
        said = " ".join(str(error).split())[:300]
        raise SourceCorrupt(f"pdf-inspector cannot read it: {said}") from error
    except BaseException as error:
        # A panic of Rust code is no Exception.
        if type(error).__name__ != "PanicException":
            raise
        raise SourceCorrupt(f"pdf-inspector panicked over the document: {error}") from error
