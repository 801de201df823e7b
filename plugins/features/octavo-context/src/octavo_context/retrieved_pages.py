"""Pages retrieved by a model: later turns include them; beyond half of the document they include its whole text (CTX-2)."""

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
    """Record the pages that a retrieval tool returned to a model in a conversation.

    Args:
        library: the library.
        document: the document, or any reference that `Library.document` accepts.
        conversation: the conversation.
        pages: page numbers, from 1.
        corpus: the calling corpus.
        policy: the calling policy context, instead of a corpus.

    Raises:
        UsageError: the document is unknown to the caller, or a page does not exist.
        StorageError: a newer Octavo version wrote the state, or the library is not writable.
    """
    name = document if isinstance(document, str) else document.id
    found = library.document(name, corpus=corpus, policy=policy)
    count = len(found.pages)
    wanted = check_pages(pages, page_count=count, source=found.title or found.id)
    share = library.context.runtime.settings.context.escalate_share
    return library.context.index.conversations.note_retrieved(
        found.id, conversation, wanted, escalates_above=share * count, policy=found.policy
    )
