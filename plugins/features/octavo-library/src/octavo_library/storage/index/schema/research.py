"""Research runs and the journal of their steps (RES-2)."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Integer, Table, Text

from .base import Key, corpus_column, metadata

research_runs = Table(
    "research_runs",
    metadata,
    Column("research_id", Key, primary_key=True),
    corpus_column(nullable=True),
    Column("question", Text, nullable=False),
    Column("options_json", Text, nullable=False),
    Column("status", Key, nullable=False),
    Column("phase", Key, nullable=False),
    Column("reason", Text),
    Column("owner", Key),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    CheckConstraint("status IN ('running', 'completed', 'failed', 'cancelled')", name="status"),
    Index(None, "corpus_id"),
)
"""A question, who asked it (a corpus, or the library's owner), and how far the run is."""

research_steps = Table(
    "research_steps",
    metadata,
    Column("research_id", Key, ForeignKey("research_runs.research_id"), primary_key=True),
    Column("name", Key, primary_key=True),
    Column("seq", Integer, nullable=False),
    Column("phase", Key, nullable=False),
    Column("result_json", Text, nullable=False),
    Column("at", Text, nullable=False),
)
"""A finished step. Its result names documents, versions and locators; a text that was derived from documents stands beside their ids."""
