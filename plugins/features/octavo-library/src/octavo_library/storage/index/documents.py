"""Documents: known or not, where they are, which one is meant (STO-3, STO-5, STO-11, STO-13, STO-16)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from octavo.documents.location import place_ref
from octavo_contracts import IngestionState, UsageError
from octavo_contracts.refs import parse_ref
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    func,
    or_,
    select,
    tuple_,
    update,
)

from . import dialect
from .disclosure import FIREWALLED, as_asked, came_without_path, paths_seen, restricted
from .document_names import by_name
from .document_rows import by_hash, document_record, known_document
from .instance_ids import PolicyContext
from .records import AlreadyKnown, DocumentRecord, KnownDocument, PathRecord
from .remark_policy import visible_to
from .repository import Repository
from .schema import (
    content_hashes,
    corpora,
    document_corpus_memberships,
    document_original_paths,
    document_source_instances,
    documents,
)

_PREFIX = re.compile(r"[0-9a-f][0-9a-f-]{5,63}")
_CANDIDATES = 5

HashKind = Literal["binary", "text", "page", "chunk"]
"""Which of the hashes of STO-4, besides the raw one."""


_DEFAULT_CONTEXT = PolicyContext().canonical()


class DocumentRepository(Repository):
    """The part of the index that knows documents, their places and their corpora."""

    def find_by_hash(
        self, hashes: Sequence[str], *, corpus_id: str | None = None, policy: PolicyContext | None = None
    ) -> dict[str, KnownDocument]:
        """Which of these bytes the library knows, thousands at once.

        For ingestion, which reuses work whatever the policy; what a user may be told is `already_known`.

        Args:
            hashes: SHA-256 of the bytes, hex.
            corpus_id: the corpus that `KnownDocument.in_corpus` is about.
            policy: who `KnownDocument.is_told` and `has_way_in` are about; None: who names no corpus.

        Returns:
            Hash → document, for those that are known.
        """
        context = policy.canonical() if policy is not None else _DEFAULT_CONTEXT
        wanted = {**dialect.as_many(dict.fromkeys(hashes)), "corpus": corpus_id, "policy": context}
        with self._read() as connection:
            rows = connection.execute(by_hash(connection.dialect.name, is_open=policy is None), wanted)
            return {known.raw_hash: known for known in map(known_document, rows.all())}

    def already_known(
        self, raw_hash: str, *, policy: PolicyContext | None, before: str | None = None
    ) -> AlreadyKnown | None:
        """What a user is told of bytes that the library has: nothing of what came in under another policy (STO-5).

        Args:
            raw_hash: SHA-256 of the bytes.
            policy: the asker's; None: the asker names no corpus and is told of every context that is not firewalled,
                as in a search (STO-13).
            before: only what came in before this time: the asker's own ingest is no news to them.
        """
        instance, membership = document_source_instances, document_corpus_memberships
        context = instance.c.policy_context_json
        told = ~context.contains(FIREWALLED) if policy is None else context == policy.canonical()
        seen = (
            select(documents.c.document_id, instance.c.ingested_at, instance.c.corpus_id)
            .join_from(documents, instance, instance.c.document_id == documents.c.document_id)
            .where(documents.c.content_hash == raw_hash, told)
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

    def get(self, document_id: str, *, policy: PolicyContext | None = None) -> DocumentRecord:
        """A document, as an asker is told of it (`octavo_library.storage.index.ownership`).

        Args:
            document_id: which.
            policy: who asks; None: the library's owner.

        Raises:
            UsageError: there is none of that id, or it did not come in under the asker's policy context.
        """
        found = self.get_many([document_id], policy=policy)
        if not found:
            raise UsageError(f"there is no document {document_id!r} in this library")
        return found[0]

    def get_many(
        self, document_ids: Iterable[str], *, policy: PolicyContext | None = None
    ) -> tuple[DocumentRecord, ...]:
        """Documents by their ids, in that order; those that are not there are left out.

        Args:
            document_ids: which.
            policy: only those that came in under this policy context, and as it is told of them (STO-5).
        """
        asked = list(document_ids)
        with self._read() as connection:
            named = documents.c.document_id.in_(dialect.many(connection.dialect.name))
            query = restricted(select(documents).where(named), corpus_id=None, policy=policy)
            rows = connection.execute(query, dialect.as_many(asked)).all()
            found = {one.document_id: one for one in as_asked(connection, map(document_record, rows), policy)}
        return tuple(found[each] for each in asked if each in found)

    def page(
        self,
        *,
        corpus_id: str | None = None,
        policy: PolicyContext | None = None,
        status: IngestionState | None = None,
        limit: int = 100,
        after: DocumentRecord | None = None,
    ) -> tuple[DocumentRecord, ...]:
        """Documents in the order in which they first came in, as far as the asker is told.

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
        first: ColumnElement[Any] = documents.c.first_ingested_at
        if policy is not None:
            way = document_source_instances.c
            own = select(func.min(way.ingested_at)).where(
                way.document_id == documents.c.document_id, way.policy_context_json == policy.canonical()
            )
            first = own.scalar_subquery()
        order = (first, documents.c.document_id)
        if after is not None:
            query = query.where(tuple_(*order) > (after.first_ingested_at, after.document_id))
        with self._read() as connection:
            rows = connection.execute(query.order_by(*order).limit(limit)).all()
            return as_asked(connection, map(document_record, rows), policy)

    def iterate(self) -> Iterator[DocumentRecord]:
        """Every document, in the order in which they first came in, read a page at a time."""
        last = None
        while page := self.page(limit=500, after=last):
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
            ref: a document id or hash, six or more of its first digits, a path at which it was seen, its file name or the
                end of its path, or its title; the first of these that fits anything.
            policy: what the user may see; None for all.

        Raises:
            UsageError: nothing or more than one document fits; the candidates are named.
        """
        with self._read() as connection:
            found: Iterable[Row[*tuple[Any, ...]]] = ()
            if _PREFIX.fullmatch(ref.lower()):
                found = _by_prefix(connection, ref.lower(), policy)
            rows = list(found) or _by_path(connection, ref, policy)
            rows = rows or list(by_name(connection, ref, policy, limit=_CANDIDATES + 1))
        if len(rows) == 1:
            return str(rows[0].document_id)
        if not rows:
            raise UsageError(
                f"no document of this library is {ref!r}",
                remedy="Give its id, six or more first digits of its id or hash, its path, file name or title; see `octavo list`",
            )
        named = [f"{row.document_id} ({row.title or row.content_hash[:12]})" for row in rows[:_CANDIDATES]]
        more = ", …" if len(rows) > _CANDIDATES else ""
        raise UsageError(
            f"{ref!r} fits several documents: {', '.join(named)}{more}",
            remedy="Give its id, or more of its digits or path",
        )

    def with_hash(self, kind: HashKind, value: str, *, policy: PolicyContext | None = None) -> tuple[str, ...]:
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
            query = query.where(table.c.path.in_(paths_seen(document_id, policy)))
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

    def instances(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[str, ...]:
        """Ids of the ways in by which a document came, the first first (STO-5).

        Args:
            document_id: which.
            policy: only those under this policy context.
        """
        table = document_source_instances
        query = select(table.c.source_instance_id).where(table.c.document_id == document_id, visible_to(policy, table))
        with self._read() as connection:
            return tuple(connection.scalars(query.order_by(table.c.ingested_at, table.c.source_instance_id)))

    def came_without_path(self, document_id: str, *, policy: PolicyContext | None) -> bool:
        """Whether bytes of a document were handed over, or fetched, under a policy context; None: under any."""
        if policy is None:
            return True
        with self._read() as connection:
            return document_id in came_without_path(connection, [document_id], policy)

    def came_before(self, document_id: str, other_id: str, *, policy: PolicyContext | None) -> bool:
        """Whether a document came in under a policy context before another one did; None: any that is not firewalled."""
        way = document_source_instances.c
        context = way.policy_context_json
        told = ~context.contains(FIREWALLED) if policy is None else context == policy.canonical()
        query = select(way.document_id, func.min(way.ingested_at)).where(way.document_id.in_((document_id, other_id)))
        with self._read() as connection:
            first = {row[0]: row[1] for row in connection.execute(query.where(told).group_by(way.document_id))}
        return document_id in first and other_id in first and bool(first[document_id] < first[other_id])

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
        query = query.where(table.c.path.in_(paths_seen(table.c.document_id, policy)))
    rows = connection.execute(restricted(query, corpus_id=None, policy=policy).order_by(table.c.path_id)).all()
    return [row for row in rows if not row.is_stale] or list(rows)


def _path_ref(ref: str) -> str:
    try:
        parse_ref(ref)
    except ValueError:
        return place_ref(ref)
    return ref
