"""Copies of what only the index knows, as files beside the artifacts, so that a lost index can be rebuilt.

`by_hash/{hash}/record.json` holds the rows of one document: its provenance with policy contexts, paths, memberships,
versions, the active version, annotations, links, types set by hand, declared metadata, marks on pages, accepted
versions, memories. A purge of the document removes it. `library.json` holds the rows of no document: corpora, overrides, decisions, the log of purges. The index stays authoritative: these
files are read only by a check, which compares them, and by a rebuild of the index.

Not in them, and lost with the index: the history of runs, conversations with models and what providers hold, and
entities, which are extracted again on request.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from octavo_contracts import TERMINAL_STATES
from pydantic_core import to_json
from sqlalchemy import Select, Table, func, select

from . import dialect, direct_read
from .repository import Repository
from .schema import (
    activations,
    conversions,
    corpora,
    document_acceptances,
    document_annotations,
    document_attachments,
    document_corpus_memberships,
    document_links,
    document_metadata,
    document_ocr_pages,
    document_original_paths,
    document_page_marks,
    document_source_instances,
    document_types,
    documents,
    entities,
    entity_decisions,
    ingest_events,
    jobs,
    memories,
    memory_entities,
    memory_links,
    meta,
    metadata_disputes,
    overrides,
    purges,
    routing_verdicts,
)

FORMAT = 1

OF_DOCUMENT: Mapping[Table, str] = {
    documents: "document_id",
    document_source_instances: "document_id",
    document_corpus_memberships: "document_id",
    document_original_paths: "document_id",
    conversions: "document_id",
    activations: "document_id",
    document_annotations: "document_id",
    document_types: "document_id",
    document_acceptances: "document_id",
    document_metadata: "document_id",
    metadata_disputes: "document_id",
    document_page_marks: "document_id",
    document_links: "document_id",
    document_attachments: "parent_id",
    document_ocr_pages: "document_id",
    memories: "document_id",
    memory_entities: "document_id",
    memory_links: "document_id",
    overrides: "document_id",
    jobs: "document_id",
    ingest_events: "document_id",
}
"""Tables with rows in a document's record, and the column with the document's id."""

OF_LIBRARY = (meta, corpora, overrides, purges, routing_verdicts, entities, entity_decisions)
"""Tables with rows in the library's record."""

_CHANGING = ("jobs", "ingest_events")
"""Tables that change without a new record being written: each time a known file is ingested again, for example."""

_LEFT_OUT = frozenset({"path_id", "membership_id", "event_id", "override_id", "is_stale", "last_accessed_at", "run_id"})
_LEFT_OUT_OF_JOBS = frozenset({"owner", "lease_until"})


class RecordReader(Repository):
    """Reads the rows that only the index knows, for its records."""

    def of_documents(self, document_ids: Iterable[str]) -> dict[str, bytes]:
        """The records of documents, by document hash; documents that do not exist or were purged are left out."""
        found: dict[str, dict[str, list[dict[str, Any]]]] = {}
        hashes: dict[str, str] = {}
        with self._read() as connection:
            parameters = dialect.as_many(document_ids)
            for table, key in OF_DOCUMENT.items():
                names = table.columns.keys()
                for values in direct_read.rows(connection, _rows(connection.dialect.name, table, key), parameters):
                    row = dict(zip(names, values, strict=True))
                    if table is documents:
                        hashes[row[key]] = row["content_hash"]
                    found.setdefault(row[key], {}).setdefault(table.name, []).append(_plain(table, row))
        return {
            raw_hash: to_json({"format": FORMAT, "document_id": document_id, "tables": found[document_id]}, indent=1)
            for document_id, raw_hash in hashes.items()
        }

    def of_library(self) -> bytes:
        """The record of the rows that belong to no document."""
        tables: dict[str, list[dict[str, Any]]] = {}
        with self._read() as connection:
            for table in OF_LIBRARY:
                query = select(table).order_by(*table.primary_key)
                if table is overrides:
                    query = query.where(overrides.c.corpus_id.is_not(None))
                elif table is entities:
                    query = query.where(entities.c.entity_id.in_(select(entity_decisions.c.entity_id)))
                tables[table.name] = [_plain(table, dict(row)) for row in connection.execute(query).mappings()]
        return to_json({"format": FORMAT, "tables": tables}, indent=1)


def says_the_same(record: bytes, other: bytes) -> bool:
    """Whether two records agree in all tables that are kept up to date."""
    try:
        one, two = json.loads(record), json.loads(other)
        for each in (one, two):
            each["tables"] = {name: rows for name, rows in each["tables"].items() if name not in _CHANGING}
    except (ValueError, KeyError, TypeError, AttributeError):
        return False
    return bool(one == two)


@dialect.prepared
def _rows(database: str, table: Table, key: str) -> Select[Any]:
    """The rows of a table that belong to the documents in the parameter `many`."""
    many = dialect.many(database)
    query = select(table).where(table.c[key].in_(many))
    if table is jobs:
        query = query.where(jobs.c.state.in_(list(TERMINAL_STATES)))
    if table is ingest_events:
        # One event for each path and source instance decides who may see the path; the others are history.
        way = (table.c.document_id, table.c.path, table.c.source_instance_id, table.c.corpus_id)
        # Without these documents' ids the events of the whole library would be grouped for each record.
        first = select(func.min(table.c.event_id)).where(table.c.document_id.in_(many)).group_by(*way)
        query = query.where(table.c.event_id.in_(first))
    return query.order_by(*table.primary_key)


def _plain(table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    left_out = _LEFT_OUT | _LEFT_OUT_OF_JOBS if table is jobs else _LEFT_OUT
    # SQLAlchemy's names are strings of a class of its own, on which the JSON writer spends most of its time.
    return {str(name): value for name, value in row.items() if name not in left_out}
