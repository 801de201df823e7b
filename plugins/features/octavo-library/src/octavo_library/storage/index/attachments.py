"""Attachments: links between a document and the documents that came inside it.

An attachment has the provenance of its parent: one source instance if the parent was ingested without a corpus, and one
for each corpus of the parent. Two writes keep this true: `spread` when an attachment is committed, and the writer of a
parent's provenance, which records it for the attachments in the same transaction (STO-5, STO-10).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, bindparam, exists, select

from . import dialect, direct_read
from .corpora import corpus_of
from .disclosure import restricted
from .entries import entry_ref
from .instance_ids import PolicyContext
from .provenance import record_new
from .records import CorpusRecord, LocationType, Provenance
from .repository import Repository
from .schema import (
    corpora,
    document_attachments,
    document_corpus_memberships,
    document_source_instances,
    documents,
)
from .touched import touch

_TABLE = document_attachments
SURFACE = "email_attachment"
"""The ingestion surface of an attachment (ENG-1)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AttachedDocument:
    """A document that came inside another one.

    Attributes:
        document_id: its id; its ingest may be pending, so that no document of that id exists yet.
        raw_hash: SHA-256 of its bytes.
        name: its name in the parent, from the first conversion that reported it; never a path.
    """

    document_id: str
    raw_hash: str
    name: str | None


class AttachmentRepository(Repository):
    """Attachment links between documents."""

    def record_way(self, document_id: str, provenance: Provenance) -> None:
        """Record a provenance record of a document, unless it is known."""
        with self._write() as connection:
            record_new(connection, {document_id: [provenance]}, now=self._now())

    def of_document(self, parent_id: str) -> tuple[AttachedDocument, ...]:
        """The attachments of a document, in the order in which they were recorded."""
        with self._read() as connection:
            rows = direct_read.rows(connection, _IN_DOCUMENT, {"document": parent_id})
        return tuple(AttachedDocument(document_id=row[0], raw_hash=row[1], name=row[2]) for row in rows)

    def ways_of(self, document_id: str) -> list[CorpusRecord | None]:
        """The corpora whose provenance a document's attachments inherit; None means "without a corpus"."""
        with self._read() as connection:
            return _ways_of(connection, document_id)

    def is_attached(self, document_id: str, *, to: str | None = None) -> bool:
        """Whether a document is an attachment.

        Args:
            document_id: the document.
            to: an attachment of this document; None: of any.
        """
        query = select(_TABLE.c.document_id).where(_TABLE.c.document_id == document_id)
        if to is not None:
            query = query.where(_TABLE.c.parent_id == to)
        with self._read() as connection:
            return connection.execute(query.limit(1)).first() is not None

    def names_of(self, document_ids: Iterable[str], *, policy: PolicyContext | None = None) -> dict[str, str | None]:
        """Document id → its name in the first parent that contains it; documents without a parent are left out.

        Args:
            document_ids: the documents.
            policy: consider only parents ingested under this policy context (STO-5).
        """
        with self._read() as connection:
            query = _names_in_parents(connection.dialect.name, policy)
            found: dict[str, str | None] = {}
            for row in direct_read.rows(connection, query, dialect.as_many(document_ids)):
                found.setdefault(row.document_id, row.name)
        return found

    def name_of(self, document_id: str, *, policy: PolicyContext | None = None) -> str | None:
        """As `names_of`, for one document; None if it has no parent."""
        return self.names_of([document_id], policy=policy).get(document_id)

    def parents_of(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[str, ...]:
        """Ids of a document's parents, oldest first.

        Args:
            document_id: the document.
            policy: only parents ingested under this policy context (STO-5).
        """
        with self._read() as connection:
            return tuple(direct_read.first_column(connection, _parents_of(policy), {"document": document_id}))


_IN_DOCUMENT = (
    select(_TABLE.c.document_id, _TABLE.c.raw_hash, _TABLE.c.name)
    .where(_TABLE.c.parent_id == bindparam("document"))
    .order_by(_TABLE.c.at, _TABLE.c.position)
)
"""The attachments of a document."""


@dialect.prepared
def _names_in_parents(database: str, policy: PolicyContext | None) -> Select[Any]:
    query = select(_TABLE.c.document_id, _TABLE.c.name)
    query = query.join_from(documents, _TABLE, _TABLE.c.parent_id == documents.c.document_id)
    query = query.where(_TABLE.c.document_id.in_(dialect.many(database)))
    return restricted(query, corpus_id=None, policy=policy).order_by(_TABLE.c.at, _TABLE.c.position)


@dialect.prepared
def _parents_of(policy: PolicyContext | None) -> Select[Any]:
    is_parent = _TABLE.c.parent_id == documents.c.document_id
    query = select(documents.c.document_id).join_from(documents, _TABLE, is_parent)
    query = query.where(_TABLE.c.document_id == bindparam("document"))
    return restricted(query, corpus_id=None, policy=policy).order_by(_TABLE.c.at, documents.c.document_id)


def record_in(connection: Connection, inside: Mapping[str, Sequence[AttachedDocument]], *, now: str) -> None:
    """Record the attachments of documents inside the caller's transaction; recorded attachments are not changed.

    Args:
        connection: in the transaction that commits the documents.
        inside: document id → its attachments, in order; at least one.
        now: the time.
    """
    rows = [
        {
            "parent_id": parent_id,
            "document_id": one.document_id,
            "raw_hash": one.raw_hash,
            "name": one.name,
            "position": position,
            "at": now,
        }
        for parent_id, attached in inside.items()
        for position, one in enumerate(attached, start=1)
    ]
    touch(connection, inside)
    dialect.execute_many(connection, dialect.insert_if_absent(_TABLE, database=connection.dialect.name), rows)


def spread(connection: Connection, document_ids: Iterable[str], *, now: str) -> None:
    """Record the parents' provenance for documents that were just committed.

    Args:
        connection: in the transaction that commits them.
        document_ids: the documents.
        now: the time.
    """
    named = _TABLE.c.document_id.in_(dialect.many(connection.dialect.name))
    query = select(_TABLE.c.document_id, _TABLE.c.parent_id, _TABLE.c.name).where(named)
    links = connection.execute(query, dialect.as_many(document_ids)).all()
    if not links:
        return
    inherited = {parent_id: _ways_of(connection, parent_id) for _, parent_id, _ in links}
    by_document: dict[str, list[Provenance]] = {}
    for document_id, parent_id, name in links:
        ways = [_provenance(corpus, name) for corpus in inherited[parent_id]]
        by_document.setdefault(document_id, []).extend(ways)
    record_new(connection, by_document, now=now)


def _ways_of(connection: Connection, document_id: str) -> list[CorpusRecord | None]:
    member, instance = document_corpus_memberships, document_source_instances
    by_itself = exists().where(instance.c.document_id == document_id, instance.c.corpus_id.is_(None))
    joined = select(corpora).join_from(corpora, member, member.c.corpus_id == corpora.c.corpus_id)
    rows = connection.execute(joined.where(member.c.document_id == document_id).order_by(member.c.membership_id)).all()
    alone: list[CorpusRecord | None] = [None] if connection.scalar(select(by_itself)) else []
    return alone + [corpus_of(row) for row in rows]


def _provenance(corpus: CorpusRecord | None, name: str | None) -> Provenance:
    return Provenance(
        path=entry_ref(SURFACE, name) if name is not None else None,
        location_type=LocationType.EMAIL_ATTACHMENT,
        surface=SURFACE,
        corpus_id=corpus.corpus_id if corpus else None,
        policy=corpus.policy if corpus else PolicyContext(),
    )
