"""Policy contexts: annotations, links and types set by hand belong to the context that made them (STO-5).

Revision ID: 0007
Revises: 0006
"""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

KEY = sa.String().with_variant(sa.Text(collation="C"), "postgresql")
CONTEXT = "policy_context_json"

_ONLY_CONTEXT = f"""
COALESCE((
    SELECT CASE WHEN COUNT(DISTINCT way.{CONTEXT}) = 1 THEN MIN(way.{CONTEXT}) END
    FROM document_source_instances AS way WHERE way.document_id = {{table}}.document_id
), 'owner')
"""
"""The context of a document that has one only. With several, a remark's context is unknown: only the owner sees it."""


def upgrade() -> None:
    """Give every remark its policy context. No remark is lost: the library's owner sees all of them."""
    _annotations()
    _links()
    _types()


def _annotations() -> None:
    table = "document_annotations"
    op.add_column(table, sa.Column(CONTEXT, KEY, nullable=False, server_default="owner"))
    op.execute(f"UPDATE {table} SET {CONTEXT} = {_ONLY_CONTEXT.format(table=table)}")


def _links() -> None:
    """Recreate the table: its primary key has one more column."""
    table, columns = "document_links", ("document_id", "other_id", "kind", "made_by", "at")
    listed = ", ".join(columns)
    rows = op.get_bind().execute(sa.text(f"SELECT {listed}, {_ONLY_CONTEXT.format(table=table)} FROM {table}")).all()
    op.drop_table(table)
    made = op.create_table(
        table,
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("other_id", KEY, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column(CONTEXT, KEY, nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.CheckConstraint("kind IN ('revises', 'related_to')", name="ck_document_links_kind"),
        sa.CheckConstraint("document_id <> other_id", name="ck_document_links_two_documents"),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_document_links_document_id"),
        sa.ForeignKeyConstraint(["other_id"], ["documents.document_id"], name="fk_document_links_other_id"),
        sa.PrimaryKeyConstraint("document_id", "other_id", "kind", CONTEXT, name="pk_document_links"),
    )
    op.create_index("ix_document_links_other_id", table, ["other_id"])
    op.bulk_insert(made, [dict(zip((*columns, CONTEXT), row, strict=True)) for row in rows])


def _types() -> None:
    """Move the types set by hand to a table; `documents.document_type` is the classifier's from now on."""
    table = "document_types"
    op.create_table(
        table,
        sa.Column("document_id", KEY, nullable=False),
        sa.Column(CONTEXT, KEY, nullable=False),
        sa.Column("document_type", sa.Text(), nullable=False),
        sa.Column("set_by", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_document_types_document_id"),
        sa.PrimaryKeyConstraint("document_id", CONTEXT, name="pk_document_types"),
    )
    op.execute(
        f"INSERT INTO {table} (document_id, {CONTEXT}, document_type, set_by, at) "
        f"SELECT document_id, {_ONLY_CONTEXT.format(table='documents')}, "
        "COALESCE(document_type, 'unknown'), document_type_by, COALESCE(last_reingested_at, first_ingested_at) "
        "FROM documents WHERE document_type_by IS NOT NULL"
    )
    connection = op.get_bind()
    by_hand = sa.text("SELECT document_id, classification_json FROM documents WHERE document_type_by IS NOT NULL")
    for document_id, classification in connection.execute(by_hand).all():
        said = json.loads(classification or "{}").get("document_type")
        change = sa.text("UPDATE documents SET document_type = :said WHERE document_id = :document_id")
        connection.execute(change, {"said": said, "document_id": document_id})
    op.drop_column("documents", "document_type_by")
