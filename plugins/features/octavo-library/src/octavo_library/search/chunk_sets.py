"""Reads a version's chunk set from the store as index rows, verified against the text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from octavo_contracts import OctavoError, Span, UsageError, page_spans, store_ref

from ..storage.files.layout import version_folder


class Wanted(NamedTuple):
    """A chunk set that should be in the index.

    Attributes:
        document_id: the document.
        raw_hash: SHA-256 of its bytes, which locates its artifacts.
        version: its active version.
        text_hash: SHA-256 of the version's canonical.txt.
        config: the chunking config.
    """

    document_id: str
    raw_hash: str
    version: int
    text_hash: str | None
    config: str


class Unreadable(Exception):
    """The chunk set or its text is missing or was altered; the message says which."""


class Missing(Unreadable):
    """No chunk set exists for the config; it can be made."""


class Row(NamedTuple):
    """A chunk; offsets refer to canonical.txt, where `page_start` is the start of the page's body."""

    chunk_id: str
    page: int | None
    page_start: int
    start: int
    end: int
    markdown_start: int | None
    markdown_end: int | None
    text: str


def folder_of(wanted: Wanted) -> str:
    """The reference of the version's folder."""
    return store_ref(version_folder(wanted.raw_hash, wanted.version))


def read_chunk_set(read: Callable[[str], bytes], wanted: Wanted) -> list[Row]:
    """The chunks of a version under a config, in order.

    Args:
        read: returns the bytes of a store reference.
        wanted: the chunk set.

    Raises:
        Missing: the text is intact, but there is no such set.
        Unreadable: the text was altered, or the set does not fit it.
    """
    text = read_text(read, wanted)
    try:
        data = read(f"{folder_of(wanted)}/chunks/{wanted.config}/manifest.json")
    except UsageError as error:
        raise Missing(error.message) from error
    except OctavoError as error:
        raise Unreadable(error.message) from error
    try:
        return _rows(json.loads(data)["chunks"], text)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise Unreadable(f"the chunk set {wanted.config!r} was altered: {error!r}") from error


def read_text(read: Callable[[str], bytes], wanted: Wanted) -> str:
    """The canonical text of a version.

    Raises:
        Unreadable: it cannot be read or was altered: no quotation from it could be verified.
    """
    try:
        data = read(f"{folder_of(wanted)}/canonical.txt")
    except OctavoError as error:
        raise Unreadable(error.message) from error
    if wanted.text_hash is not None and hashlib.sha256(data).hexdigest() != wanted.text_hash:
        raise Unreadable("canonical.txt was altered: its hash is not the one in the index")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Unreadable(f"canonical.txt is not UTF-8: {error}") from error


def _rows(chunks: list[dict[str, Any]], text: str) -> list[Row]:
    pages = page_spans(text) if any(chunk["page"] for chunk in chunks) else ()
    rows = []
    for chunk in chunks:
        span, page, shown = Span(**chunk["span"]), chunk["page"], chunk["markdown_span"] or {}
        within = pages[page - 1] if page else Span(start=0, end=len(text))
        if not within.start <= span.start <= span.end <= within.end:
            raise ValueError(f"chunk {chunk['chunk_id']} lies outside its text")
        place = (span.start, span.end, shown.get("start"), shown.get("end"))
        rows.append(Row(chunk["chunk_id"], page, within.start, *place, span.of(text)))
    return rows
