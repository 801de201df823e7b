"""Pages that a model asked for: they ride along on later turns, and past half of the document its whole text does (CTX-2)."""

from __future__ import annotations

from collections.abc import Sequence

from octavo_library import Library
from octavo_library.facade.document import Document
from octavo_library.storage import ConversationDocumentState, PolicyContext

from .page_references import check_pages


def note_retrieved_pages(
    library: Library,
    document: str | Document,
    conversation: str,
    pages: Sequence[int],
    *,
    corpus: str | None = None,
    policy: PolicyContext | None = None,
) -> ConversationDocumentState:
    """Record the pages that a retrieval tool gave to a model in a conversation.

    Args:
        library: the library.
        document: the document, or what `Library.document` takes.
        conversation: the conversation.
        pages: from 1.
        corpus: the corpus that asks.
        policy: the policy context that asks, in place of a corpus.

    Raises:
        UsageError: no such document for the asker, or no such page.
        StorageError: a newer Octavo wrote the state, or the library cannot be written.
    """
    name = document if isinstance(document, str) else document.id
    found = library.document(name, corpus=corpus, policy=policy)
    count = len(found.pages)
    wanted = check_pages(pages, page_count=count, source=found.title or found.id)
    share = library.context.runtime.settings.context.escalate_share
    return library.context.index.conversations.note_retrieved(
        found.id, conversation, wanted, escalates_above=share * count, policy=found.policy
    )
