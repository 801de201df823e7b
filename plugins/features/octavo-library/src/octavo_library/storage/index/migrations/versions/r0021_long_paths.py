"""Indexes of paths of any length on PostgreSQL.

Revision ID: 0021
Revises: 0020

A B-tree takes rows of at most 2,704 bytes, and a path may have 4,096, which are more as a reference: a letter outside ASCII has up
to nine bytes there. Paths are only looked up whole, so that a hash index finds them; one path of one document is unique by its MD5,
because a hash index cannot be unique.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

_TABLE = "document_original_paths"
_UNIQUE = "uq_document_original_paths_document_id_path"
_PATH = "ix_document_original_paths_path"


def upgrade() -> None:
    """Replace both indexes. SQLite has no such limit."""
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint(_UNIQUE, _TABLE, type_="unique")
        op.create_index(_UNIQUE, _TABLE, ["document_id", sa.text("md5(path)")], unique=True)
        op.drop_index(_PATH, table_name=_TABLE)
        op.create_index(_PATH, _TABLE, ["path"], postgresql_using="hash")
