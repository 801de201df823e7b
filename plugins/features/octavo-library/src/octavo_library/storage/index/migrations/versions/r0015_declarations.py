"""Declared metadata and its disputes (ENG-21), marks on pages (CNV-3), inspections (CLS-7), and pauses (ENG-30).

Revision ID: 0015
Revises: 0014
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

KEY = sa.String().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "document_metadata",
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("policy_context_json", KEY, nullable=False),
        *_declared(),
        sa.Column("declared_by", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        _document("document_metadata"),
        sa.PrimaryKeyConstraint("document_id", "policy_context_json", name="pk_document_metadata"),
    )
    op.create_table(
        "metadata_disputes",
        sa.Column("dispute_id", KEY, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("policy_context_json", KEY, nullable=False),
        *_declared(),
        sa.Column("path", sa.Text(), nullable=True),
        sa.Column("location_type", sa.Text(), nullable=False),
        sa.Column("surface", sa.Text(), nullable=False),
        sa.Column("corpus_id", KEY, nullable=True),
        sa.Column("declared_by", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        _document("metadata_disputes"),
        sa.ForeignKeyConstraint(["corpus_id"], ["corpora.corpus_id"], name="fk_metadata_disputes_corpus_id"),
        sa.PrimaryKeyConstraint("dispute_id", name="pk_metadata_disputes"),
    )
    op.create_index("ix_metadata_disputes_document_id", "metadata_disputes", ["document_id"])
    op.create_table(
        "document_page_marks",
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("policy_context_json", KEY, nullable=False),
        sa.Column("page", sa.Integer(), nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("marked_by", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.CheckConstraint("kind IN ('needs_ocr', 'visually_important')", name="ck_document_page_marks_kind"),
        _document("document_page_marks"),
        sa.PrimaryKeyConstraint("document_id", "policy_context_json", "page", "kind", name="pk_document_page_marks"),
    )
    op.create_table(
        "document_inspections",
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("request_key", KEY, nullable=False),
        sa.Column("inspection_json", sa.Text(), nullable=False),
        _document("document_inspections"),
        sa.PrimaryKeyConstraint("document_id", name="pk_document_inspections"),
    )
    op.add_column("runs", sa.Column("commit_policy", sa.Text(), nullable=True))
    op.create_table(
        "pauses",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("cause", KEY, nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        sa.Column("resumes_at", sa.Float(), nullable=False),
        sa.Column("advice", sa.Text(), nullable=False),
        sa.Column("since", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "cause", name="pk_pauses"),
    )


def _declared() -> tuple[sa.Column[str], ...]:
    return (
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("date", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("further_json", sa.Text(), nullable=False),
    )


def _document(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name=f"fk_{table}_document_id")
