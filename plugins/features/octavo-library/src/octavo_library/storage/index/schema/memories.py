"""Memories: statements extracted from documents, with their anchors, entities and links (ENG-5)."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, Float, ForeignKey, Index, Integer, Table, Text

from .base import Key, context_column, document_column, metadata

memories = Table(
    "memories",
    metadata,
    Column("memory_id", Key, primary_key=True),
    document_column(),
    context_column(),
    Column("version", Integer, nullable=False),
    Column("type", Key, nullable=False),
    Column("text", Text, nullable=False),
    Column("language", Key, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("page", Integer),
    Column("text_start", Integer, nullable=False),
    Column("text_end", Integer, nullable=False),
    Column("quote", Text, nullable=False),
    Column("quote_before", Text, nullable=False),
    Column("quote_after", Text, nullable=False),
    Column("source_ref", Text, nullable=False),
    Column("content_ref", Text, nullable=False),
    Column("conversion_artifact_ref", Text, nullable=False),
    Column("made_by", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("last_verified_at", Text, nullable=False),
    Column("last_verification", Key),
    CheckConstraint("confidence >= 0 AND confidence <= 1", name="confidence"),
    CheckConstraint("text_start >= 0 AND text_end > text_start", name="anchor"),
    Index(None, "document_id"),
    Index(None, "policy_context_json"),
)
"""A statement and its anchor: `quote` stands at the offsets in the canonical text of `version`."""

memory_terms = Table(
    "memory_terms",
    metadata,
    Column("term", Key, primary_key=True),
    Column("memory_id", Key, ForeignKey("memories.memory_id"), primary_key=True),
    document_column(),
    Column("uses", Integer, nullable=False),
    Index(None, "memory_id"),
)
"""Stems of the words of a memory, for the search. Derived from `memories.text`; absent rows are made again."""

memory_entities = Table(
    "memory_entities",
    metadata,
    Column("memory_id", Key, ForeignKey("memories.memory_id"), primary_key=True),
    Column("entity_id", Key, primary_key=True),
    Column("relationship", Key, primary_key=True),
    document_column(),
    Column("label", Key, nullable=False),
    Column("name", Text, nullable=False),
    Index(None, "entity_id"),
)
"""Entities that a memory is about. The ids are those of `entities`, whose rows are not needed here."""

memory_links = Table(
    "memory_links",
    metadata,
    Column("memory_id", Key, ForeignKey("memories.memory_id"), primary_key=True),
    Column("other_id", Key, ForeignKey("memories.memory_id"), primary_key=True),
    Column("kind", Key, primary_key=True),
    document_column(),
    Column("other_document_id", Key, ForeignKey("documents.document_id"), nullable=False),
    Column("confidence", Float, nullable=False),
    Column("made_by", Text, nullable=False),
    Column("at", Text, nullable=False),
    CheckConstraint("memory_id <> other_id", name="two"),
    Index(None, "other_id"),
)
"""Links between memories, read from `memory_id` to `other_id`. Both ends must be visible for a link to be."""
