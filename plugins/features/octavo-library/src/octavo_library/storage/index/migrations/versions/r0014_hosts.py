"""Processes that work on a library from several machines (ENG-6), and the queue of documents that wait for a worker.

Revision ID: 0014
Revises: 0013
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

KEY = sa.String().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the table and the indexes."""
    op.create_table(
        "hosts",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("labels_json", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Text(), nullable=False),
        sa.Column("seen_at", sa.Text(), nullable=False),
        sa.Column("alive_until", KEY, nullable=False),
        sa.PrimaryKeyConstraint("owner", name="pk_hosts"),
    )
    op.create_index("ix_hosts_alive_until", "hosts", ["alive_until"])
    queued = sa.text("waiting_reason = 'queued'")
    op.create_index("ix_jobs_queued", "jobs", ["created_at", "job_id"], sqlite_where=queued, postgresql_where=queued)
    owned = sa.text("owner IS NOT NULL")
    op.create_index("ix_jobs_owned", "jobs", ["owner"], sqlite_where=owned, postgresql_where=owned)
