"""The brief of a library's document: the stored one if it is valid, else a new one, which is stored (INT-1, INT-2)."""

from __future__ import annotations

import logging
from dataclasses import replace

from octavo_contracts import ConversionTimeout, OctavoError, Summariser
from octavo_library.facade.document import Document
from octavo_library.summaries import keep_summary, valid_summary
from octavo_text.deadline import DeadlineExceeded, deadline

from .brief_maker import MAKER, from_content, to_content
from .making import Brief, make_brief

_log = logging.getLogger("octavo.brief")


def brief(document: Document, *, summariser: Summariser | None = None) -> Brief:
    """The brief of a document's active version: facts, summary and indexes, quoted from the document (INT-1).

    A valid stored brief is returned. Otherwise a new one is made and stored, if the library can be written.

    Args:
        document: the document.
        summariser: writes summary and key points in its own words, and nothing is stored; None: they are quoted sentences.

    Raises:
        UsageError: the document has no content.
        LibraryDamaged: files of its version are missing or altered.
        ConversionTimeout: making it took longer than `Settings.document_seconds`.
    """
    if summariser is None and (stored := _stored(document)) is not None:
        return stored
    try:
        with deadline(document.context.runtime.settings.budget(None).seconds):
            made = _brief_of(document, summariser)
    except DeadlineExceeded as error:
        raise ConversionTimeout(
            f"no brief was made: {error}",
            source=document.title or document.id,
            remedy="Increase document_seconds, the time limit of a document",
        ) from error
    if summariser is None:
        _keep(document, made)
    return replace(made, document_type=document.result.document_type)


def _stored(document: Document) -> Brief | None:
    context, version = document.context, document.active_version
    if version is None:
        return None
    days = context.runtime.settings.briefs.max_days
    found = valid_summary(context.artifacts, document.raw_hash, version, MAKER, max_days=days)
    if found is None:
        return None
    document_type = document.result.document_type
    try:
        return from_content(found.content, document_type=document_type)
    except ValueError as error:
        _log.warning("the stored brief of %s is made again: %s", document.id, error)
        return None


def _keep(document: Document, made: Brief) -> None:
    """Store a brief; a library that cannot be written now has none."""
    context, version = document.context, document.active_version
    if version is None or context.read_only is not None:
        return
    try:
        keep_summary(context.artifacts, document.raw_hash, version, MAKER, to_content(made))
    except OctavoError as error:
        _log.info("the brief of %s was not stored: %s", document.id, error)


def _brief_of(document: Document, summariser: Summariser | None) -> Brief:
    text = document.structured_text
    paged = [page.markdown for page in document.pages]
    return make_brief(
        text,
        paged if len(paged) == len(text.pages) else [document.markdown],
        metadata=document.result.metadata,
        summariser=summariser,
    )
