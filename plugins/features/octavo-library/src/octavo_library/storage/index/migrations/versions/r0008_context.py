"""Documents in conversations with language models, uploads to providers, and reference documents (CTX-4, CTX-12).

Revision ID: 0008
Revises: 0007
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

KEY = sa.String().with_variant(sa.Text(collation="C"), "postgresql")
CONTEXT = "policy_context_json"


def upgrade() -> None:
    """Add the tables."""
    _conversations()
    _uploads()
    _references()


def _conversations() -> None:
    table = "document_conversations"
    op.create_table(
        table,
        sa.Column("conversation_id", KEY, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.Column(CONTEXT, KEY, nullable=False),
        sa.Column("state_version", sa.Integer(), nullable=False),
        sa.Column("model", sa.Text()),
        sa.Column("tier", sa.Integer()),
        sa.Column("first_sent_at", sa.Text()),
        sa.Column("last_sent_at", sa.Text()),
        sa.Column("prompt_cache_active", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("last_cache_use", sa.Text()),
        sa.Column("cache_content_hash", KEY),
        sa.Column("total_tokens_sent", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("total_tokens_saved", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("retrieved_pages_json", sa.Text(), nullable=False),
        sa.Column("is_escalated", sa.Integer(), nullable=False, server_default="0"),
        sa.CheckConstraint("tier IN (1, 2, 3)", name="ck_document_conversations_tier"),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.document_id"], name="fk_document_conversations_document_id"
        ),
        sa.PrimaryKeyConstraint("conversation_id", "document_id", CONTEXT, name="pk_document_conversations"),
    )
    op.create_index("ix_document_conversations_document_id", table, ["document_id"])


def _uploads() -> None:
    op.create_table(
        "document_uploads",
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("provider", KEY, nullable=False),
        sa.Column(CONTEXT, KEY, nullable=False),
        sa.Column("api_file_id", sa.Text(), nullable=False),
        sa.Column("file_hash", KEY, nullable=False),
        sa.Column("uploaded_at", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.Text()),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_document_uploads_document_id"),
        sa.PrimaryKeyConstraint("document_id", "provider", CONTEXT, name="pk_document_uploads"),
    )


def _references() -> None:
    op.create_table(
        "document_references",
        sa.Column("document_id", KEY, nullable=False),
        sa.Column(CONTEXT, KEY, nullable=False),
        sa.Column("marked_by", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_document_references_document_id"),
        sa.PrimaryKeyConstraint("document_id", CONTEXT, name="pk_document_references"),
    )
