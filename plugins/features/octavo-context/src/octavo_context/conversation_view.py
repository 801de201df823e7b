"""Current state of a conversation: documents sent, and which prompt caches are still warm (CTX-4)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property

from octavo_library.facade.document import Document
from octavo_library.storage import ConversationDocumentState, Index, PolicyContext

from .drafts import native_hash, whole_hash
from .material import Material


class ConversationView:
    """The document states of one conversation, read once from the index.

    Args:
        index: the library's index.
        conversation_id: id of the conversation.
        policy: policy context of the caller; None: the library's owner.
        now: the current time.
        holds: lifetime of a prompt cache after its last use.
    """

    def __init__(
        self, index: Index, conversation_id: str, *, policy: PolicyContext | None, now: datetime, holds: timedelta
    ) -> None:
        self._index = index
        self._id = conversation_id
        self._policy = policy
        self._now = now
        self._holds = holds

    @cached_property
    def states(self) -> dict[str, ConversationDocumentState]:
        """Document id → state, most recently sent first.

        Raises:
            StorageError: a newer Octavo wrote a state.
        """
        found = self._index.conversations.of_conversation(self._id, policy=self._policy)
        return {state.document_id: state for state in found}

    @property
    def last_model(self) -> str | None:
        """The model of the last send, or None."""
        return next((state.model for state in self.states.values() if state.model is not None), None)

    @property
    def sent(self) -> int:
        """Number of documents sent."""
        return sum(state.first_sent_at is not None for state in self.states.values())

    def in_time(self, state: ConversationDocumentState) -> bool:
        """Whether the last send cached the document and that cache has not expired."""
        if not state.prompt_cache_active or state.last_cache_use is None:
            return False
        return self._now - datetime.fromisoformat(state.last_cache_use) <= self._holds

    def state_of(self, document: Document, *, material: Material) -> ConversationDocumentState | None:
        """The state of a document; an expired prompt cache is reported as cold."""
        state = self.states.get(document.id)
        if state is None:
            return None
        warm = self.in_time(state) and state.cache_content_hash == sent_hash(material, state)
        return replace(state, prompt_cache_active=warm)


def sent_hash(material: Material, state: ConversationDocumentState) -> str | None:
    """Content hash of the document in the tier of its last send; None if that tier is not cached."""
    if state.tier == 1:
        return native_hash(material)
    return whole_hash(material) if state.tier == 2 else None
