"""The policy context of what users say of documents: annotations, types and links (STO-5).

A remark belongs to the policy context of the user who made it, and is shown in that context alone. The library's owner, who
names no context, is shown all remarks. A remark of the owner goes to the only context that the document has. A document of
several contexts takes it in the default one, where the document came in under that; else only the owner is shown it.
"""

from __future__ import annotations

from octavo_contracts import UsageError
from sqlalchemy import ColumnElement, Connection, Table, select, true

from .instance_ids import PolicyContext
from .schema import document_source_instances, documents

OWNER_ALONE = "owner"
"""The context of a remark that only the owner is shown."""


def visible_to(policy: PolicyContext | None, table: Table) -> ColumnElement[bool]:
    """Which remarks of a table an asker is shown; None: the library's owner, who is shown all."""
    return true() if policy is None else table.c.policy_context_json == policy.canonical()


def context_of(connection: Connection, document_id: str, policy: PolicyContext | None) -> str:
    """The context that a new remark belongs to; see the module."""
    if policy is not None:
        return policy.canonical()
    way = document_source_instances.c
    contexts = set(connection.scalars(select(way.policy_context_json).where(way.document_id == document_id)))
    if len(contexts) == 1:
        return str(contexts.pop())
    default = PolicyContext().canonical()
    return default if default in contexts else OWNER_ALONE


def check_documents(connection: Connection, *document_ids: str) -> None:
    """Raise where one of the documents does not exist.

    Raises:
        UsageError: it does not.
    """
    known = set(connection.scalars(select(documents.c.document_id).where(documents.c.document_id.in_(document_ids))))
    for document_id in document_ids:
        if document_id not in known:
            raise UsageError(f"there is no document {document_id!r} in this library")
