"""The state of documents in conversations with language models (CTX-4)."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from octavo_contracts import StorageError
from sqlalchemy import ColumnElement, Connection, Row, Select, bindparam, delete, func, select, update

from . import dialect, direct_read
from .instance_ids import PolicyContext
from .remark_policy import OWNER_ALONE, check_documents, visible_to
from .repository import Repository
from .schema import document_conversations

STATE_VERSION: Final = 1
"""The version of the state that this Octavo writes, and the newest that it reads."""

_TABLE = document_conversations


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversationDocumentState:
    """A document in a conversation (003 §4.3).

    Attributes:
        conversation_id: the conversation.
        document_id: the document.
        first_sent_at: when it was first sent; None where only pages of it were retrieved.
        last_sent_at: when it was last sent, or None.
        tier: how it was last sent: 1, 2 or 3; None where it was not.
        model: the model that it was last sent to, or None.
        prompt_cache_active: whether the provider's prompt cache held it after the last send. Whether it still does also
            depends on the time since and on the content (`octavo_context.ContextManager.get_document_state`).
        last_cache_use: when that cache was last written or read, or None.
        cache_content_hash: SHA-256 of what was cached, or None.
        total_tokens_sent: tokens of all sends together.
        total_tokens_saved: tokens that sending the whole document each time would have taken besides.
        retrieved_pages: pages that the model asked for, from 1, in order.
        is_escalated: whether so many pages were retrieved that the whole text is sent for the rest of the conversation.
    """

    conversation_id: str
    document_id: str
    first_sent_at: str | None
    last_sent_at: str | None
    tier: int | None
    model: str | None
    prompt_cache_active: bool
    last_cache_use: str | None
    cache_content_hash: str | None
    total_tokens_sent: int
    total_tokens_saved: int
    retrieved_pages: tuple[int, ...]
    is_escalated: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentSend:
    """One send of a document.

    Attributes:
        document_id: the document.
        conversation_id: the conversation.
        tier: 1, 2 or 3.
        tokens: what was sent, in tokens.
        saved: tokens that sending the whole document would have taken besides.
        model: the model; None where the caller does not know it.
        cache_content_hash: SHA-256 of the content that the provider's prompt cache holds now; None: it holds none.
    """

    document_id: str
    conversation_id: str
    tier: int
    tokens: int
    saved: int = 0
    model: str | None = None
    cache_content_hash: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentUsage:
    """What models were sent of a document, over conversations.

    Attributes:
        document_id: the document.
        model: the model of the last send of these conversations, or None if unknown.
        tier: how it was last sent in these conversations: 1, 2 or 3.
        conversations: number of these conversations.
        tokens_sent: tokens of all sends.
        tokens_saved: tokens that sending the whole document each time would have taken besides.
        cached: number of these conversations whose last send used the provider's prompt cache.
    """

    document_id: str
    model: str | None
    tier: int
    conversations: int
    tokens_sent: int
    tokens_saved: int
    cached: int


class ConversationRepository(Repository):
    """The part of the index that knows what models were sent.

    A conversation belongs to the policy context that asks: two contexts may use one conversation id, and neither is told of
    the other's. `policy` is everywhere who asks; None: the library's owner, who has conversations of their own.
    """

    def get(
        self, document_id: str, conversation_id: str, *, policy: PolicyContext | None = None
    ) -> ConversationDocumentState | None:
        """The state of a document in a conversation; None where it is not part of it.

        Raises:
            StorageError: a newer Octavo wrote the state.
        """
        query = select(_TABLE).where(_mine(conversation_id, policy), _TABLE.c.document_id == document_id)
        with self._read() as connection:
            row = connection.execute(query).one_or_none()
        return _state(row) if row is not None else None

    def of_conversation(
        self, conversation_id: str, *, policy: PolicyContext | None = None
    ) -> tuple[ConversationDocumentState, ...]:
        """The documents of a conversation, the one that was sent last first.

        Raises:
            StorageError: a newer Octavo wrote a state.
        """
        latest = func.coalesce(_TABLE.c.last_sent_at, "")
        query = select(_TABLE).where(_mine(conversation_id, policy)).order_by(latest.desc(), _TABLE.c.document_id)
        with self._read() as connection:
            return tuple(_state(row) for row in connection.execute(query))

    def of_document(
        self, document_id: str, *, policy: PolicyContext | None = None
    ) -> tuple[ConversationDocumentState, ...]:
        """The states of a document in the conversations of a policy context, the first send first.

        Raises:
            StorageError: a newer Octavo wrote a state.
        """
        with self._read() as connection:
            rows = direct_read.rows(connection, _of_document(policy), {"document": document_id})
        return tuple(map(_state, rows))

    def record_send(self, send: DocumentSend, *, policy: PolicyContext | None = None) -> None:
        """Record that a document was sent. Where the model is another one than before, every cache of the conversation is cold.

        Raises:
            UsageError: there is no such document.
            StorageError: a newer Octavo wrote the state; or the library cannot be written.
        """
        now, cached = self._now(), send.cache_content_hash is not None
        values: dict[str, Any] = {
            "tier": send.tier,
            "model": send.model,
            "last_sent_at": now,
            "first_sent_at": func.coalesce(_TABLE.c.first_sent_at, now),
            "prompt_cache_active": int(cached),
            "cache_content_hash": send.cache_content_hash,
            "total_tokens_sent": _TABLE.c.total_tokens_sent + send.tokens,
            "total_tokens_saved": _TABLE.c.total_tokens_saved + send.saved,
        }
        if cached:
            values["last_cache_use"] = now
        with self._write() as connection:
            here = self._row(connection, send.document_id, send.conversation_id, policy)
            others = _TABLE.c.model.is_distinct_from(send.model)
            switch = update(_TABLE).where(_mine(send.conversation_id, policy), others)
            connection.execute(switch.values(prompt_cache_active=0))
            connection.execute(update(_TABLE).where(here).values(values))

    def note_retrieved(
        self,
        document_id: str,
        conversation_id: str,
        pages: Collection[int],
        *,
        escalates_above: float,
        policy: PolicyContext | None = None,
    ) -> ConversationDocumentState:
        """Add pages that a model retrieved.

        Args:
            document_id: the document.
            conversation_id: the conversation.
            pages: from 1.
            escalates_above: more pages than this together, and the document is sent whole from then on.
            policy: who asks.

        Raises:
            UsageError: there is no such document.
            StorageError: a newer Octavo wrote the state; or the library cannot be written.
        """
        with self._write() as connection:
            here = self._row(connection, document_id, conversation_id, policy)
            before = _state(connection.execute(select(_TABLE).where(here).with_for_update()).one())
            together = sorted({*before.retrieved_pages, *pages})
            escalated = before.is_escalated or len(together) > escalates_above
            change = update(_TABLE).where(here)
            connection.execute(change.values(retrieved_pages_json=json.dumps(together), is_escalated=int(escalated)))
            return _state(connection.execute(select(_TABLE).where(here)).one())

    def count_of(self, document_id: str, *, policy: PolicyContext | None = None) -> int:
        """In how many conversations a document was sent; the library's owner counts those of every context."""
        mine = select(func.count(_TABLE.c.conversation_id.distinct())).where(
            _TABLE.c.document_id == document_id, _TABLE.c.first_sent_at.is_not(None), visible_to(policy, _TABLE)
        )
        with self._read() as connection:
            return connection.scalar(mine) or 0

    def usage(self, *, since: str | None = None, policy: PolicyContext | None = None) -> tuple[DocumentUsage, ...]:
        """What models were sent, by document, model and tier, the most tokens first (UI-6).

        Args:
            since: only conversations whose last send is not before this time, ISO 8601, UTC.
            policy: who asks; the library's owner gets the conversations of every context.
        """
        table = _TABLE.c
        sent, saved = func.sum(table.total_tokens_sent), func.sum(table.total_tokens_saved)
        query = (
            select(
                table.document_id,
                table.model,
                table.tier,
                func.count().label("conversations"),
                sent.label("tokens_sent"),
                saved.label("tokens_saved"),
                func.sum(table.prompt_cache_active).label("cached"),
            )
            .where(table.first_sent_at.is_not(None), table.tier.is_not(None), visible_to(policy, _TABLE))
            .group_by(table.document_id, table.model, table.tier)
            .order_by(sent.desc(), table.document_id, table.model, table.tier)
        )
        if since is not None:
            query = query.where(table.last_sent_at >= since)
        with self._read() as connection:
            return tuple(DocumentUsage(**row._mapping) for row in connection.execute(query))

    def forget(self, conversation_id: str, *, policy: PolicyContext | None = None) -> int:
        """Delete the state of a conversation; returns how many documents were part of it."""
        with self._write() as connection:
            return int(connection.execute(delete(_TABLE).where(_mine(conversation_id, policy))).rowcount)

    def _row(
        self, connection: Connection, document_id: str, conversation_id: str, policy: PolicyContext | None
    ) -> ColumnElement[bool]:
        """Make sure that there is a row, and say which."""
        check_documents(connection, document_id)
        here = _mine(conversation_id, policy) & (_TABLE.c.document_id == document_id)
        empty = {
            "conversation_id": conversation_id,
            "document_id": document_id,
            "policy_context_json": _context(policy),
            "state_version": STATE_VERSION,
            "retrieved_pages_json": "[]",
        }
        connection.execute(dialect.insert_if_absent(_TABLE, database=connection.dialect.name), empty)
        _check_version(connection.execute(select(_TABLE).where(here)).one())
        return here


