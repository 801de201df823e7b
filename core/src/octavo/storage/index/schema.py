"""The tables of the index (STO-3), as the newest migration leaves them.

The seed's columns keep the seed's names (003 §12.2). Times are ISO 8601 in UTC with microseconds and a Z, of one
width, so that text order is time order in every database.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

REVISION: Final = "0007"
"""The migration that makes these tables; an index at another one is migrated when it is opened."""

Key = String().with_variant(Text(collation="C"), "postgresql")
"""Ids, hashes, states: compared byte by byte, so that a prefix is a range of the index in every database."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _document(*, nullable: bool = False) -> Column[Any]:
    return Column("document_id", Key, ForeignKey("documents.document_id"), nullable=nullable)


def _corpus(*, nullable: bool = False) -> Column[Any]:
    return Column("corpus_id", Key, ForeignKey("corpora.corpus_id"), nullable=nullable)


def _context(**more: Any) -> Column[Any]:
    """Whose word a row is: a policy context as `PolicyContext.canonical()`; `owner`: the library's owner's alone."""
    return Column("policy_context_json", Key, nullable=False, **more)


meta = Table("meta", metadata, Column("key", Key, primary_key=True), Column("value", Text, nullable=False))

corpora = Table(
    "corpora",
    metadata,
    Column("corpus_id", Key, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("profile", Text),
    Column("visibility", Text, nullable=False),
    Column("sensitivity", Text, nullable=False),
    Column("overrides_json", Text, nullable=False),
    Column("chunking_config_version", Text),
    Column("created_at", Text, nullable=False),
)

documents = Table(
    "documents",
    metadata,
    Column("document_id", Key, primary_key=True),
    Column("content_hash", Key, nullable=False, unique=True),
    Column("normalized_binary_hash", Key, index=True),
    Column("normalized_text_hash", Key, index=True),
    Column("title", Text),
    Column("document_type", Text),
    Column("file_size", BigInteger),
    Column("mime_type", Text),
    Column("classification_json", Text),
    Column("original_ref", Text),
    Column("active_conversion_version", Text),
    Column("ingestion_status", Key, nullable=False, index=True),
    Column("hard_fail_reason", Text),
    Column("first_ingested_at", Text, nullable=False),
    Column("last_reingested_at", Text),
    Column("last_accessed_at", Text),
    Column("processing_log_ref", Text),
)
"""`document_type` is what the classifier said last; what users set over it is in `document_types`."""

document_types = Table(
    "document_types",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    _context(primary_key=True),
    Column("document_type", Text, nullable=False),
    Column("set_by", Text, nullable=False),
    Column("at", Text, nullable=False),
)
"""Types set by hand, one a policy context (STO-5); no conversion overwrites one (CLS-6)."""

document_original_paths = Table(
    "document_original_paths",
    metadata,
    Column("path_id", Integer, primary_key=True, autoincrement=True),
    _document(),
    Column("path", Key, nullable=False, index=True),
    Column("location_type", Text, nullable=False),
    Column("added_at", Text, nullable=False),
    Column("is_stale", Integer, nullable=False, server_default="0"),
    UniqueConstraint("document_id", "path"),
)

document_corpus_memberships = Table(
    "document_corpus_memberships",
    metadata,
    Column("membership_id", Integer, primary_key=True, autoincrement=True),
    _document(),
    _corpus(),
    Column("added_at", Text, nullable=False),
    Column("added_by", Text, nullable=False),
    Column("extraction_status", Text),
    Column("extraction_history_json", Text),
    UniqueConstraint("document_id", "corpus_id"),
    Index(None, "corpus_id"),
)

document_source_instances = Table(
    "document_source_instances",
    metadata,
    Column("source_instance_id", Key, primary_key=True),
    _document(),
    _corpus(nullable=True),
    Column("policy_context_json", Text, nullable=False),
    Column("ingested_at", Text, nullable=False),
    Column("ingestion_surface", Text, nullable=False),
    Index(None, "document_id"),
)

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
)
"""Rows stay when a version's files are purged, so that its number is never given out again. `damaged_at` is when a
check found a file of it missing or altered, `purged_at` when its files were given up."""

activations = Table(
    "activations",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),
    Column("activated_by", Text, nullable=False),
    Column("at", Text, nullable=False),
)
"""Append-only: which version was active as of a date (STO-19). The last row equals the document's pointer."""

