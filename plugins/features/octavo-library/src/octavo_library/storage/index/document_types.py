"""Document types that users set; no classifier overwrites them (CLS-6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select

from . import dialect
from .instance_ids import PolicyContext
from .remark_policy import check_documents, context_of, visible_to
from .repository import Repository
from .schema import document_types, documents
from .touched import touch


@dataclass(frozen=True, kw_only=True, slots=True)
class TypeByHand:
    """A document's type as a user set it, and the user."""

    document_type: str
    set_by: str


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


def types_by_hand(
    connection: Connection, document_ids: Sequence[str], policy: PolicyContext | None
) -> dict[str, TypeByHand]:
    """Document id → its type by hand, where the policy context has one; for the owner, the one that was set last."""
    table = document_types
    named = table.c.document_id.in_(dialect.many(connection.dialect.name))
    query = select(table).where(named, visible_to(policy, table)).order_by(table.c.at, table.c.policy_context_json)
    rows = connection.execute(query, dialect.as_many(document_ids))
    return {row.document_id: TypeByHand(document_type=row.document_type, set_by=row.set_by) for row in rows}
