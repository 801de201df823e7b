"""Makes a brief of a library's document."""

from __future__ import annotations

from octavo.text.deadline import DeadlineExceeded, deadline
from octavo_contracts import ConversionTimeout, Summariser
from octavo_library.facade.document import Document

from .making import Brief, make_brief


def brief(document: Document, *, summariser: Summariser | None = None) -> Brief:
    """Make a brief of a document's active version: facts, summary and indexes, quoted from the document (INT-1).

    Args:
        document: the document.
        summariser: writes summary and key points in its own words; None: they are quoted sentences.

    Raises:
        UsageError: the document has no content.
        LibraryDamaged: files of its version are missing or altered.
        ConversionTimeout: making it took longer than `Settings.document_seconds`.
    """
    try:
        with deadline(document.context.runtime.settings.budget(None).seconds):
            return _brief_of(document, summariser)
    except DeadlineExceeded as error:
        raise ConversionTimeout(
            f"no brief was made: {error}",
            source=document.title or document.id,
            remedy="Increase document_seconds, the time limit of a document",
        ) from error


def _brief_of(document: Document, summariser: Summariser | None) -> Brief:
    text = document.structured_text
    paged = [page.markdown for page in document.pages]
    return make_brief(
        text,
        paged if len(paged) == len(text.pages) else [document.markdown],
        metadata=document.result.metadata,
        document_type=document.result.document_type,
        summariser=summariser,
    )
