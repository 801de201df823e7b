"""Rows of documents: the query for known hashes, and the conversion of rows to records."""

from __future__ import annotations

from functools import cache
from typing import Any

from octavo_contracts import HardFailReason, IngestionState
from sqlalchemy import Column, Row, Select, and_, bindparam, exists, select

from . import dialect
from .disclosure import paths_seen, restricted
from .instance_ids import FIREWALLED, PolicyContext
from .records import DocumentRecord, KnownDocument
from .remark_policy import visible_to
from .schema import (
    document_attachments,
    document_corpus_memberships,
    document_original_paths,
    document_source_instances,
    documents,
)
from .versions import version_of

_FIELDS: dict[str, Column[Any]] = {
    "document_id": documents.c.document_id,
    "raw_hash": documents.c.content_hash,
    "normalized_binary_hash": documents.c.normalized_binary_hash,
    "normalized_text_hash": documents.c.normalized_text_hash,
    "title": documents.c.title,
    "document_type": documents.c.document_type,
    "file_size": documents.c.file_size,
    "mime_type": documents.c.mime_type,
    "classification_json": documents.c.classification_json,
    "original_ref": documents.c.original_ref,
    "first_ingested_at": documents.c.first_ingested_at,
    "last_reingested_at": documents.c.last_reingested_at,
    "processing_log_ref": documents.c.processing_log_ref,
}
"""Fields of a record that are columns."""

DOCUMENT_COLUMNS = (
    documents.c.active_conversion_version,
    documents.c.ingestion_status,
    documents.c.hard_fail_reason,
    *_FIELDS.values(),
)
"""The columns of a record, in the order in which `document_record` takes them."""

_KNOWN_COLUMNS = (
    documents.c.document_id,
    documents.c.content_hash,
    documents.c.ingestion_status,
    documents.c.hard_fail_reason,
    documents.c.active_conversion_version,
    documents.c.mime_type,
    exists().where(document_attachments.c.parent_id == documents.c.document_id).label("has_attachments"),
)


@cache
def by_hash(database: str, *, is_open: bool) -> Select[Any]:
    """Known documents, with flags: ingested under any context that is not firewalled, and under `policy`."""
    way = document_source_instances
    here, context = way.c.document_id == documents.c.document_id, way.c.policy_context_json
    has_way_in = exists().where(here, context == bindparam("policy"))
    is_told = exists().where(here, ~context.contains(FIREWALLED)) if is_open else has_way_in
    membership = document_corpus_memberships
    member = and_(membership.c.document_id == documents.c.document_id, membership.c.corpus_id == bindparam("corpus"))
    query = select(
        *_KNOWN_COLUMNS, is_told.label("is_told"), has_way_in.label("has_way_in"), membership.c.membership_id
    )
    query = query.select_from(documents.outerjoin(membership, member))
    return query.where(documents.c.content_hash.in_(dialect.many(database)))


@dialect.prepared
def rows_of(database: str, *, corpus_id: str | None = None, policy: PolicyContext | None = None) -> Select[Any]:
    """The rows of the documents in the parameter `many`: of a corpus, or as far as a policy context may see them."""
    named = documents.c.document_id.in_(dialect.many(database))
    return restricted(select(*DOCUMENT_COLUMNS).where(named), corpus_id=corpus_id, policy=policy)


@dialect.prepared
def instances_of(policy: PolicyContext | None) -> Select[Any]:
    """The source instances of a document that a policy context may see, oldest first."""
    table = document_source_instances
    mine = (table.c.document_id == bindparam("document"), visible_to(policy, table))
    return select(table.c.source_instance_id).where(*mine).order_by(table.c.ingested_at, table.c.source_instance_id)


@dialect.prepared
def paths_of(policy: PolicyContext | None) -> Select[Any]:
    """The paths of a document that a policy context may see, oldest first."""
    table = document_original_paths
    query = select(table.c.path, table.c.location_type, table.c.added_at, table.c.is_stale)
    if policy is not None:
        query = query.where(table.c.path.in_(paths_seen(bindparam("document"), policy)))
    return query.where(table.c.document_id == bindparam("document")).order_by(table.c.path_id)


def known_document(row: Row[*tuple[Any, ...]]) -> KnownDocument:
    """A row of `by_hash`."""
    # By position: with thousands of rows, access by name would take a third of the whole look-up.
    document_id, raw_hash, status, reason, active, mime_type, has_attachments, is_told, has_way_in, membership_id = row
    return KnownDocument(
        document_id=document_id,
        raw_hash=raw_hash,
        status=IngestionState(status),
        reason=HardFailReason(reason) if reason else None,
        active_version=version_of(active),
        mime_type=mime_type,
        in_corpus=membership_id is not None,
        has_attachments=bool(has_attachments),
        is_told=bool(is_told),
        has_way_in=bool(has_way_in),
    )


def document_record(row: Row[*tuple[Any, ...]]) -> DocumentRecord:
    """A row with `DOCUMENT_COLUMNS`."""
    active, status, reason, *values = row  # by position, as in `known_document`
    return DocumentRecord(
        **dict(zip(_FIELDS, values, strict=True)),
        document_type_by=None,
        active_version=version_of(active),
        status=IngestionState(status),
        reason=HardFailReason(reason) if reason else None,
    )
