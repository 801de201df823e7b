"""Documents: known or not, where they are, which one is meant (STO-3, STO-5, STO-11, STO-13, STO-16)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Literal

from octavo_contracts import HardFailReason, IngestionState, UsageError
from octavo_contracts.refs import parse_ref
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    exists,
    func,
    literal,
    or_,
    select,
    tuple_,
    update,
)

from ..places import place_ref
from . import dialect
from .database import Database
from .identity import PolicyContext
from .records import AlreadyKnown, DocumentRecord, KnownDocument, PathRecord
from .schema import (
    content_hashes,
    corpora,
    document_attachments,
    document_corpus_memberships,
    document_original_paths,
    document_source_instances,
    documents,
    ingest_events,
)
from .touched import touch
from .versions import version_of

_PREFIX = re.compile(r"[0-9a-f][0-9a-f-]{5,63}")
_CANDIDATES = 5

HashKind = Literal["binary", "text", "page", "chunk"]
"""Which of the hashes of STO-4, besides the raw one."""


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
def _by_hash(database: str) -> Select[Any]:
    query = select(*_KNOWN_COLUMNS, literal(None).label("membership_id"))
    return query.where(documents.c.content_hash.in_(dialect.many(database)))


@cache
def _by_hash_in_corpus(database: str) -> Select[Any]:
    membership = document_corpus_memberships
    here = and_(membership.c.document_id == documents.c.document_id, membership.c.corpus_id == bindparam("corpus"))
    query = select(*_KNOWN_COLUMNS, membership.c.membership_id).select_from(documents.outerjoin(membership, here))
    return query.where(documents.c.content_hash.in_(dialect.many(database)))


class Documents(Database):
    """The part of the index that knows documents, their places and their corpora."""

    def find_by_hash(self, hashes: Sequence[str], *, corpus_id: str | None = None) -> dict[str, KnownDocument]:
        """Which of these bytes the library knows, thousands at once.

        For ingestion, which reuses work whatever the policy; what a user may be told is `already_known`.

        Args:
            hashes: SHA-256 of the bytes, hex.
            corpus_id: the corpus that `KnownDocument.in_corpus` is about.

        Returns:
            Hash → document, for those that are known.
        """
        wanted = dialect.as_many(dict.fromkeys(hashes))
        with self._read() as connection:
            database = connection.dialect.name
            if corpus_id is None:
                rows = connection.execute(_by_hash(database), wanted)
            else:
                rows = connection.execute(_by_hash_in_corpus(database), {**wanted, "corpus": corpus_id})
            return {known.raw_hash: known for known in map(_known, rows.all())}

    def already_known(self, raw_hash: str, *, policy: PolicyContext, before: str | None = None) -> AlreadyKnown | None:
        """What a user is told of bytes that the library has: nothing of what came in under another policy (STO-5).

        Args:
            raw_hash: SHA-256 of the bytes.
            policy: the asker's.
            before: only what came in before this time: the asker's own ingest is no news to them.
        """
        instance, membership = document_source_instances, document_corpus_memberships
        seen = (
            select(documents.c.document_id, instance.c.ingested_at, instance.c.corpus_id)
            .join_from(documents, instance, instance.c.document_id == documents.c.document_id)
            .where(documents.c.content_hash == raw_hash, instance.c.policy_context_json == policy.canonical())
        )
        if before is not None:
            seen = seen.where(instance.c.ingested_at < before)
        with self._read() as connection:
            rows = connection.execute(seen).all()
            if not rows:
                return None
            visible = {row.corpus_id for row in rows} - {None}
            names = connection.scalars(
                select(corpora.c.name)
                .join_from(corpora, membership, membership.c.corpus_id == corpora.c.corpus_id)
                .where(membership.c.document_id == rows[0].document_id, corpora.c.corpus_id.in_(visible))
            ).all()
        return AlreadyKnown(
            document_id=rows[0].document_id,
            corpora=tuple(sorted(names)),
            first_seen_at=min(row.ingested_at for row in rows),
        )

    def document(self, document_id: str) -> DocumentRecord:
        """A document.

        Raises:
            UsageError: there is none of that id.
        """
        with self._read() as connection:
            row = connection.execute(select(documents).where(documents.c.document_id == document_id)).one_or_none()
        if row is None:
            raise UsageError(f"there is no document {document_id!r} in this library")
        return _record(row)

    def documents_of(
        self, document_ids: Iterable[str], *, policy: PolicyContext | None = None
    ) -> tuple[DocumentRecord, ...]:
        """Documents by their ids, in that order; those that are not there are left out.

        Args:
            document_ids: which.
            policy: only those that came in under this policy context (STO-5).
        """
        asked = list(document_ids)
        with self._read() as connection:
            named = documents.c.document_id.in_(dialect.many(connection.dialect.name))
            query = restricted(select(documents).where(named), corpus_id=None, policy=policy)
            found = {row.document_id: _record(row) for row in connection.execute(query, dialect.as_many(asked))}
        return tuple(found[each] for each in asked if each in found)

    def list_documents(
        self,
        *,
        corpus_id: str | None = None,
        policy: PolicyContext | None = None,
        status: IngestionState | None = None,
        limit: int = 100,
        after: DocumentRecord | None = None,
    ) -> tuple[DocumentRecord, ...]:
        """Documents in the order in which they first came in.

        Args:
            corpus_id: only of this corpus.
            policy: only those that came in under this policy context (STO-5).
            status: only those in this state.
            limit: at most so many.
            after: the last document of the page before.
        """
        query = restricted(select(documents), corpus_id=corpus_id, policy=policy)
        if status is not None:
            query = query.where(documents.c.ingestion_status == status)
        order = (documents.c.first_ingested_at, documents.c.document_id)
        if after is not None:
            query = query.where(tuple_(*order) > (after.first_ingested_at, after.document_id))
        with self._read() as connection:
            return tuple(_record(row) for row in connection.execute(query.order_by(*order).limit(limit)))

    def each_document(self) -> Iterator[DocumentRecord]:
        """Every document, in the order in which they first came in, read a page at a time."""
        last = None
        while page := self.list_documents(limit=500, after=last):
            yield from page
            last = page[-1]

    def status_counts(
        self, *, corpus_id: str | None = None, policy: PolicyContext | None = None
    ) -> dict[IngestionState, int]:
        """How many documents are in each state (ENG-17)."""
        counted = select(documents.c.ingestion_status, func.count().label("n"))
        query = restricted(counted, corpus_id=corpus_id, policy=policy).group_by(documents.c.ingestion_status)
        with self._read() as connection:
            return {IngestionState(row.ingestion_status): row.n for row in connection.execute(query)}

    def resolve(self, ref: str, *, policy: PolicyContext | None = None) -> str:
        """The id of the document that a user means.

        Args:
            ref: a document id or hash, six or more of its first digits, or a path at which it was seen.
            policy: what the user may see; None for all.

        Raises:
            UsageError: nothing or more than one document fits; the candidates are named.
        """
        with self._read() as connection:
            found: Iterable[Row[*tuple[Any, ...]]] = ()
            if _PREFIX.fullmatch(ref.lower()):
                found = _by_prefix(connection, ref.lower(), policy)
            rows = list(found) or _by_path(connection, ref, policy)
        if len(rows) == 1:
            return str(rows[0].document_id)
        if not rows:
            raise UsageError(
                f"no document of this library is {ref!r}",
                remedy="Give its id, six or more first digits of its id or hash, or the path it was ingested from",
            )
        named = [f"{row.document_id} ({row.title or row.content_hash[:12]})" for row in rows[:_CANDIDATES]]
        more = ", …" if len(rows) > _CANDIDATES else ""
        raise UsageError(f"{ref!r} fits several documents: {', '.join(named)}{more}", remedy="Give more digits")

    def documents_with(self, kind: HashKind, value: str, *, policy: PolicyContext | None = None) -> tuple[str, ...]:
        """Ids of the documents that have a hash, sorted: other copies, shared pages, shared chunks (STO-16)."""
        query = restricted(select(documents.c.document_id), corpus_id=None, policy=policy)
        if kind in ("binary", "text"):
            column = documents.c.normalized_binary_hash if kind == "binary" else documents.c.normalized_text_hash
            query = query.where(column == value)
        else:
            holders = select(content_hashes.c.document_id).where(
                content_hashes.c.kind == kind, content_hashes.c.hash == value
            )
            query = query.where(documents.c.document_id.in_(holders))
        with self._read() as connection:
            return tuple(connection.scalars(query.order_by(documents.c.document_id)))

    def paths(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[PathRecord, ...]:
        """Where a document was seen, the first first; also where it is no longer (STO-11).

        Args:
            document_id: which.
            policy: only where it was seen on a way in under this policy context (STO-5).
        """
        table = document_original_paths
        query = select(table.c.path, table.c.location_type, table.c.added_at, table.c.is_stale)
        if policy is not None:
            query = query.where(table.c.path.in_(_paths_seen(document_id, policy)))
        with self._read() as connection:
            rows = connection.execute(query.where(table.c.document_id == document_id).order_by(table.c.path_id))
            return tuple(
                PathRecord(
                    path=row.path,
                    location_type=row.location_type,
                    added_at=row.added_at,
                    is_stale=bool(row.is_stale),
                )
                for row in rows
            )

    def is_visible(self, document_id: str, *, policy: PolicyContext) -> bool:
        """Whether a document came in under a policy context (STO-5)."""
        query = select(documents.c.document_id).where(documents.c.document_id == document_id)
        with self._read() as connection:
            return connection.execute(restricted(query, corpus_id=None, policy=policy)).first() is not None

    def instances(self, document_id: str) -> tuple[str, ...]:
        """Ids of the ways in by which a document came, the first first (STO-5)."""
        table = document_source_instances
        query = select(table.c.source_instance_id).where(table.c.document_id == document_id)
        with self._read() as connection:
            return tuple(connection.scalars(query.order_by(table.c.ingested_at, table.c.source_instance_id)))

    def mark_stale(self, paths: Sequence[str]) -> int:
        """Note that nothing is at these paths any more; they are kept (STO-11).

        Returns:
            How many path rows were not stale before.
        """
        table = document_original_paths
        with self._write() as connection:
            named = table.c.path.in_(dialect.many(connection.dialect.name))
            change = update(table).where(named, table.c.is_stale == 0).values(is_stale=1)
            return connection.execute(change, dialect.as_many(paths)).rowcount

    def set_document_type(self, document_id: str, document_type: str, *, by: str) -> None:
        """Set a document's type by hand; no classifier overwrites it from then on (CLS-6).

        Raises:
            UsageError: there is no such document.
        """
        change = update(documents).where(documents.c.document_id == document_id)
        with self._write() as connection:
            touch(connection, [document_id])
            done = connection.execute(change.values(document_type=document_type, document_type_by=by))
            if done.rowcount != 1:
                raise UsageError(f"there is no document {document_id!r} in this library")

    def clear_document_type(self, document_id: str) -> None:
        """Take back a type that was set by hand: the one that the classifier said last is in force again (CLS-6).

        Raises:
            UsageError: there is no such document.
        """
        here = documents.c.document_id == document_id
        with self._write() as connection:
            row = connection.execute(select(documents.c.classification_json).where(here)).one_or_none()
            if row is None:
                raise UsageError(f"there is no document {document_id!r} in this library")
            touch(connection, [document_id])
            said = json.loads(row.classification_json or "{}").get("document_type")
            connection.execute(update(documents).where(here).values(document_type=said, document_type_by=None))

    def type_by_hand(self, raw_hash: str) -> str | None:
        """The type that a user set for the document of these bytes, or None (CLS-6)."""
        query = select(documents.c.document_type).where(
            documents.c.content_hash == raw_hash, documents.c.document_type_by.is_not(None)
        )
        with self._read() as connection:
            return connection.scalar(query)


def restricted(query: Select[Any], *, corpus_id: str | None, policy: PolicyContext | None) -> Select[Any]:
    """Let a query over `documents` see only those of a corpus, or those that came in under a policy (STO-5)."""
    if corpus_id is not None:
        members = select(document_corpus_memberships.c.document_id)
        query = query.where(
            documents.c.document_id.in_(members.where(document_corpus_memberships.c.corpus_id == corpus_id))
        )
    if policy is not None:
        visible = select(document_source_instances.c.document_id).where(
            document_source_instances.c.policy_context_json == policy.canonical()
        )
        query = query.where(documents.c.document_id.in_(visible))
    return query


def _paths_seen(document_id: str | ColumnElement[str], policy: PolicyContext) -> Select[Any]:
    """Paths at which a document was seen on a way in under a policy.

    An event keeps the id of its way in. A corpus that changed its policy has new ones: its events are known by it.
    """
    event, instance = ingest_events.alias("seen"), document_source_instances.alias("way_in")
    same_way = or_(
        instance.c.source_instance_id == event.c.source_instance_id, instance.c.corpus_id == event.c.corpus_id
    )
    return (
        select(event.c.path)
        .join_from(event, instance, and_(instance.c.document_id == event.c.document_id, same_way))
        .where(event.c.document_id == document_id, instance.c.policy_context_json == policy.canonical())
        .where(event.c.path.is_not(None))
    )


_CANDIDATE_COLUMNS = (documents.c.document_id, documents.c.title, documents.c.content_hash)


def _by_prefix(connection: Connection, prefix: str, policy: PolicyContext | None) -> Sequence[Row[*tuple[Any, ...]]]:
    # A range rather than LIKE: the unique indexes then answer it, in every database. The last digit's
    # successor in ASCII ends the range.
    end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    fits = or_(
        *(and_(column >= prefix, column < end) for column in (documents.c.document_id, documents.c.content_hash))
    )
    query = restricted(select(*_CANDIDATE_COLUMNS).where(fits), corpus_id=None, policy=policy)
    return connection.execute(query.order_by(documents.c.document_id).limit(_CANDIDATES + 1)).all()


def _by_path(connection: Connection, ref: str, policy: PolicyContext | None) -> list[Row[*tuple[Any, ...]]]:
    """The document that stands at a path; one that stood there before only where none does now."""
    table = document_original_paths
    query = (
        select(*_CANDIDATE_COLUMNS, table.c.is_stale)
        .join_from(documents, table, table.c.document_id == documents.c.document_id)
        .where(table.c.path == _path_ref(ref))
    )
    if policy is not None:
        query = query.where(table.c.path.in_(_paths_seen(table.c.document_id, policy)))
    rows = connection.execute(restricted(query, corpus_id=None, policy=policy).order_by(table.c.path_id)).all()
    return [row for row in rows if not row.is_stale] or list(rows)


def _path_ref(ref: str) -> str:
    try:
        parse_ref(ref)
    except ValueError:
        return place_ref(ref)
    return ref


def _known(row: Row[*tuple[Any, ...]]) -> KnownDocument:
    # By position: with thousands of rows, access by name would be a third of the whole look-up.
    document_id, raw_hash, status, reason, active, mime_type, has_attachments, membership_id = row
    return KnownDocument(
        document_id=document_id,
        raw_hash=raw_hash,
        status=IngestionState(status),
        reason=HardFailReason(reason) if reason else None,
        active_version=version_of(active),
        mime_type=mime_type,
        in_corpus=membership_id is not None,
        has_attachments=bool(has_attachments),
    )


def _record(row: Row[*tuple[Any, ...]]) -> DocumentRecord:
    return DocumentRecord(
        document_id=row.document_id,
        raw_hash=row.content_hash,
        normalized_binary_hash=row.normalized_binary_hash,
        normalized_text_hash=row.normalized_text_hash,
        title=row.title,
        document_type=row.document_type,
        document_type_by=row.document_type_by,
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
