"""The tables of the index (STO-3), as created by the newest migration.

The seed's columns keep the seed's names (003 §12.2). Times are ISO 8601 in UTC with microseconds and a Z, all of one
length, so that text order is time order in every database.
"""

from __future__ import annotations

from .base import REVISION, Key, meta, metadata
from .context import document_conversations, document_references, document_uploads
from .conversions import activations, content_hashes, conversions, ingest_events, jobs, runs, transitions
from .declarations import document_metadata, metadata_disputes
from .documents import (
    corpora,
    document_acceptances,
    document_annotations,
    document_attachments,
    document_change_log,
    document_changes,
    document_corpus_memberships,
    document_inspections,
    document_links,
    document_names,
    document_ocr_pages,
    document_original_paths,
    document_page_marks,
    document_sketches,
    document_source_instances,
    document_types,
    documents,
    overrides,
    purges,
    sketch_keys,
)
from .entities import entities, entity_decisions, entity_edges, entity_observations, entity_runs
from .hosts import hosts, pauses
from .memories import memories, memory_entities, memory_links, memory_terms
from .research import research_runs, research_steps
from .routing import routing_comparisons, routing_verdicts

__all__ = [
    "REVISION",
    "Key",
    "activations",
    "content_hashes",
    "conversions",
    "corpora",
    "document_acceptances",
    "document_annotations",
    "document_attachments",
    "document_change_log",
    "document_changes",
    "document_conversations",
    "document_corpus_memberships",
    "document_inspections",
    "document_links",
    "document_metadata",
    "document_names",
    "document_ocr_pages",
    "document_original_paths",
    "document_page_marks",
    "document_references",
    "document_sketches",
    "document_source_instances",
    "document_types",
    "document_uploads",
    "documents",
    "entities",
    "entity_decisions",
    "entity_edges",
    "entity_observations",
    "entity_runs",
    "hosts",
    "ingest_events",
    "jobs",
    "memories",
    "memory_entities",
    "memory_links",
    "memory_terms",
    "meta",
    "metadata",
    "metadata_disputes",
    "overrides",
    "pauses",
    "purges",
    "research_runs",
    "research_steps",
    "routing_comparisons",
    "routing_verdicts",
    "runs",
    "sketch_keys",
    "transitions",
]
