"""Retention: purges, damaged and purged versions, annotations, links, sketches, recognised pages.

Revision ID: 0002
Revises: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

KEY = sa.String().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add columns to `conversions`, and the tables; existing data does not change."""
    op.add_column("conversions", sa.Column("damaged_at", sa.Text()))
    op.add_column("conversions", sa.Column("purged_at", sa.Text()))
    _purges()
    _annotations()
    _links()
    _sketches()
    _ocr_pages()


def _purges() -> None:
    op.create_table(
        "purges",
        sa.Column("purge_id", KEY, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("document_id", KEY),
        sa.Column("version", sa.Integer()),
        sa.Column("subject", KEY),
        sa.Column("highest_version", sa.Integer(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("purged_by", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("done_at", sa.Text()),
        sa.CheckConstraint("kind IN ('document', 'version', 'ocr')", name="ck_purges_kind"),
        sa.PrimaryKeyConstraint("purge_id", name="pk_purges"),
    )
    op.create_index("ix_purges_document_id", "purges", ["document_id"])
    op.create_index("ix_purges_done_at", "purges", ["done_at"])


def _annotations() -> None:
    table = "document_annotations"
    op.create_table(
        table,
        sa.Column("annotation_id", KEY, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer()),
        sa.Column("page", sa.Integer()),
        sa.Column("text_start", sa.Integer()),
        sa.Column("text_end", sa.Integer()),
        sa.Column("quote", sa.Text()),
        sa.Column("quote_before", sa.Text()),
        sa.Column("quote_after", sa.Text()),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.CheckConstraint("kind IN ('bookmark', 'highlight', 'note')", name="ck_document_annotations_kind"),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_document_annotations_document_id"),
        sa.PrimaryKeyConstraint("annotation_id", name="pk_document_annotations"),
    )
    op.create_index("ix_document_annotations_document_id", table, ["document_id"])


def _links() -> None:
    op.create_table(
        "document_links",
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("other_id", KEY, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.CheckConstraint("kind IN ('revises', 'related_to')", name="ck_document_links_kind"),
        sa.CheckConstraint("document_id <> other_id", name="ck_document_links_two_documents"),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_document_links_document_id"),
        sa.ForeignKeyConstraint(["other_id"], ["documents.document_id"], name="fk_document_links_other_id"),
        sa.PrimaryKeyConstraint("document_id", "other_id", "kind", name="pk_document_links"),
    )
    op.create_index("ix_document_links_other_id", "document_links", ["other_id"])


def _sketches() -> None:
    op.create_table(
        "document_sketches",
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("sketch", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_document_sketches_document_id"),
        sa.PrimaryKeyConstraint("document_id", name="pk_document_sketches"),
    )
    op.create_table(
        "sketch_keys",
        sa.Column("key", KEY, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_sketch_keys_document_id"),
        sa.PrimaryKeyConstraint("key", "document_id", name="pk_sketch_keys"),
    )
    op.create_index("ix_sketch_keys_document_id", "sketch_keys", ["document_id"])


def _ocr_pages() -> None:
    table = "document_ocr_pages"
    op.create_table(
        table,
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("page_fingerprint", KEY, nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_document_ocr_pages_document_id"),
        sa.PrimaryKeyConstraint("document_id", "page_fingerprint", name="pk_document_ocr_pages"),
    )
    op.create_index("ix_document_ocr_pages_page_fingerprint", table, ["page_fingerprint"])
