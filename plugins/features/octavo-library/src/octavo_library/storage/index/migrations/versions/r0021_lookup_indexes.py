"""Indexes of values that are only looked up whole, on PostgreSQL.

Revision ID: 0021
Revises: 0020

Paths: a B-tree takes rows of at most 2,704 bytes, and a path may have 4,096, which are more as a reference: a letter outside ASCII has
up to nine bytes there. A hash index takes all; one path of one document is unique by its MD5, because a hash index cannot be unique.

Hashes of pages and chunks: a hash index walks all rows with the same value to insert one more, and a page without words has the same
hash in every document. A B-tree of the first eight bytes of each hash is as small and does not.

Hashes and documents of jobs: a document has few jobs, and a hash index of them takes a third of the space of a B-tree.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

_PATHS = "document_original_paths"
_UNIQUE = "uq_document_original_paths_document_id_path"
_PATH = "ix_document_original_paths_path"
_HASH = "ix_content_hashes_hash"
_OF_JOBS = {"ix_jobs_raw_hash": "raw_hash", "ix_jobs_document_id": "document_id"}


def upgrade() -> None:
    """Replace the indexes. SQLite has no such limit, and no others than B-trees."""
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint(_UNIQUE, _PATHS, type_="unique")
        op.create_index(_UNIQUE, _PATHS, ["document_id", sa.text("md5(path)")], unique=True)
        op.drop_index(_PATH, table_name=_PATHS)
        op.create_index(_PATH, _PATHS, ["path"], postgresql_using="hash")
        op.drop_index(_HASH, table_name="content_hashes")
        op.create_index(_HASH, "content_hashes", [sa.text("(('x' || left(hash, 16))::bit(64)::bigint)")])
        for name, column in _OF_JOBS.items():
            op.drop_index(name, table_name="jobs")
            op.create_index(name, "jobs", [column], postgresql_using="hash")
