"""Research runs and the journal of their steps (RES-2).

Revision ID: 0010
Revises: 0008
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0008"

KEY = sa.String().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "research_runs",
        sa.Column("research_id", KEY, nullable=False),
        sa.Column("corpus_id", KEY),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("options_json", sa.Text(), nullable=False),
        sa.Column("status", KEY, nullable=False),
        sa.Column("phase", KEY, nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("owner", KEY),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.CheckConstraint("status IN ('running', 'completed', 'failed', 'cancelled')", name="ck_research_runs_status"),
        sa.ForeignKeyConstraint(["corpus_id"], ["corpora.corpus_id"], name="fk_research_runs_corpus_id"),
        sa.PrimaryKeyConstraint("research_id", name="pk_research_runs"),
    )
    op.create_index("ix_research_runs_corpus_id", "research_runs", ["corpus_id"])
    op.create_table(
        "research_steps",
        sa.Column("research_id", KEY, nullable=False),
        sa.Column("name", KEY, nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("phase", KEY, nullable=False),
        sa.Column("result_json", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["research_id"], ["research_runs.research_id"], name="fk_research_steps_research_id"),
        sa.PrimaryKeyConstraint("research_id", "name", name="pk_research_steps"),
    )
