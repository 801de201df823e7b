"""Opens the original of a document, wherever it can still be read."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from octavo.documents.source import Source

from ..ingestion.originals import open_original, stored_originals
from ..storage import DocumentRecord, PolicyContext
from .context import LibraryContext


def open_original_of(
    context: LibraryContext,
    record: DocumentRecord,
    paths: Iterable[str],
    *,
    shown: str,
    policy: PolicyContext | None,
) -> Source:
    """Open the original of a document for reading.

    Args:
        context: the library's parts.
        record: the document's row of the index.
        paths: references to where the asker saw it.
        shown: the document as messages name it.
        policy: who asks; None: the library's owner.

    Raises:
        SourceMissing: no path leads to it any more.
        SourceChanged: other bytes stand in its place.
    """
    known = record.original_ref
    stored: Iterable[str] = ()
    if context.index.documents.came_without_path(record.document_id, policy=policy):
        stored = stored_originals(context.artifacts, record.raw_hash)
    places = chain([known] if known else [], paths, stored)
    return open_original(places, context.artifacts, raw_hash=record.raw_hash, shown=shown)
