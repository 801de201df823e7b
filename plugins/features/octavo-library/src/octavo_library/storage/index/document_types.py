"""Document types that users set; no classifier overwrites them (CLS-6)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from octavo.builtins.classification.document_types import UNKNOWN
from sqlalchemy import Connection, Select, delete, insert, select

from . import dialect, direct_read
from .instance_ids import PolicyContext
from .remark_policy import check_documents, context_of, visible_to
from .repository import Repository
from .schema import document_types, documents
from .touched import touch


@dataclass(frozen=True, kw_only=True, slots=True)
class TypeByHand:
    """A document's type as a user set it, the user, and when, ISO 8601, UTC."""

    document_type: str
    set_by: str
    at: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditedType:
    """A classified document of an audit sample.

    Attributes:
        document_id: the document.
        document_type: the verdict of the classifier.
        by_hand: the type that a user set, which may be the same; None if no user did.
    """

    document_id: str
    document_type: str
    by_hand: TypeByHand | None


class DocumentTypeRepository(Repository):
    """The types that users set (CLS-6).

    `policy` is always the policy context of the user; None: the library's owner.
    """

    def set(self, document_id: str, document_type: str, *, by: str, policy: PolicyContext | None = None) -> None:
        """Set a document's type by hand; classifiers do not overwrite it from then on (CLS-6).

        Raises:
            UsageError: the document does not exist.
        """
        with self._write() as connection:
            check_documents(connection, document_id)
            context = context_of(connection, document_id, policy)
            here = (document_types.c.document_id == document_id) & (document_types.c.policy_context_json == context)
            row = {"document_id": document_id, "policy_context_json": context, "document_type": document_type}
            touch(connection, [document_id])
            connection.execute(delete(document_types).where(here))
            connection.execute(insert(document_types), row | {"set_by": by, "at": self._now()})

    def clear(self, document_id: str, *, policy: PolicyContext | None = None) -> None:
        """Remove a type set by hand; the latest verdict of the classifier applies again (CLS-6).

        The library's owner removes the types of all policy contexts.

        Raises:
            UsageError: the document does not exist.
        """
        here = document_types.c.document_id == document_id
        with self._write() as connection:
            check_documents(connection, document_id)
            touch(connection, [document_id])
            connection.execute(delete(document_types).where(here, visible_to(policy, document_types)))

    def by_hand(self, raw_hash: str, *, policy: PolicyContext | None = None) -> str | None:
        """The type that a user set for the document of these bytes, or None (CLS-6)."""
        query = select(documents.c.document_id).where(documents.c.content_hash == raw_hash)
        with self._read() as connection:
            said = types_by_hand(connection, list(connection.scalars(query)), policy)
        return next((one.document_type for one in said.values()), None)

    def sample(self, seed: str, *, size: int) -> tuple[AuditedType, ...]:
        """Classified documents, for an audit by the library's owner: a random choice that a seed determines.

        Args:
            seed: any text. The same text chooses the same documents of an unchanged library.
            size: most documents.
        """
        # Ids are derived from hashes: those from a random place on are a random choice, which an index finds.
        place = hashlib.sha256(seed.encode()).hexdigest()
        query = select(documents.c.document_id, documents.c.document_type)
        query = query.where(documents.c.document_type.is_not(None), documents.c.document_type != UNKNOWN)
        query = query.order_by(documents.c.document_id)
        with self._read() as connection:
            rows = list(connection.execute(query.where(documents.c.document_id >= place).limit(size)))
            if len(rows) < size:
                rows += connection.execute(query.where(documents.c.document_id < place).limit(size - len(rows)))
            said = types_by_hand(connection, [row.document_id for row in rows], None)
        return tuple(
            AuditedType(document_id=row.document_id, document_type=row.document_type, by_hand=said.get(row.document_id))
            for row in rows
        )


def types_by_hand(
    connection: Connection, document_ids: Sequence[str], policy: PolicyContext | None
) -> dict[str, TypeByHand]:
    """Document id → its type by hand, where the policy context has one; for the owner, the one that was set last."""
    if not document_ids:
        return {}
    rows = direct_read.rows(connection, _by_hand(connection.dialect.name, policy), dialect.as_many(document_ids))
    return {row.document_id: TypeByHand(document_type=row.document_type, set_by=row.set_by, at=row.at) for row in rows}


@dialect.prepared
def _by_hand(database: str, policy: PolicyContext | None) -> Select[Any]:
    table = document_types
    named = table.c.document_id.in_(dialect.many(database))
    return select(table).where(named, visible_to(policy, table)).order_by(table.c.at, table.c.policy_context_json)
