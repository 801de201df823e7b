"""Measured comparisons of two plugins, and verdicts on them (CNV-4)."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, Float, Index, Integer, Table, Text, UniqueConstraint

from .base import Key, document_column, metadata

routing_comparisons = Table(
    "routing_comparisons",
    metadata,
    Column("comparison_id", Integer, primary_key=True, autoincrement=True),
    Column("profile", Key, nullable=False),
    Column("routing_type", Key, nullable=False),
    Column("occasion", Key, nullable=False),
    Column("slot", Integer),
    document_column(nullable=True),
    Column("version", Integer),
    Column("job_id", Key),
    Column("run_id", Key, index=True),
    Column("tool_a", Text, nullable=False),
    Column("engine_a", Text),
    Column("tool_b", Text, nullable=False),
    Column("engine_b", Text),
    Column("metrics_json", Text, nullable=False),
    Column("agreement", Float),
    Column("threshold", Float, nullable=False),
    Column("diverges", Integer, nullable=False),
    Column("failure", Text),
    Column("seconds", Float, nullable=False),
    Column("at", Text, nullable=False),
    UniqueConstraint("profile", "slot"),
    UniqueConstraint("profile", "document_id", "occasion"),
    Index(None, "profile", "routing_type"),
    Index(None, "document_id"),
)
"""Comparisons of documents that were converted twice (CNV-4). `slot` is the position among the first documents of the
profile, from 1, each assigned once; null for a comparison that is not counted. A purge clears `document_id` and
`version`: the numbers stay, as they disclose nothing about the document's content."""

routing_verdicts = Table(
    "routing_verdicts",
    metadata,
    Column("verdict_id", Integer, primary_key=True, autoincrement=True),
    Column("profile", Key, nullable=False),
    Column("routing_type", Key, nullable=False),
    Column("action", Key, nullable=False),
    Column("tool", Text),
    Column("seen", Integer, nullable=False),
    Column("note", Text, nullable=False),
    Column("made_by", Text, nullable=False),
    Column("undoes", Integer),
    Column("at", Text, nullable=False),
    CheckConstraint("action IN ('prefer', 'keep', 'undo')", name="action"),
    Index(None, "profile", "routing_type"),
)
"""Append-only: users' decisions about a profile's rule, and their reversals. `seen` is the last comparison known at the
time of the decision: a later one that diverges requests a new review."""
