"""Routing: comparisons of documents that were converted twice, and users' verdicts on them (CNV-4).

Revision ID: 0005
Revises: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

KEY = sa.String().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the tables; existing data does not change."""
    _comparisons()
    _verdicts()


def _comparisons() -> None:
    table = "routing_comparisons"
    op.create_table(
        table,
        sa.Column("comparison_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("profile", KEY, nullable=False),
        sa.Column("routing_type", KEY, nullable=False),
        sa.Column("occasion", KEY, nullable=False),
        sa.Column("slot", sa.Integer()),
        sa.Column("document_id", KEY),
        sa.Column("version", sa.Integer()),
        sa.Column("job_id", KEY),
        sa.Column("run_id", KEY),
        sa.Column("tool_a", sa.Text(), nullable=False),
        sa.Column("engine_a", sa.Text()),
        sa.Column("tool_b", sa.Text(), nullable=False),
        sa.Column("engine_b", sa.Text()),
        sa.Column("metrics_json", sa.Text(), nullable=False),
        sa.Column("agreement", sa.Float()),
        sa.Column("threshold", sa.Float(), nullable=False),
        sa.Column("diverges", sa.Integer(), nullable=False),
        sa.Column("failure", sa.Text()),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name=f"fk_{table}_document_id"),
        sa.PrimaryKeyConstraint("comparison_id", name=f"pk_{table}"),
        sa.UniqueConstraint("profile", "slot", name=f"uq_{table}_profile_slot"),
        sa.UniqueConstraint("profile", "document_id", "occasion", name=f"uq_{table}_profile_document_id_occasion"),
    )
    op.create_index(f"ix_{table}_profile_routing_type", table, ["profile", "routing_type"])
    op.create_index(f"ix_{table}_document_id", table, ["document_id"])
    op.create_index(f"ix_{table}_run_id", table, ["run_id"])


def _verdicts() -> None:
    table = "routing_verdicts"
    op.create_table(
        table,
        sa.Column("verdict_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("profile", KEY, nullable=False),
        sa.Column("routing_type", KEY, nullable=False),
        sa.Column("action", KEY, nullable=False),
        sa.Column("tool", sa.Text()),
        sa.Column("seen", sa.Integer(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("undoes", sa.Integer()),
        sa.Column("at", sa.Text(), nullable=False),
        sa.CheckConstraint("action IN ('prefer', 'keep', 'undo')", name="ck_routing_verdicts_action"),
        sa.PrimaryKeyConstraint("verdict_id", name="pk_routing_verdicts"),
    )
    op.create_index(f"ix_{table}_profile_routing_type", table, ["profile", "routing_type"])
