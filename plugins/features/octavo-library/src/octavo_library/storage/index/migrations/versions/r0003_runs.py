"""Runs: a table, and the run of each job and event.

Revision ID: 0003
Revises: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

KEY = sa.String().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the table, and a column to `jobs` and `ingest_events`; existing rows belong to no run."""
    op.create_table(
        "runs",
        sa.Column("run_id", KEY, nullable=False),
        sa.Column("owner", KEY, nullable=False),
        sa.Column("started_at", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.Text()),
        sa.Column("ended", KEY),
        sa.Column("corpus_id", KEY),
        sa.Column("surface", sa.Text(), nullable=False),
        sa.Column("sources_json", sa.Text(), nullable=False),
        sa.Column("options_json", sa.Text(), nullable=False),
        sa.Column("engine_set", sa.Text()),
        sa.Column("retry_of", KEY),
        sa.Column("workers", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer()),
        sa.Column("not_attempted", sa.Integer(), nullable=False),
        sa.Column("bottleneck", sa.Text()),
        sa.CheckConstraint("ended IN ('finished', 'stopped', 'failed')", name="ck_runs_ended"),
        sa.PrimaryKeyConstraint("run_id", name="pk_runs"),
    )
    op.create_index("ix_runs_started_at", "runs", ["started_at"])
    for table in ("jobs", "ingest_events"):
        op.add_column(table, sa.Column("run_id", KEY))
        op.create_index(f"ix_{table}_run_id", table, ["run_id"])
