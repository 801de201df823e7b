"""Entities: observations in documents, the evidence for them, and decisions about entities (ENT-2).

Revision ID: 0004
Revises: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

KEY = sa.String().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the tables; existing data does not change."""
    _entities()
    _runs()
    _observations()
    _edges()
    _decisions()


def _entities() -> None:
    op.create_table(
        "entities",
        sa.Column("entity_id", KEY, nullable=False),
        sa.Column("label", KEY, nullable=False),
        sa.Column("key", KEY, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("entity_id", name="pk_entities"),
        sa.UniqueConstraint("label", "key", name="uq_entities_label_key"),
    )


def _runs() -> None:
    table = "entity_runs"
    op.create_table(
        table,
        sa.Column("run_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("engine_version", sa.Text()),
        sa.Column("request_json", sa.Text(), nullable=False),
        sa.Column("found", sa.Integer(), nullable=False),
        sa.Column("kept", sa.Integer(), nullable=False),
        sa.Column("dropped_json", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_entity_runs_document_id"),
        sa.PrimaryKeyConstraint("run_id", name="pk_entity_runs"),
    )
    op.create_index("ix_entity_runs_document_id_version", table, ["document_id", "version"])


def _observations() -> None:
    table = "entity_observations"
    op.create_table(
        table,
        sa.Column("observation_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("entity_id", KEY, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("text_start", sa.Integer(), nullable=False),
        sa.Column("text_end", sa.Integer(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("normalized", sa.Text()),
        sa.ForeignKeyConstraint(["run_id"], ["entity_runs.run_id"], name="fk_entity_observations_run_id"),
        sa.ForeignKeyConstraint(["entity_id"], ["entities.entity_id"], name="fk_entity_observations_entity_id"),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_entity_observations_document_id"),
        sa.PrimaryKeyConstraint("observation_id", name="pk_entity_observations"),
    )
    for column in ("run_id", "entity_id", "document_id"):
        op.create_index(f"ix_entity_observations_{column}", table, [column])


def _edges() -> None:
    table = "entity_edges"
    op.create_table(
        table,
        sa.Column("entity_id", KEY, nullable=False),
        sa.Column("run_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("mentions", sa.Integer(), nullable=False),
        sa.CheckConstraint("kind IN ('appears_in')", name="ck_entity_edges_kind"),
        sa.ForeignKeyConstraint(["entity_id"], ["entities.entity_id"], name="fk_entity_edges_entity_id"),
        sa.ForeignKeyConstraint(["run_id"], ["entity_runs.run_id"], name="fk_entity_edges_run_id"),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_entity_edges_document_id"),
        sa.PrimaryKeyConstraint("entity_id", "run_id", "kind", name="pk_entity_edges"),
    )
    op.create_index("ix_entity_edges_document_id", table, ["document_id"])


def _decisions() -> None:
    table = "entity_decisions"
    op.create_table(
        table,
        sa.Column("decision_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("entity_id", KEY, nullable=False),
        sa.Column("corpus_id", KEY),
        sa.Column("action", KEY, nullable=False),
        sa.Column("reason", KEY, nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("undoes", sa.Integer()),
        sa.Column("at", sa.Text(), nullable=False),
        sa.CheckConstraint("action IN ('promote', 'demote', 'undo')", name="ck_entity_decisions_action"),
        sa.CheckConstraint("reason IN ('user', 'reuse')", name="ck_entity_decisions_reason"),
        sa.ForeignKeyConstraint(["entity_id"], ["entities.entity_id"], name="fk_entity_decisions_entity_id"),
        sa.ForeignKeyConstraint(["corpus_id"], ["corpora.corpus_id"], name="fk_entity_decisions_corpus_id"),
        sa.PrimaryKeyConstraint("decision_id", name="pk_entity_decisions"),
    )
    op.create_index("ix_entity_decisions_entity_id", table, ["entity_id"])
