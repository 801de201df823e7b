"""Attachments of a message: ingested into the library, then prepared like any other document (CTX-11)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from octavo_library import Library
from octavo_library.facade.document import Document

from .context_block import Notice
from .manager import ContextManager
from .plans import ContextPlan, PlanOptions, prepare_documents
from .relevance import order_by_relevance

SURFACE = "chat_attachment"
"""Ingest channel recorded for attachments."""
_SAMPLE_CHARS = 20_000

Attachment = str | os.PathLike[str] | tuple[str, bytes]
"""A path, or a name with bytes. The library stores equal bytes once."""


@dataclass(frozen=True, kw_only=True)
class AttachedFiles:
    """Result of ingesting attachments.

    Attributes:
        documents: the documents, sorted by relevance to the message, then by size (smaller first).
        reused: ids of documents that were already in the library.
        failed: one notice for each attachment that could not be ingested.
    """

    documents: tuple[Document, ...]
    reused: frozenset[str]
    failed: tuple[Notice, ...]


def take_in(
    library: Library, attachments: Iterable[Attachment], *, message: str, corpus: str | None = None
) -> AttachedFiles:
    """Ingest attachments. Known files are not converted again; a failed attachment does not stop the others.

    Args:
        library: the library.
        attachments: paths, or names with bytes.
        message: the message with the attachments.
        corpus: the corpus to add the documents to.
    """
    documents: dict[str, Document] = {}
    reused: set[str] = set()
    failed: list[Notice] = []
    for one in attachments:
        name, source = (one[0], one[1]) if isinstance(one, tuple) else (None, one)
        outcome = library.ingest(source, name=name, corpus=corpus, surface=SURFACE)
        shown = name or os.fspath(one if not isinstance(one, tuple) else one[0])
        if outcome.document_id is None or outcome.result.ingestion_status == "hard_failed":
            receipts = outcome.result.failure_receipts
            why = receipts[-1].details if receipts else outcome.result.ingestion_status
            message_text = f"{os.path.basename(shown)}: the attachment cannot be read: {why}"
            failed.append(Notice(kind="document_left_out", message=message_text, document_id=outcome.document_id))
            continue
        if outcome.reused:
            reused.add(outcome.document_id)
        documents.setdefault(outcome.document_id, library.document(outcome.document_id, corpus=corpus))
    ordered = sort_by_relevance(list(documents.values()), message)
    return AttachedFiles(documents=tuple(ordered), reused=frozenset(reused), failed=tuple(failed))


def sort_by_relevance(documents: Sequence[Document], message: str) -> list[Document]:
    """Sort documents by relevance to a message, then by size, smaller first (003 §22.3)."""
    texts = [f"{one.title or ''}\n{one.canonical_text[:_SAMPLE_CHARS]}" for one in documents]
    scores = order_by_relevance(message, texts)
    sizes = [len(one.canonical_text) for one in documents]
    order = sorted(range(len(documents)), key=lambda place: (-round(scores[place], 3), sizes[place], place))
    return [documents[place] for place in order]


def prepare_attachments(
    manager: ContextManager,
    attached: AttachedFiles,
    conversation: str,
    model: str,
    message: str,
    *,
    options: PlanOptions | None = None,
) -> ContextPlan:
    """Prepare attachments for their message: token estimate, and documents to remove if the budget is short.

    This function sends nothing: the caller shows the plan to the user first.

    Args:
        manager: the context manager of the same library and corpus.
        attached: result of `take_in`.
        conversation: the conversation.
        model: the model's name.
        message: the message.
        options: budget, workflow, tier and pages.

    Raises:
        OctavoError: as `prepare_documents`.
    """
    return prepare_documents(manager, attached.documents, conversation, model, message, options=options)