content_hashes = Table(
    "content_hashes",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("kind", Key, primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("hash", Key, nullable=False),
    CheckConstraint("kind IN ('page', 'chunk')", name="kind"),
    Index(None, "hash"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("job_id", Key, primary_key=True),
    _document(nullable=True),
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
    Index(None, "raw_hash"),
    Index(None, "document_id"),
)
"""`seq` is the job's last transition and what compare-and-set compares. `open_key` is null once the job is final:
its uniqueness is what keeps two jobs from doing the same work at once (ENG-22)."""

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
    _document(nullable=True),
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
    CheckConstraint("ended IN ('finished', 'stopped', 'failed')", name="ended"),
)
"""What was asked for and how it ended. What came of the documents stands in `ingest_events`, `jobs` and `transitions`, and
is read from there (ENG-17). A run without an end whose `owner` is gone was interrupted."""

overrides = Table(
    "overrides",
    metadata,
    Column("override_id", Integer, primary_key=True, autoincrement=True),
    Column("document_id", Key, ForeignKey("documents.document_id"), unique=True),
    Column("corpus_id", Key, ForeignKey("corpora.corpus_id"), unique=True),
    Column("plugin", Text, nullable=False),
    Column("set_by", Text, nullable=False),
    Column("at", Text, nullable=False),
    CheckConstraint("(document_id IS NULL) <> (corpus_id IS NULL)", name="one_scope"),
)

purges = Table(
    "purges",
    metadata,
    Column("purge_id", Key, primary_key=True),
    Column("kind", Key, nullable=False),
    Column("document_id", Key, index=True),
    Column("version", Integer),
    Column("subject", Key),
    Column("highest_version", Integer, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("purged_by", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("done_at", Text, index=True),
    CheckConstraint("kind IN ('document', 'version', 'ocr')", name="kind"),
)
"""What was removed for good, and what is being removed: the row is written before any file goes (STO-12, ENG-29).

It names no title, path or text. `subject` is the hash whose files go, and null once they are gone. No reference to
`documents`: the row outlives the document, and with it the number that `VersionRepository.highest` gives, so that no number is
ever given out twice.
"""

document_annotations = Table(
    "document_annotations",
    metadata,
    Column("annotation_id", Key, primary_key=True),
    _document(),
    _context(server_default="owner"),
    Column("kind", Key, nullable=False),
    Column("body", Text, nullable=False),
    Column("version", Integer),
    Column("page", Integer),
    Column("text_start", Integer),
    Column("text_end", Integer),
    Column("quote", Text),
    Column("quote_before", Text),
    Column("quote_after", Text),
    Column("made_by", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    CheckConstraint("kind IN ('bookmark', 'highlight', 'note')", name="kind"),
    Index(None, "document_id"),
)
"""Offsets count in the canonical text of `version`; `quote` and what stands around it find the place in another one."""

document_links = Table(
    "document_links",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    Column("other_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    Column("kind", Key, primary_key=True),
    _context(primary_key=True),
    Column("made_by", Text, nullable=False),
    Column("at", Text, nullable=False),
    CheckConstraint("kind IN ('revises', 'related_to')", name="kind"),
    CheckConstraint("document_id <> other_id", name="two_documents"),
    Index(None, "other_id"),
)
"""What a user said of two documents; they stay two (STO-9). `related_to` has the smaller id first."""

document_attachments = Table(
    "document_attachments",
    metadata,
    Column("parent_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    Column("document_id", Key, primary_key=True),
    Column("raw_hash", Key, nullable=False),
    Column("name", Text),
    Column("position", Integer, nullable=False),
    Column("at", Text, nullable=False),
    CheckConstraint("parent_id <> document_id", name="two_documents"),
    Index(None, "document_id"),
)
"""Which documents came inside which, such as what is attached to a message. No reference from `document_id`: the row is
written with the parent's conversion, when the attachment is owed and is no document yet."""

document_sketches = Table(
    "document_sketches",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("sketch", Text, nullable=False),
)
"""The smallest shingle hashes of a document's active text, in hex, ascending: derived, and made when asked for."""

sketch_keys = Table(
    "sketch_keys",
    metadata,
    Column("key", Key, primary_key=True),
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    Index(None, "document_id"),
)
"""The first few hashes of each sketch, by which similar documents find each other."""

document_ocr_pages = Table(
    "document_ocr_pages",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    Column("page_fingerprint", Key, primary_key=True),
    Index(None, "page_fingerprint"),
)
"""Whose pages the shared recognitions are (OCR-3): what no document claims is purged with none, and is an orphan."""

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
"""What observations are of. `key` is the normal form that they share; being here confirms nothing (ENT-2)."""

entity_runs = Table(
    "entity_runs",
    metadata,
    Column("run_id", Integer, primary_key=True, autoincrement=True),
    _document(),
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
"""One reading of a version by an engine; never changed. The last one of a version is the one that is shown (STO-6)."""

entity_observations = Table(
    "entity_observations",
    metadata,
    Column("observation_id", Integer, primary_key=True, autoincrement=True),
    Column("run_id", Integer, ForeignKey("entity_runs.run_id"), nullable=False),
    Column("entity_id", Key, ForeignKey("entities.entity_id"), nullable=False),
    _document(),
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
"""Mentions; offsets count in the canonical text of the run's version, and hold `text` there."""

entity_edges = Table(
    "entity_edges",
    metadata,
    Column("entity_id", Key, ForeignKey("entities.entity_id"), primary_key=True),
    Column("run_id", Integer, ForeignKey("entity_runs.run_id"), primary_key=True, autoincrement=False),
    Column("kind", Key, primary_key=True),
    _document(),
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
"""Append-only: what was said of an entity, by whom, and what took it back. With a corpus it holds in that corpus only."""

routing_comparisons = Table(
    "routing_comparisons",
    metadata,
    Column("comparison_id", Integer, primary_key=True, autoincrement=True),
    Column("profile", Key, nullable=False),
    Column("routing_type", Key, nullable=False),
    Column("occasion", Key, nullable=False),
    Column("slot", Integer),
    _document(nullable=True),
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
"""What came of documents that were converted twice (CNV-4). `slot` is the place among the first documents of the profile,
from 1, each given out once; null for a comparison that is not counted. A purge empties `document_id` and `version`: the
numbers stay, as they tell nothing of what the document said."""

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
"""Append-only: what a user decided of a profile's rule, and what took it back. `seen` is the last comparison that the
decision knew of: a later one that diverges asks for review again."""
