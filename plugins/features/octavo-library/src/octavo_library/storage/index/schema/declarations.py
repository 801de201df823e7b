"""Metadata that callers declare for documents, and duplicates that declare other metadata (ENG-21)."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Table, Text

from .base import Key, context_column, corpus_column, document_column, metadata

document_metadata = Table(
    "document_metadata",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    context_column(primary_key=True),
    Column("title", Text),
    Column("date", Text),
    Column("source", Text),
    Column("further_json", Text, nullable=False),
    Column("declared_by", Text, nullable=False),
    Column("at", Text, nullable=False),
)
"""What a caller declared of a document, one row per policy context (STO-5); no conversion changes it."""

metadata_disputes = Table(
    "metadata_disputes",
    metadata,
    Column("dispute_id", Key, primary_key=True),
    document_column(),
    context_column(),
    Column("title", Text),
    Column("date", Text),
    Column("source", Text),
    Column("further_json", Text, nullable=False),
    Column("path", Text),
    Column("location_type", Text, nullable=False),
    Column("surface", Text, nullable=False),
    corpus_column(nullable=True),
    Column("declared_by", Text, nullable=False),
    Column("at", Text, nullable=False),
    Index(None, "document_id"),
)
"""Paused ingestions of known bytes with other metadata, each with its provenance, until a user decides."""