def _context(policy: PolicyContext | None) -> str:
    return policy.canonical() if policy is not None else OWNER_ALONE


def _mine(conversation_id: str, policy: PolicyContext | None) -> ColumnElement[bool]:
    return (_TABLE.c.conversation_id == conversation_id) & (_TABLE.c.policy_context_json == _context(policy))


def _check_version(row: Row[*tuple[Any, ...]]) -> None:
    if row.state_version > STATE_VERSION:
        raise StorageError(
            f"the conversation {row.conversation_id!r} has state version {row.state_version}, and this version of Octavo "
            f"knows {STATE_VERSION}",
            remedy="Continue it with the newer Octavo that began it, or begin another conversation",
        )


@dialect.prepared
def _of_document(policy: PolicyContext | None) -> Select[Any]:
    """The states of a document in the conversations of a policy context, the first send first."""
    query = select(_TABLE).where(_TABLE.c.document_id == bindparam("document"), visible_to(policy, _TABLE))
    return query.order_by(func.coalesce(_TABLE.c.first_sent_at, ""), _TABLE.c.conversation_id)


def _state(row: Row[*tuple[Any, ...]]) -> ConversationDocumentState:
    _check_version(row)
    return ConversationDocumentState(
        conversation_id=row.conversation_id,
        document_id=row.document_id,
        first_sent_at=row.first_sent_at,
        last_sent_at=row.last_sent_at,
        tier=row.tier,
        model=row.model,
        prompt_cache_active=bool(row.prompt_cache_active),
        last_cache_use=row.last_cache_use,
        cache_content_hash=row.cache_content_hash,
        total_tokens_sent=row.total_tokens_sent,
        total_tokens_saved=row.total_tokens_saved,
        retrieved_pages=tuple(json.loads(row.retrieved_pages_json)),
        is_escalated=bool(row.is_escalated),
    )
