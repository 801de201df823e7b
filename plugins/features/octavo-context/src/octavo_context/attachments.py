"""Files that a user attaches to a message: taken into the library first, then prepared as documents of it (CTX-11)."""

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
"""The way in of attachments."""
_SAMPLE_CHARS = 20_000

Attachment = str | os.PathLike[str] | tuple[str, bytes]
"""A path, or a name with bytes. Bytes are kept among the library's originals, once for equal ones."""


@dataclass(frozen=True, kw_only=True)
class AttachedFiles:
    """What became of attachments.

    Attributes:
        documents: their documents, the most relevant to the message first, of equal ones the smaller.
        reused: ids of those that the library had already.
        failed: notices of those that could not be taken in.
    """

    documents: tuple[Document, ...]
    reused: frozenset[str]
    failed: tuple[Notice, ...]


def take_in(
    library: Library, attachments: Iterable[Attachment], *, message: str, corpus: str | None = None
) -> AttachedFiles:
    """Ingest attachments. One that is known is not converted again; one that fails ends nothing.

    Args:
        library: the library.
        attachments: paths, or names with bytes.
        message: the message that they are attached to.
        corpus: the corpus that they join.
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
            message_text = f"{os.path.basename(shown)}: it cannot be read: {why}"
            failed.append(Notice(kind="document_left_out", message=message_text, document_id=outcome.document_id))
            continue
        if outcome.reused:
            reused.add(outcome.document_id)
        documents.setdefault(outcome.document_id, library.document(outcome.document_id, corpus=corpus))
    ordered = sort_by_relevance(list(documents.values()), message)
    return AttachedFiles(documents=tuple(ordered), reused=frozenset(reused), failed=tuple(failed))


def sort_by_relevance(documents: Sequence[Document], message: str) -> list[Document]:
    """Documents by how much they are about a message; of equally relevant ones the smaller first (003 §22.3)."""
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
    """Attachments for their message: the estimate of tokens, and which to remove where there is little room.

    Nothing is sent by this: the plan is shown to the user first.

    Args:
        manager: of the library, for the same corpus.
        attached: what `take_in` gave.
        conversation: the conversation.
        model: the model's name.
        message: the message.
        options: budget, workflow, tier and pages.

    Raises:
        OctavoError: as `prepare_documents`.
    """
    return prepare_documents(manager, attached.documents, conversation, model, message, options=options)
