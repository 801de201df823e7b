"""A hash index of the hashes of pages and chunks on PostgreSQL.

Revision ID: 0020
Revises: 0019

These hashes are only looked up whole. A document writes one for each page and chunk, at random places of the index. A hash index
takes a quarter of the space of a B-tree, so more of it is in memory, and a write reaches one page of it instead of four.
"""

from __future__ import annotations

from alembic import op

revision = "0020"
down_revision = "0019"

_NAME = "ix_content_hashes_hash"


def upgrade() -> None:
    """Replace the index. SQLite has no others than B-trees."""
    if op.get_bind().dialect.name == "postgresql":
        op.drop_index(_NAME, table_name="content_hashes")
        op.create_index(_NAME, "content_hashes", ["hash"], postgresql_using="hash")
