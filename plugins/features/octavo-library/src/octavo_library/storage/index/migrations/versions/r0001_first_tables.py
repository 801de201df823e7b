"""The tables of the first release.

Revision ID: 0001
Revises:
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

KEY = sa.String().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create every table and index."""
    _corpora_and_documents()
    _document_parts()
    _jobs()
    _conversions()
    _overrides()


def _corpora_and_documents() -> None:
    op.create_table(
        "meta",
        sa.Column("key", KEY, nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_meta"),
    )
    op.create_table(
        "corpora",
        sa.Column("corpus_id", KEY, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("profile", sa.Text()),
        sa.Column("visibility", sa.Text(), nullable=False),
        sa.Column("sensitivity", sa.Text(), nullable=False),
        sa.Column("overrides_json", sa.Text(), nullable=False),
        sa.Column("chunking_config_version", sa.Text()),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("corpus_id", name="pk_corpora"),
        sa.UniqueConstraint("name", name="uq_corpora_name"),
    )
    op.create_table(
        "documents",
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("content_hash", KEY, nullable=False),
        sa.Column("normalized_binary_hash", KEY),
        sa.Column("normalized_text_hash", KEY),
        sa.Column("title", sa.Text()),
        sa.Column("document_type", sa.Text()),
        sa.Column("document_type_by", sa.Text()),
        sa.Column("file_size", sa.BigInteger()),
        sa.Column("mime_type", sa.Text()),
        sa.Column("classification_json", sa.Text()),
        sa.Column("original_ref", sa.Text()),
        sa.Column("active_conversion_version", sa.Text()),
        sa.Column("ingestion_status", KEY, nullable=False),
        sa.Column("hard_fail_reason", sa.Text()),
        sa.Column("first_ingested_at", sa.Text(), nullable=False),
        sa.Column("last_reingested_at", sa.Text()),
        sa.Column("last_accessed_at", sa.Text()),
        sa.Column("processing_log_ref", sa.Text()),
        sa.PrimaryKeyConstraint("document_id", name="pk_documents"),
        sa.UniqueConstraint("content_hash", name="uq_documents_content_hash"),
    )
    op.create_index("ix_documents_ingestion_status", "documents", ["ingestion_status"])
    op.create_index("ix_documents_normalized_binary_hash", "documents", ["normalized_binary_hash"])
    op.create_index("ix_documents_normalized_text_hash", "documents", ["normalized_text_hash"])


def _document_parts() -> None:
    op.create_table(
        "document_original_paths",
        sa.Column("path_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("path", KEY, nullable=False),
        sa.Column("location_type", sa.Text(), nullable=False),
        sa.Column("added_at", sa.Text(), nullable=False),
        sa.Column("is_stale", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.document_id"], name="fk_document_original_paths_document_id"
        ),
        sa.PrimaryKeyConstraint("path_id", name="pk_document_original_paths"),
        sa.UniqueConstraint("document_id", "path", name="uq_document_original_paths_document_id_path"),
    )
    op.create_index("ix_document_original_paths_path", "document_original_paths", ["path"])
    op.create_table(
        "document_corpus_memberships",
        sa.Column("membership_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("corpus_id", KEY, nullable=False),
        sa.Column("added_at", sa.Text(), nullable=False),
        sa.Column("added_by", sa.Text(), nullable=False),
        sa.Column("extraction_status", sa.Text()),
        sa.Column("extraction_history_json", sa.Text()),
        sa.ForeignKeyConstraint(["corpus_id"], ["corpora.corpus_id"], name="fk_document_corpus_memberships_corpus_id"),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.document_id"], name="fk_document_corpus_memberships_document_id"
        ),
        sa.PrimaryKeyConstraint("membership_id", name="pk_document_corpus_memberships"),
        sa.UniqueConstraint("document_id", "corpus_id", name="uq_document_corpus_memberships_document_id_corpus_id"),
    )
    op.create_index("ix_document_corpus_memberships_corpus_id", "document_corpus_memberships", ["corpus_id"])
    op.create_table(
        "document_source_instances",
        sa.Column("source_instance_id", KEY, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("corpus_id", KEY),
        sa.Column("policy_context_json", sa.Text(), nullable=False),
        sa.Column("ingested_at", sa.Text(), nullable=False),
        sa.Column("ingestion_surface", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["corpus_id"], ["corpora.corpus_id"], name="fk_document_source_instances_corpus_id"),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.document_id"], name="fk_document_source_instances_document_id"
        ),
        sa.PrimaryKeyConstraint("source_instance_id", name="pk_document_source_instances"),
    )
    op.create_index("ix_document_source_instances_document_id", "document_source_instances", ["document_id"])
    op.create_table(
        "ingest_events",
        sa.Column("event_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("document_id", KEY),
        sa.Column("job_id", KEY),
        sa.Column("source_instance_id", KEY),
        sa.Column("path", KEY),
        sa.Column("surface", sa.Text(), nullable=False),
        sa.Column("corpus_id", KEY),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_ingest_events_document_id"),
        sa.PrimaryKeyConstraint("event_id", name="pk_ingest_events"),
    )
    op.create_index("ix_ingest_events_document_id", "ingest_events", ["document_id"])


def _conversions() -> None:
    op.create_table(
        "conversions",
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("job_id", KEY, nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("tool_version", sa.Text()),
        sa.Column("config_json", sa.Text(), nullable=False),
        sa.Column("quality_score", sa.Float()),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("flags_json", sa.Text(), nullable=False),
        sa.Column("normalized_text_hash", KEY),
        sa.Column("artifact_ref", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_conversions_document_id"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.job_id"], name="fk_conversions_job_id"),
        sa.PrimaryKeyConstraint("document_id", "version", name="pk_conversions"),
    )
    op.create_table(
        "activations",
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("activated_by", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_activations_document_id"),
        sa.PrimaryKeyConstraint("document_id", "seq", name="pk_activations"),
    )
    op.create_table(
        "content_hashes",
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("hash", KEY, nullable=False),
        sa.CheckConstraint("kind IN ('page', 'chunk')", name="ck_content_hashes_kind"),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_content_hashes_document_id"),
        sa.PrimaryKeyConstraint("document_id", "version", "kind", "position", name="pk_content_hashes"),
    )
    op.create_index("ix_content_hashes_hash", "content_hashes", ["hash"])


def _jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("job_id", KEY, nullable=False),
        sa.Column("document_id", KEY),
        sa.Column("raw_hash", KEY),
        sa.Column("source_instance_id", KEY),
        sa.Column("intent", KEY, nullable=False),
        sa.Column("state", KEY, nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("open_key", KEY),
        sa.Column("owner", KEY),
        sa.Column("lease_until", sa.Text()),
        sa.Column("claims", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("waiting_reason", sa.Text()),
        sa.Column("engine_set", sa.Text()),
        sa.Column("request_json", sa.Text()),
        sa.Column("result_json", sa.Text()),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_jobs_document_id"),
        sa.PrimaryKeyConstraint("job_id", name="pk_jobs"),
        sa.UniqueConstraint("open_key", name="uq_jobs_open_key"),
    )
    op.create_index("ix_jobs_document_id", "jobs", ["document_id"])
    op.create_index("ix_jobs_raw_hash", "jobs", ["raw_hash"])
    op.create_table(
        "transitions",
        sa.Column("job_id", KEY, nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("from_state", sa.Text()),
        sa.Column("to_state", sa.Text(), nullable=False),
        sa.Column("skipped", sa.Integer(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("details_json", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.job_id"], name="fk_transitions_job_id"),
        sa.PrimaryKeyConstraint("job_id", "seq", name="pk_transitions"),
    )


def _overrides() -> None:
    op.create_table(
        "overrides",
        sa.Column("override_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("document_id", KEY),
        sa.Column("corpus_id", KEY),
        sa.Column("plugin", sa.Text(), nullable=False),
        sa.Column("set_by", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.CheckConstraint("(document_id IS NULL) <> (corpus_id IS NULL)", name="ck_overrides_one_scope"),
        sa.ForeignKeyConstraint(["corpus_id"], ["corpora.corpus_id"], name="fk_overrides_corpus_id"),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name="fk_overrides_document_id"),
        sa.PrimaryKeyConstraint("override_id", name="pk_overrides"),
        sa.UniqueConstraint("corpus_id", name="uq_overrides_corpus_id"),
        sa.UniqueConstraint("document_id", name="uq_overrides_document_id"),
    )
