"""Entities, their observations and decisions (ENT-2)."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, Float, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from .base import Key, document_column, metadata

entities = Table(
    "entities",
    metadata,
    Column("entity_id", Key, primary_key=True),
    Column("label", Key, nullable=False),
    Column("key", Key, nullable=False),
    Column("name", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    UniqueConstraint("label", "key"),
)
"""The entities that observations refer to. `key` is their common normal form; a row here confirms nothing (ENT-2)."""

entity_runs = Table(
    "entity_runs",
    metadata,
    Column("run_id", Integer, primary_key=True, autoincrement=True),
    document_column(),
    Column("version", Integer, nullable=False),
    Column("engine", Text, nullable=False),
    Column("engine_version", Text),
    Column("request_json", Text, nullable=False),
    Column("found", Integer, nullable=False),
    Column("kept", Integer, nullable=False),
    Column("dropped_json", Text, nullable=False),
    Column("at", Text, nullable=False),
    Index(None, "document_id", "version"),
)
"""One extraction from a version by an engine; immutable. The last one of a version is the one that is shown (STO-6)."""

entity_observations = Table(
    "entity_observations",
    metadata,
    Column("observation_id", Integer, primary_key=True, autoincrement=True),
    Column("run_id", Integer, ForeignKey("entity_runs.run_id"), nullable=False),
    Column("entity_id", Key, ForeignKey("entities.entity_id"), nullable=False),
    document_column(),
    Column("label", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("text_start", Integer, nullable=False),
    Column("text_end", Integer, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("normalized", Text),
    Index(None, "run_id"),
    Index(None, "entity_id"),
    Index(None, "document_id"),
)
"""Mentions; offsets refer to the canonical text of the run's version, which has `text` there."""

entity_edges = Table(
    "entity_edges",
    metadata,
    Column("entity_id", Key, ForeignKey("entities.entity_id"), primary_key=True),
    Column("run_id", Integer, ForeignKey("entity_runs.run_id"), primary_key=True, autoincrement=False),
    Column("kind", Key, primary_key=True),
    document_column(),
    Column("version", Integer, nullable=False),
    Column("mentions", Integer, nullable=False),
    CheckConstraint("kind IN ('appears_in')", name="kind"),
    Index(None, "document_id"),
)
"""Evidence: that an entity appears in a version of a document, and how often (ENT-2, ENG-26)."""

entity_decisions = Table(
    "entity_decisions",
    metadata,
    Column("decision_id", Integer, primary_key=True, autoincrement=True),
    Column("entity_id", Key, ForeignKey("entities.entity_id"), nullable=False),
    Column("corpus_id", Key, ForeignKey("corpora.corpus_id")),
    Column("action", Key, nullable=False),
    Column("reason", Key, nullable=False),
    Column("note", Text, nullable=False),
    Column("made_by", Text, nullable=False),
    Column("undoes", Integer),
    Column("at", Text, nullable=False),
    CheckConstraint("action IN ('promote', 'demote', 'undo')", name="action"),
    CheckConstraint("reason IN ('user', 'reuse')", name="reason"),
    Index(None, "entity_id"),
)
"""Append-only: decisions about an entity and their reversals. A decision with a corpus applies in that corpus only."""
