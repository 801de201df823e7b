"""Versions that users accepted with their flags (ENG-25), and indexes for pages of long listings (UI-1).

Revision ID: 0012
Revises: 0011
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

KEY = sa.String().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the table and the indexes."""
    op.create_table(
        "document_acceptances",
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("policy_context_json", KEY, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("accepted_by", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_document_acceptances_document_id"),
        sa.PrimaryKeyConstraint("document_id", "policy_context_json", "version", name="pk_document_acceptances"),
    )
    op.create_index("ix_documents_first_ingested_at_document_id", "documents", ["first_ingested_at", "document_id"])
    instances = "document_source_instances"
    op.drop_index(f"ix_{instances}_document_id", instances)
    op.create_index(f"ix_{instances}_first_seen", instances, ["document_id", "policy_context_json", "ingested_at"])
    op.create_index(f"ix_{instances}_listing", instances, ["policy_context_json", "ingested_at", "document_id"])
