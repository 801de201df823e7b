"""Rows of documents: the query for known hashes, and the conversion of rows to records."""

from __future__ import annotations

from functools import cache
from typing import Any

from octavo_contracts import HardFailReason, IngestionState
from sqlalchemy import Row, Select, and_, bindparam, exists, select

from . import dialect
from .disclosure import FIREWALLED
from .records import DocumentRecord, KnownDocument
from .schema import document_attachments, document_corpus_memberships, document_source_instances, documents
from .versions import version_of

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
    """A row of `documents`."""
    return DocumentRecord(
        document_id=row.document_id,
        raw_hash=row.content_hash,
        normalized_binary_hash=row.normalized_binary_hash,
        normalized_text_hash=row.normalized_text_hash,
        title=row.title,
        document_type=row.document_type,
        document_type_by=None,
        file_size=row.file_size,
        mime_type=row.mime_type,
        classification_json=row.classification_json,
        original_ref=row.original_ref,
        active_version=version_of(row.active_conversion_version),
        status=IngestionState(row.ingestion_status),
        reason=HardFailReason(row.hard_fail_reason) if row.hard_fail_reason else None,
        first_ingested_at=row.first_ingested_at,
        last_reingested_at=row.last_reingested_at,
        processing_log_ref=row.processing_log_ref,
    )
