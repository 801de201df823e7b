"""The tables with rows of a document, and which of their rows are a document's."""

from __future__ import annotations

from typing import Any

from sqlalchemy import or_

from .schema import (
    activations,
    content_hashes,
    conversions,
    document_acceptances,
    document_annotations,
    document_attachments,
    document_conversations,
    document_corpus_memberships,
    document_inspections,
    document_links,
    document_metadata,
    document_ocr_pages,
    document_original_paths,
    document_page_marks,
    document_references,
    document_sketches,
    document_source_instances,
    document_types,
    document_uploads,
    entity_edges,
    entity_observations,
    entity_runs,
    ingest_events,
    memories,
    memory_entities,
    memory_links,
    memory_terms,
    metadata_disputes,
    overrides,
    sketch_keys,
)

TABLES = (
    content_hashes,
    activations,
    conversions,
    document_acceptances,
    document_annotations,
    document_attachments,
    document_conversations,
    document_uploads,
    document_references,
    document_links,
    document_ocr_pages,
    document_original_paths,
    document_corpus_memberships,
    document_source_instances,
    document_types,
    document_metadata,
    metadata_disputes,
    document_page_marks,
    document_inspections,
    document_sketches,
    sketch_keys,
    ingest_events,
    overrides,
    entity_observations,
    entity_edges,
    entity_runs,
    memory_terms,
    memory_entities,
    memory_links,
    memories,
)
"""The tables with rows of a document, in an order that satisfies foreign keys."""


def rows_of(table: Any, document_id: str) -> Any:
    """The condition for the rows of a table that are about a document, also as the other end of a link."""
    mine = table.c.document_id == document_id
    other = {document_links: "other_id", document_attachments: "parent_id", memory_links: "other_document_id"}.get(
        table
    )
    return or_(mine, table.c[other] == document_id) if other is not None else mine
