"""The policy context of users' remarks on documents: annotations, types and links (STO-5).

A remark belongs to the policy context of the user who made it, and is visible in that context alone. The library's
owner, who names no context, sees all remarks. A remark of the owner belongs to the document's context if there is only
one. If there are several, it belongs to the default context if the document has it; else only the owner sees it.
"""

from __future__ import annotations

from octavo_contracts import UsageError
from sqlalchemy import ColumnElement, Connection, Table, select, true

from .instance_ids import PolicyContext
from .schema import document_source_instances, documents

OWNER_ALONE = "owner"
"""The context of a remark that only the owner sees."""


def visible_to(policy: PolicyContext | None, table: Table) -> ColumnElement[bool]:
    """The condition that selects the remarks visible to a policy context; None: the library's owner, who sees all."""
    return true() if policy is None else table.c.policy_context_json == policy.canonical()


def context_of(connection: Connection, document_id: str, policy: PolicyContext | None) -> str:
    """The context of a new remark; see the module's docstring."""
    if policy is not None:
        return policy.canonical()
    instance = document_source_instances.c
    here = instance.document_id == document_id
    contexts = set(connection.scalars(select(instance.policy_context_json).where(here)))
    if len(contexts) == 1:
        return str(contexts.pop())
    default = PolicyContext().canonical()
    return default if default in contexts else OWNER_ALONE


def check_documents(connection: Connection, *document_ids: str) -> None:
    """Raise if one of the documents does not exist.

    Raises:
        UsageError: one of them does not exist.
    """
    known = set(connection.scalars(select(documents.c.document_id).where(documents.c.document_id.in_(document_ids))))
    for document_id in document_ids:
        if document_id not in known:
            raise UsageError(f"there is no document {document_id!r} in this library")
