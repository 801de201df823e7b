"""A conversation as it stands now: what was sent, and which prompt caches still hold (CTX-4)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property

from octavo_library.facade.document import Document
from octavo_library.storage import ConversationDocumentState, Index, PolicyContext

from .drafts import native_hash, whole_hash
from .material import Material


class ConversationView:
    """The states of one conversation, read once.

    Args:
        index: the library's index.
        conversation_id: the conversation.
        policy: who asks; None: the library's owner.
        now: the time.
        holds: how long a prompt cache holds after its last use.
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
        """Document id → its state, the one that was sent last first.

        Raises:
            StorageError: a newer Octavo wrote a state.
        """
        found = self._index.conversations.of_conversation(self._id, policy=self._policy)
        return {state.document_id: state for state in found}

    @property
    def last_model(self) -> str | None:
        """The model that the conversation was with last, or None."""
        return next((state.model for state in self.states.values() if state.model is not None), None)

    @property
    def sent(self) -> int:
        """How many documents were sent."""
        return sum(state.first_sent_at is not None for state in self.states.values())

    def in_time(self, state: ConversationDocumentState) -> bool:
        """Whether the prompt cache held the document after the last send, and the time since is short enough."""
        if not state.prompt_cache_active or state.last_cache_use is None:
            return False
        return self._now - datetime.fromisoformat(state.last_cache_use) <= self._holds

    def state_of(self, document: Document, *, material: Material) -> ConversationDocumentState | None:
        """The state of a document, in which the cache is cold where it no longer holds."""
        state = self.states.get(document.id)
        if state is None:
            return None
        warm = self.in_time(state) and state.cache_content_hash == sent_hash(material, state)
        return replace(state, prompt_cache_active=warm)


def sent_hash(material: Material, state: ConversationDocumentState) -> str | None:
    """The hash of what would be sent now in the tier of the last send; None where that tier is not cached."""
    if state.tier == 1:
        return native_hash(material)
    return whole_hash(material) if state.tier == 2 else None
