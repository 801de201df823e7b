"""Indexes of ended jobs: those that ended last, and those that changed hands more often than a plain job does (ENG-6).

Revision ID: 0017
Revises: 0016
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add the indexes."""
    about_a_document = sa.text("document_id IS NOT NULL")
    op.create_index(
        "ix_jobs_ended", "jobs", ["updated_at"], sqlite_where=about_a_document, postgresql_where=about_a_document
    )
    reclaimed = sa.text("claims > 2")
    op.create_index("ix_jobs_reclaimed", "jobs", ["updated_at"], sqlite_where=reclaimed, postgresql_where=reclaimed)
