"""A log of the documents that changed, for searches, and indexes for filtered listings.

Triggers write the log, so that a search need not look at all documents.

Revision ID: 0013
Revises: 0012

A later migration that recreates one of these tables, as alembic does in a batch on SQLite, drops its triggers: it has to
create them again.
"""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

KEY = sa.String().with_variant(sa.Text(collation="C"), "postgresql")

DOCUMENT = ("active_conversion_version", "normalized_text_hash")
MEMBERSHIP = ("corpus_id",)
INSTANCE = ("corpus_id", "policy_context_json")

# A row is deleted and inserted, not replaced: the conflict clause of the statement that fires a trigger would apply to it.
_LOG = """DELETE FROM document_changes WHERE document_id = {row}.document_id;
INSERT INTO document_changes(document_id) VALUES ({row}.document_id);"""
_DELETED = """DELETE FROM document_changes WHERE document_id IN (OLD.document_id, '');
INSERT INTO document_changes(document_id) VALUES ('');"""


def upgrade() -> None:
    """Add the table, its triggers and the indexes."""
    order = ["first_ingested_at", "document_id"]
    op.drop_index("ix_documents_ingestion_status", "documents")
    op.create_index("ix_documents_status_listing", "documents", ["ingestion_status", *order])
    op.create_index("ix_documents_type_listing", "documents", ["mime_type", *order])
    op.create_table(
        "document_changes",
        sa.Column("number", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_document_changes"),
        sa.UniqueConstraint("document_id", name="uq_document_changes_document_id"),
        sqlite_autoincrement=True,
    )
    if op.get_bind().dialect.name == "sqlite":  # on a server, a search copies what has changed
        for trigger in triggers():
            op.execute(trigger)


def triggers() -> Iterator[str]:
    """The statements that create the triggers."""
    tables = {
        "documents": DOCUMENT,
        "document_corpus_memberships": MEMBERSHIP,
        "document_source_instances": INSTANCE,
    }
    for table, columns in tables.items():
        changed = " OR ".join(f"OLD.{name} IS NOT NEW.{name}" for name in columns)
        deleted = _DELETED if table == "documents" else _LOG.format(row="OLD")
        yield f"CREATE TRIGGER {table}_inserted AFTER INSERT ON {table} BEGIN {_LOG.format(row='NEW')} END"
        yield (
            f"CREATE TRIGGER {table}_updated AFTER UPDATE OF {', '.join(columns)} ON {table} WHEN {changed} "
            f"BEGIN {_LOG.format(row='NEW')} END"
        )
        yield f"CREATE TRIGGER {table}_deleted AFTER DELETE ON {table} BEGIN {deleted} END"
