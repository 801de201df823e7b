"""Which documents came inside which: the link from an attachment to what it is attached to, and back.

What came inside a document came in by every way that the document is in the library by: by itself, and by each corpus
that it is in. That is kept true from two sides: `spread` when an attachment is committed, and whoever records a way in of
a document records it of what came inside it, in one transaction (STO-5, STO-10).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, exists, select

from . import dialect
from . import provenance as sightings
from .corpora import corpus_of
from .disclosure import restricted
from .instance_ids import PolicyContext
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
"""The way in of what came inside a document (ENG-1)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AttachedDocument:
    """A document that came inside another one.

    Attributes:
        document_id: its id; it is owed, and may be no document yet.
        raw_hash: SHA-256 of its bytes.
        name: its name there, as the first conversion that gave it said; never a path.
    """

    document_id: str
    raw_hash: str
    name: str | None


class AttachmentRepository(Repository):
    """The part of the index that knows which documents came inside which."""

    def record_way(self, document_id: str, sighting: Provenance) -> None:
        """Record a way in of a document, unless it is known."""
        with self._write() as connection:
            sightings.record_new(connection, {document_id: [sighting]}, now=self._now())

    def of_document(self, parent_id: str) -> tuple[AttachedDocument, ...]:
        """What came inside a document, in the order in which it was noted."""
        query = select(_TABLE.c.document_id, _TABLE.c.raw_hash, _TABLE.c.name).where(_TABLE.c.parent_id == parent_id)
        with self._read() as connection:
            rows = connection.execute(query.order_by(_TABLE.c.at, _TABLE.c.position)).all()
        return tuple(AttachedDocument(document_id=row[0], raw_hash=row[1], name=row[2]) for row in rows)

    def ways_of(self, document_id: str) -> list[CorpusRecord | None]:
        """The ways in of what came inside a document: None for by itself, and each corpus that the document is in."""
        with self._read() as connection:
            return _ways_of(connection, document_id)

    def is_attached(self, document_id: str, *, to: str | None = None) -> bool:
        """Whether a document came inside another one.

        Args:
            document_id: which.
            to: inside of this one; None: of any.
        """
        query = select(_TABLE.c.document_id).where(_TABLE.c.document_id == document_id)
        if to is not None:
            query = query.where(_TABLE.c.parent_id == to)
        with self._read() as connection:
            return connection.execute(query.limit(1)).first() is not None

    def name_of(self, document_id: str, *, policy: PolicyContext | None = None) -> str | None:
        """What a document is called by the first that it came inside of; None where it came inside of none.

        Args:
            document_id: which.
            policy: only by those that came in under this policy context (STO-5).
        """
        query = select(_TABLE.c.name).join_from(documents, _TABLE, _TABLE.c.parent_id == documents.c.document_id)
        query = restricted(query.where(_TABLE.c.document_id == document_id), corpus_id=None, policy=policy)
        with self._read() as connection:
            return connection.scalar(query.order_by(_TABLE.c.at, _TABLE.c.position).limit(1))

    def parents_of(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[str, ...]:
        """Ids of the documents that a document came inside, the first first.

        Args:
            document_id: which.
            policy: only those that came in under this policy context (STO-5).
        """
        query = select(documents.c.document_id).join_from(
            documents, _TABLE, _TABLE.c.parent_id == documents.c.document_id
        )
        query = restricted(query.where(_TABLE.c.document_id == document_id), corpus_id=None, policy=policy)
        with self._read() as connection:
            return tuple(connection.scalars(query.order_by(_TABLE.c.at, documents.c.document_id)))


def record_in(connection: Connection, inside: Mapping[str, Sequence[AttachedDocument]], *, now: str) -> None:
    """Note, inside the caller's transaction, what came inside documents; what is noted already stays as it is.

    Args:
        connection: in the transaction that commits the documents.
        inside: document id → what came inside it, in order; at least one.
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
    """Record, of documents that were committed just now, the ways in of what they came inside of.

    Args:
        connection: in the transaction that commits them.
        document_ids: the documents.
        now: the time.
    """
    named = _TABLE.c.document_id.in_(dialect.many(connection.dialect.name))
    query = select(_TABLE.c.document_id, _TABLE.c.parent_id).where(named)
    links = connection.execute(query, dialect.as_many(document_ids)).all()
    if not links:
        return
    ways = {parent_id: list(map(_sighting, _ways_of(connection, parent_id))) for _, parent_id in links}
    by_document: dict[str, list[Provenance]] = {}
    for document_id, parent_id in links:
        by_document.setdefault(document_id, []).extend(ways[parent_id])
    sightings.record_new(connection, by_document, now=now)


def _ways_of(connection: Connection, document_id: str) -> list[CorpusRecord | None]:
    member, instance = document_corpus_memberships, document_source_instances
    by_itself = exists().where(instance.c.document_id == document_id, instance.c.corpus_id.is_(None))
    joined = select(corpora).join_from(corpora, member, member.c.corpus_id == corpora.c.corpus_id)
    rows = connection.execute(joined.where(member.c.document_id == document_id).order_by(member.c.membership_id)).all()
    ways: list[CorpusRecord | None] = [None] if connection.scalar(select(by_itself)) else []
    return ways + [corpus_of(row) for row in rows]


def _sighting(corpus: CorpusRecord | None) -> Provenance:
    return Provenance(
        path=None,
        location_type=LocationType.EMAIL_ATTACHMENT,
        surface=SURFACE,
        corpus_id=corpus.corpus_id if corpus else None,
        policy=corpus.policy if corpus else PolicyContext(),
    )
