"""Attachments: which documents came inside which.

Revision ID: 0006
Revises: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

KEY = sa.String().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the table; existing data does not change."""
    table = "document_attachments"
    op.create_table(
        table,
        sa.Column("parent_id", KEY, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("raw_hash", KEY, nullable=False),
        sa.Column("name", sa.Text()),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.CheckConstraint("parent_id <> document_id", name=f"ck_{table}_two_documents"),
        sa.ForeignKeyConstraint(["parent_id"], ["documents.document_id"], name=f"fk_{table}_parent_id"),
        sa.PrimaryKeyConstraint("parent_id", "document_id", name=f"pk_{table}"),
    )
    op.create_index(f"ix_{table}_document_id", table, ["document_id"])
