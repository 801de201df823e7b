"""Conversion versions, the jobs that make them, and runs (STO-6, ENG-3)."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, Float, ForeignKey, Index, Integer, Table, Text

from .base import Key, document_column, metadata

conversions = Table(
    "conversions",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("job_id", Key, ForeignKey("jobs.job_id"), nullable=False),
    Column("tool", Text, nullable=False),
    Column("tool_version", Text),
    Column("config_json", Text, nullable=False),
    Column("quality_score", Float),
    Column("status", Text, nullable=False),
    Column("flags_json", Text, nullable=False),
    Column("normalized_text_hash", Key),
    Column("artifact_ref", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("damaged_at", Text),
    Column("purged_at", Text),
    Column("title", Text),
)
"""Rows stay when a version's files are purged, so that its number is never reused. `damaged_at` is the time when a
check found a missing or altered file, `purged_at` the time when the files were purged. `title` is what the version states:
empty if it states none, null if that is not known, as of versions before migration 0022 and of purged ones."""

activations = Table(
    "activations",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),
    Column("activated_by", Text, nullable=False),
    Column("at", Text, nullable=False),
)
"""Append-only: which version was active at what time (STO-19). The last row equals the document's active version."""

content_hashes = Table(
    "content_hashes",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("kind", Key, primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("hash", Key, nullable=False),
    CheckConstraint("kind IN ('page', 'chunk')", name="kind"),
    # On PostgreSQL of the first eight bytes; see `documents.with_hash`.
    Index(None, "hash"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("job_id", Key, primary_key=True),
    document_column(nullable=True),
    Column("raw_hash", Key),
    Column("source_instance_id", Key),
    Column("intent", Key, nullable=False),
    Column("state", Key, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("open_key", Key, unique=True),
    Column("owner", Key),
    Column("lease_until", Text),
    Column("claims", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("reason", Text),
    Column("waiting_reason", Text),
    Column("engine_set", Text),
    Column("request_json", Text),
    Column("result_json", Text),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Column("run_id", Key, index=True),
    # Migration 0021 makes these two hash indexes on PostgreSQL.
    Index(None, "raw_hash"),
    Index(None, "document_id"),
)
"""`seq` is the number of the job's last transition, for compare-and-set. `open_key` is null once the job is final: its
uniqueness prevents two jobs from doing the same work at once (ENG-22)."""

# Migrations make these partial: 0014 the first two, of queued jobs and of jobs with an owner, 0017 the others, of jobs with
# a document and of jobs with more than two claims. The conditions are not repeated here, since an index with options of a
# dialect imports that dialect.
Index("ix_jobs_queued", jobs.c.created_at, jobs.c.job_id)
Index("ix_jobs_owned", jobs.c.owner)
Index("ix_jobs_ended", jobs.c.updated_at)
Index("ix_jobs_reclaimed", jobs.c.updated_at)

transitions = Table(
    "transitions",
    metadata,
    Column("job_id", Key, ForeignKey("jobs.job_id"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("from_state", Text),
    Column("to_state", Text, nullable=False),
    Column("skipped", Integer, nullable=False),
    Column("at", Text, nullable=False),
    Column("details_json", Text, nullable=False),
)

ingest_events = Table(
    "ingest_events",
    metadata,
    Column("event_id", Integer, primary_key=True, autoincrement=True),
    document_column(nullable=True),
    Column("job_id", Key),
    Column("source_instance_id", Key),
    Column("path", Key),
    Column("surface", Text, nullable=False),
    Column("corpus_id", Key),
    Column("outcome", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("run_id", Key, index=True),
    Index(None, "document_id"),
)

runs = Table(
    "runs",
    metadata,
    Column("run_id", Key, primary_key=True),
    Column("owner", Key, nullable=False),
    Column("started_at", Text, nullable=False, index=True),
    Column("ended_at", Text),
    Column("ended", Key),
    Column("corpus_id", Key),
    Column("surface", Text, nullable=False),
    Column("sources_json", Text, nullable=False),
    Column("options_json", Text, nullable=False),
    Column("engine_set", Text),
    Column("retry_of", Key),
    Column("workers", Integer, nullable=False),
    Column("total", Integer),
    Column("not_attempted", Integer, nullable=False),
    Column("bottleneck", Text),
    Column("commit_policy", Text),
    CheckConstraint("ended IN ('finished', 'stopped', 'failed')", name="ended"),
)
"""The request of a run and how it ended. The outcomes of its documents are read from `ingest_events`, `jobs` and
`transitions` (ENG-17). A run without an end whose `owner` is dead was interrupted."""
