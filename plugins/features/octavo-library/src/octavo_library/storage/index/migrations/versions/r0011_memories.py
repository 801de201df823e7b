"""Memories with their anchors, terms, entities and links (ENG-5).

Revision ID: 0011
Revises: 0010
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

KEY = sa.String().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the tables."""
    _memories()
    _terms()
    _entities()
    _links()


def _memories() -> None:
    table = "memories"
    op.create_table(
        table,
        sa.Column("memory_id", KEY, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("policy_context_json", KEY, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("type", KEY, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("language", KEY, nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("page", sa.Integer()),
        sa.Column("text_start", sa.Integer(), nullable=False),
        sa.Column("text_end", sa.Integer(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("quote_before", sa.Text(), nullable=False),
        sa.Column("quote_after", sa.Text(), nullable=False),
        sa.Column("source_ref", sa.Text(), nullable=False),
        sa.Column("content_ref", sa.Text(), nullable=False),
        sa.Column("conversion_artifact_ref", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("last_verified_at", sa.Text(), nullable=False),
        sa.Column("last_verification", KEY),
        sa.CheckConstraint("confidence >= 0 AND confidence <= 1", name="ck_memories_confidence"),
        sa.CheckConstraint("text_start >= 0 AND text_end > text_start", name="ck_memories_anchor"),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_memories_document_id"),
        sa.PrimaryKeyConstraint("memory_id", name="pk_memories"),
    )
    op.create_index("ix_memories_document_id", table, ["document_id"])
    op.create_index("ix_memories_policy_context_json", table, ["policy_context_json"])


def _terms() -> None:
    table = "memory_terms"
    op.create_table(
        table,
        sa.Column("term", KEY, nullable=False),
        sa.Column("memory_id", KEY, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["memory_id"], ["memories.memory_id"], name="fk_memory_terms_memory_id"),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_memory_terms_document_id"),
        sa.PrimaryKeyConstraint("term", "memory_id", name="pk_memory_terms"),
    )
    op.create_index("ix_memory_terms_memory_id", table, ["memory_id"])


def _entities() -> None:
    table = "memory_entities"
    op.create_table(
        table,
        sa.Column("memory_id", KEY, nullable=False),
        sa.Column("entity_id", KEY, nullable=False),
        sa.Column("relationship", KEY, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("label", KEY, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["memory_id"], ["memories.memory_id"], name="fk_memory_entities_memory_id"),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_memory_entities_document_id"),
        sa.PrimaryKeyConstraint("memory_id", "entity_id", "relationship", name="pk_memory_entities"),
    )
    op.create_index("ix_memory_entities_entity_id", table, ["entity_id"])


def _links() -> None:
    table = "memory_links"
    op.create_table(
        table,
        sa.Column("memory_id", KEY, nullable=False),
        sa.Column("other_id", KEY, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("other_document_id", KEY, nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.CheckConstraint("memory_id <> other_id", name="ck_memory_links_two"),
        sa.ForeignKeyConstraint(["memory_id"], ["memories.memory_id"], name="fk_memory_links_memory_id"),
        sa.ForeignKeyConstraint(["other_id"], ["memories.memory_id"], name="fk_memory_links_other_id"),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_memory_links_document_id"),
        sa.ForeignKeyConstraint(
            ["other_document_id"], ["documents.document_id"], name="fk_memory_links_other_document_id"
        ),
        sa.PrimaryKeyConstraint("memory_id", "other_id", "kind", name="pk_memory_links"),
    )
    op.create_index("ix_memory_links_other_id", table, ["other_id"])
