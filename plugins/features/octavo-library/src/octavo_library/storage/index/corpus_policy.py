"""Changes the policy context of a corpus, and of everything stored under the old one (STO-5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, bindparam, delete, exists, insert, or_, select, update

from . import dialect
from .instance_ids import PolicyContext, source_instance_id_for
from .schema import (
    document_acceptances,
    document_annotations,
    document_conversations,
    document_links,
    document_metadata,
    document_page_marks,
    document_references,
    document_source_instances,
    document_types,
    document_uploads,
    memories,
    metadata_disputes,
)
from .touched import touch


def change_policy(connection: Connection, corpus_id: str, policy: PolicyContext) -> None:
    """Give the source instances of a corpus another policy context.

    The ids derive from the policy context, so the rows are replaced; users' remarks move to the new context.

    Args:
        connection: in the transaction that changes the corpus.
        corpus_id: the corpus.
        policy: its new policy context.
    """
    table = document_source_instances
    here = table.c.corpus_id == corpus_id
    rows: dict[str, dict[str, Any]] = {}
    members: dict[str, list[str]] = {}
    for row in connection.execute(select(table).where(here).order_by(table.c.ingested_at)):
        instance = source_instance_id_for(
            row.document_id, policy=policy, surface=row.ingestion_surface, corpus_id=corpus_id
        )
        members.setdefault(row.policy_context_json, []).append(row.document_id)
        # Two policy contexts of one source become one row, with the earlier time.
        rows.setdefault(
            instance,
            {**row._mapping, "source_instance_id": instance, "policy_context_json": policy.canonical()},
        )
    touch(connection, {row["document_id"] for row in rows.values()})
    connection.execute(delete(table).where(here))
    if rows:
        connection.execute(insert(table), list(rows.values()))
    for old, document_ids in members.items():
        _move_remarks(connection, document_ids, old=old, new=policy.canonical())


def _move_remarks(connection: Connection, document_ids: Sequence[str], *, old: str, new: str) -> None:
    """Move the remarks of the context `old`, for documents that are no longer in it, to its replacement `new`.

    If both contexts have a remark on the same thing, the one of `new` stays.
    """
    moved = {**dialect.as_many(document_ids), "old": old}
    for table, ends, key in (
        (document_annotations, ("document_id",), None),
        (document_types, ("document_id",), ("document_id",)),
        (document_acceptances, ("document_id",), ("document_id", "version")),
        (document_metadata, ("document_id",), ("document_id",)),
        (document_page_marks, ("document_id",), ("document_id", "page", "kind")),
        (metadata_disputes, ("document_id",), None),
        (document_links, ("document_id", "other_id"), ("document_id", "other_id", "kind")),
        (document_conversations, ("document_id",), ("conversation_id", "document_id")),
        (document_uploads, ("document_id",), ("document_id", "provider")),
        (document_references, ("document_id",), ("document_id",)),
        (memories, ("document_id",), None),
    ):
        many = dialect.many(connection.dialect.name)
        left = or_(*(and_(table.c[end].in_(many), ~_came_under(table.c[end])) for end in ends))
        here = (left, table.c.policy_context_json == old)
        if key is not None:
            own = table.alias("own")
            taken = exists().where(*(own.c[name] == table.c[name] for name in key), own.c.policy_context_json == new)
            connection.execute(delete(table).where(*here, taken), moved)
        connection.execute(update(table).where(*here).values(policy_context_json=new), moved)


def _came_under(document_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a document has a source instance under the context `old`."""
    instance = document_source_instances.alias("way")
    return exists().where(instance.c.document_id == document_id, instance.c.policy_context_json == bindparam("old"))
