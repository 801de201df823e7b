"""Documents, their paths and their provenance (STO-3, STO-5)."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from .base import Key, context_column, corpus_column, document_column, metadata

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
    Column("ingestion_status", Key, nullable=False),
    Column("hard_fail_reason", Text),
    Column("first_ingested_at", Text, nullable=False),
    Column("last_reingested_at", Text),
    Column("last_accessed_at", Text),
    Column("processing_log_ref", Text),
    Index(None, "first_ingested_at", "document_id"),
    # Pages of filtered listings, and counts by status and by media type, are read from these alone.
    Index("ix_documents_status_listing", "ingestion_status", "first_ingested_at", "document_id"),
    Index("ix_documents_type_listing", "mime_type", "first_ingested_at", "document_id"),
    Index("ix_documents_status_type_listing", "ingestion_status", "mime_type", "first_ingested_at", "document_id"),
)
"""`document_type` is the classifier's latest verdict; `document_types` has the types that users set over it."""

document_types = Table(
    "document_types",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    context_column(primary_key=True),
    Column("document_type", Text, nullable=False),
    Column("set_by", Text, nullable=False),
    Column("at", Text, nullable=False),
)
"""Types set by hand, one per policy context (STO-5); no conversion overwrites them (CLS-6)."""

document_acceptances = Table(
    "document_acceptances",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    context_column(primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("note", Text, nullable=False),
    Column("accepted_by", Text, nullable=False),
    Column("at", Text, nullable=False),
)
"""Versions that users accepted with their flags, one per policy context (ENG-25); another active version has no mark."""

document_page_marks = Table(
    "document_page_marks",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    context_column(primary_key=True),
    Column("page", Integer, primary_key=True),
    Column("kind", Key, primary_key=True),
    Column("marked_by", Text, nullable=False),
    Column("at", Text, nullable=False),
    CheckConstraint("kind IN ('needs_ocr', 'visually_important')", name="kind"),
)
"""Users' marks on pages, one set per policy context (CNV-3); they hold for every version of the document."""

document_inspections = Table(
    "document_inspections",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    Column("request_key", Key, nullable=False),
    Column("inspection_json", Text, nullable=False),
)
"""The inspection of a document's bytes (CLS-7). `request_key` is a hash of all that an inspection depends on beside
the bytes; an inspection with another key is made again."""

document_original_paths = Table(
    "document_original_paths",
    metadata,
    Column("path_id", Integer, primary_key=True, autoincrement=True),
    document_column(),
    Column("path", Key, nullable=False),
    Column("location_type", Text, nullable=False),
    Column("added_at", Text, nullable=False),
    Column("is_stale", Integer, nullable=False, server_default="0"),
    # On PostgreSQL a unique index of `document_id` and md5(path): a B-tree has rows of at most 2,704 bytes there.
    UniqueConstraint("document_id", "path"),
    # On PostgreSQL a hash index, which migration 0021 makes.
    Index(None, "path"),
)

document_corpus_memberships = Table(
    "document_corpus_memberships",
    metadata,
    Column("membership_id", Integer, primary_key=True, autoincrement=True),
    document_column(),
    corpus_column(),
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
    document_column(),
    corpus_column(nullable=True),
    Column("policy_context_json", Text, nullable=False),
    Column("ingested_at", Text, nullable=False),
    Column("ingestion_surface", Text, nullable=False),
    # Named by hand: names made of their columns are too long for PostgreSQL.
    Index("ix_document_source_instances_first_seen", "document_id", "policy_context_json", "ingested_at"),
    Index("ix_document_source_instances_listing", "policy_context_json", "ingested_at", "document_id"),
)

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

document_annotations = Table(
    "document_annotations",
    metadata,
    Column("annotation_id", Key, primary_key=True),
    document_column(),
    context_column(server_default="owner"),
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
"""Offsets refer to the canonical text of `version`; `quote` and its context locate the place in another version."""

document_links = Table(
    "document_links",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    Column("other_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    Column("kind", Key, primary_key=True),
    context_column(primary_key=True),
    Column("made_by", Text, nullable=False),
    Column("at", Text, nullable=False),
    CheckConstraint("kind IN ('revises', 'related_to')", name="kind"),
    CheckConstraint("document_id <> other_id", name="two_documents"),
    Index(None, "other_id"),
)
"""Users' statements about two documents, which stay separate (STO-9). `related_to` has the smaller id first."""

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
"""Attachments of documents, for example of a message. `document_id` is no foreign key: the row is written with the
parent's conversion, when the attachment is only a queued job and not a document yet."""

document_sketches = Table(
    "document_sketches",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("sketch", Text, nullable=False),
)
"""The smallest shingle hashes of a document's active text, in hex, ascending: derived data, computed on request."""

sketch_keys = Table(
    "sketch_keys",
    metadata,
    Column("key", Key, primary_key=True),
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    Index(None, "document_id"),
)
"""The first few hashes of each sketch, the look-up keys for similar documents."""

document_changes = Table(
    "document_changes",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("document_id", Key, nullable=False, unique=True),
    sqlite_autoincrement=True,
)
"""The documents in the order of their last change that matters to a search, so that a search looks at these alone.

Triggers of an SQLite index write it, whichever program changes a row; on a server it is empty. A document's row gets a
new number with each change of its active version or text, of its corpora, or of its source instances. The row of the
empty id has the number of the last deletion of a document."""

document_change_log = Table(
    "document_change_log",
    metadata,
    Column("transaction_id", BigInteger, primary_key=True, autoincrement=False),
    Column("document_id", Key, primary_key=True),
)
"""The documents that each transaction on PostgreSQL changed, so that a search copies the rows of these alone.

Triggers write it, whichever program changes a row, also for a deleted document; in SQLite it is empty. The oldest rows are
removed now and then; `changes_since` in `meta` is the first transaction whose changes are all there."""

document_names = Table(
    "document_names",
    metadata,
    Column("name_id", Integer, primary_key=True, autoincrement=True),
    Column("document_id", Key, nullable=False, index=True),
    Column("path_id", Integer, index=True),
    Column("name", Text, nullable=False),
)
"""Titles, and the file names of paths with their escapes decoded, for searches by a part of a name.

Derived data: triggers of an SQLite index write it, whichever program changes a title or a path, and the trigram index
`document_names_text` over it. On a server it is empty: trigram indexes of the titles and paths themselves do its work.
`path_id` is null for a title."""

document_ocr_pages = Table(
    "document_ocr_pages",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    Column("page_fingerprint", Key, primary_key=True),
    Index(None, "page_fingerprint"),
)
"""The documents of shared OCR results (OCR-3): a page without a row here is removed by no purge, and is an orphan."""

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
"""Completed and pending purges: the row is written before any file is removed (STO-12, ENG-29).

It contains no title, path or text. `subject` is the hash whose files are removed, and null once they are. There is no
foreign key to `documents`: the row outlives the document, and so does `highest_version`, so that no number is reused.
"""
