"""Titles that callers declared of documents: they take the place of the documents' own ones (ENG-21).

A declared title is a remark of its policy context, and no other context is told it (STO-5).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, or_, select

from . import dialect, direct_read
from .instance_ids import FIREWALLED, PolicyContext
from .remark_policy import visible_to
from .schema import document_metadata, documents


def declared_titles(
    connection: Connection, document_ids: Sequence[str], policy: PolicyContext | None, *, is_open: bool = False
) -> dict[str, str]:
    """Document id → its declared title, where the policy context has one; for the owner, the one that was declared last.

    Args:
        connection: of a transaction.
        document_ids: the documents.
        policy: the policy context of the user; None: the library's owner.
        is_open: leave out what was declared in a firewalled context, as a search without a corpus does.
    """
    if not document_ids:
        return {}
    query = _titles(connection.dialect.name, policy, is_open=is_open)
    rows = direct_read.rows(connection, query, dialect.as_many(document_ids))
    return {row.document_id: row.title for row in rows}


def has_title(title: str, policy: PolicyContext | None) -> ColumnElement[bool]:
    """The condition on a document that a title is its own or was declared of it, without regard to case.

    Args:
        title: the whole title.
        policy: the policy context of the user; None: the library's owner.
    """
    table, wanted = document_metadata, title.strip().lower()
    declared = select(table.c.document_id).where(func.lower(table.c.title) == wanted, visible_to(policy, table))
    return or_(func.lower(documents.c.title) == wanted, documents.c.document_id.in_(declared))


@dialect.prepared
def _titles(database: str, policy: PolicyContext | None, *, is_open: bool) -> Select[Any]:
    table = document_metadata
    query = select(table.c.document_id, table.c.title).where(table.c.document_id.in_(dialect.many(database)))
    query = query.where(table.c.title.is_not(None), visible_to(policy, table))
    if is_open:
        query = query.where(~table.c.policy_context_json.contains(FIREWALLED))
    return query.order_by(table.c.at, table.c.policy_context_json)
