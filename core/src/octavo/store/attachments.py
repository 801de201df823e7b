"""Which documents came inside which: the link from an attachment to what it is attached to, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from . import dialect
from .database import Database
from .documents import restricted
from .identity import PolicyContext
from .schema import document_attachments, documents

_TABLE = document_attachments


@dataclass(frozen=True, kw_only=True, slots=True)
class AttachedDocument:
    """A document that came inside another one.

    Attributes:
        document_id: its id; it is owed, and may be no document yet.
        raw_hash: SHA-256 of its bytes.
        name: its name as the first conversion that gave it said; never a path.
    """

    document_id: str
    raw_hash: str
    name: str | None


class Attachments(Database):
    """The part of the index that knows which documents came inside which."""

    def record_attachments(self, parent_id: str, attached: Sequence[AttachedDocument]) -> None:
        """Note what came inside a document; what is noted already stays as it is."""
        now = self._now()
        rows = [
            {
                "parent_id": parent_id,
                "document_id": one.document_id,
                "raw_hash": one.raw_hash,
                "name": one.name,
                "position": position,
                "at": now,
            }
            for position, one in enumerate(attached, start=1)
        ]
        if rows:
            with self._write() as connection:
                statement = dialect.insert_if_absent(_TABLE, database=connection.dialect.name)
                dialect.execute_many(connection, statement, rows)

    def attachments(self, parent_id: str) -> tuple[AttachedDocument, ...]:
        """What came inside a document, in the order in which it was noted."""
        query = select(_TABLE.c.document_id, _TABLE.c.raw_hash, _TABLE.c.name).where(_TABLE.c.parent_id == parent_id)
        with self._read() as connection:
            rows = connection.execute(query.order_by(_TABLE.c.at, _TABLE.c.position)).all()
        return tuple(AttachedDocument(document_id=row[0], raw_hash=row[1], name=row[2]) for row in rows)

    def attached_to(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[str, ...]:
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
