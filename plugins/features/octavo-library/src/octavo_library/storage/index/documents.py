"""Document look-ups: known hashes, records, paths, users' references (STO-3, STO-5, STO-11, STO-13, STO-16)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, get_args

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

from . import dialect, direct_read
from .disclosure import as_asked, came_without_path, names_of, paths_seen, restricted
from .document_names import by_name, near_name
from .document_rows import DOCUMENT_COLUMNS, by_hash, document_record, instances_of, known_document, paths_of, rows_of
from .instance_ids import FIREWALLED, PolicyContext
from .records import AlreadyKnown, DocumentRecord, KnownDocument, PathRecord
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

HashKind = Literal["raw", "binary", "text", "page", "chunk", "instance"]
"""The six kinds of hashes (STO-4): of the bytes, of what is the same in them, of the text, its pages and chunks; and the id
of a source instance."""
HASH_KINDS: tuple[HashKind, ...] = get_args(HashKind)


_HASH_COLUMNS = {
    "raw": documents.c.content_hash,
    "binary": documents.c.normalized_binary_hash,
    "text": documents.c.normalized_text_hash,
}
_DEFAULT_CONTEXT = PolicyContext().canonical()


class AmbiguousReference(UsageError):
    """A reference that matches several documents; the message names them."""


class DocumentRepository(Repository):
    """Documents, their paths and their corpora."""

    def find_by_hash(
        self, hashes: Sequence[str], *, corpus_id: str | None = None, policy: PolicyContext | None = None
    ) -> dict[str, KnownDocument]:
        """Find the known documents among these hashes, thousands at once.

        For ingestion, which reuses work whatever the policy; `already_known` says what a user may see.

        Args:
            hashes: SHA-256 of the bytes, hex.
            corpus_id: the corpus for `KnownDocument.in_corpus`.
            policy: the context for `KnownDocument.is_told` and `has_way_in`; None: the user names no corpus.

        Returns:
            Hash → document, for the known hashes.
        """
        context = policy.canonical() if policy is not None else _DEFAULT_CONTEXT
        wanted = {**dialect.as_many(dict.fromkeys(hashes)), "corpus": corpus_id, "policy": context}
        with self._read() as connection:
            rows = connection.execute(by_hash(connection.dialect.name, is_open=policy is None), wanted)
            return {known.raw_hash: known for known in map(known_document, rows.all())}

    def sizes(self) -> frozenset[int]:
        """The distinct sizes of all documents: a file of another size is certain to be new."""
        with self._read() as connection:
            query = select(documents.c.file_size).distinct().where(documents.c.file_size.is_not(None))
            return frozenset(connection.scalars(query).all())

    def already_known(
        self, raw_hash: str, *, policy: PolicyContext | None, before: str | None = None
    ) -> AlreadyKnown | None:
        """The known document with this hash, as far as the user may see it: nothing of other policy contexts (STO-5).

        Args:
            raw_hash: SHA-256 of the bytes.
            policy: the policy context of the user; None: the user names no corpus and sees every context that is not
                firewalled, as in a search (STO-13).
            before: only what was ingested before this time: the user's own ingest is no news to them.
        """
        instance, membership = document_source_instances, document_corpus_memberships
        context = instance.c.policy_context_json
        visible_context = ~context.contains(FIREWALLED) if policy is None else context == policy.canonical()
        seen = (
            select(documents.c.document_id, instance.c.ingested_at, instance.c.corpus_id)
            .join_from(documents, instance, instance.c.document_id == documents.c.document_id)
            .where(documents.c.content_hash == raw_hash, visible_context)
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

    def get(
        self, document_id: str, *, policy: PolicyContext | None = None, corpus_id: str | None = None
    ) -> DocumentRecord:
        """A document record, filtered for a policy context (`octavo_library.storage.index.ownership`).

        Args:
            document_id: the document.
            policy: the policy context of the user; None: the library's owner.
            corpus_id: only if the document belongs to this corpus.

        Raises:
            UsageError: there is no such document, or it was not ingested under the policy context.
        """
        found = self.get_many([document_id], policy=policy, corpus_id=corpus_id)
        if not found:
            raise UsageError(f"there is no document {document_id!r} in this library")
        return found[0]

    def get_many(
        self, document_ids: Iterable[str], *, policy: PolicyContext | None = None, corpus_id: str | None = None
    ) -> tuple[DocumentRecord, ...]:
        """Documents by their ids, in that order; unknown ids are skipped.

        Args:
            document_ids: the ids.
            policy: only documents ingested under this policy context, filtered for it (STO-5).
            corpus_id: only documents of this corpus.
        """
        asked = list(document_ids)
        if not asked:
            return ()
        with self._read() as connection:
            query = rows_of(connection.dialect.name, corpus_id=corpus_id, policy=policy)
            rows = direct_read.rows(connection, query, dialect.as_many(asked))
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
        """Documents visible to a policy context, in the order of their first ingest.

        Args:
            corpus_id: only of this corpus.
            policy: only those ingested under this policy context (STO-5).
            status: only those in this state.
            limit: maximum number of documents.
            after: the last document of the previous page.
        """
        query = restricted(select(*DOCUMENT_COLUMNS), corpus_id=corpus_id, policy=policy)
        if status is not None:
            query = query.where(documents.c.ingestion_status == status)
        first: ColumnElement[Any] = documents.c.first_ingested_at
        if policy is not None:
            instance = document_source_instances.c
            own = select(func.min(instance.ingested_at)).where(
                instance.document_id == documents.c.document_id, instance.policy_context_json == policy.canonical()
            )
            first = own.scalar_subquery()
        order = (first, documents.c.document_id)
        if after is not None:
            query = query.where(tuple_(*order) > (after.first_ingested_at, after.document_id))
        with self._read() as connection:
            rows = connection.execute(query.order_by(*order).limit(limit)).all()
            return as_asked(connection, map(document_record, rows), policy)

    def iterate(self) -> Iterator[DocumentRecord]:
        """Every document in the order of first ingest, read page by page."""
        last = None
        while page := self.page(limit=500, after=last):
            yield from page
            last = page[-1]

    def status_counts(
        self, *, corpus_id: str | None = None, policy: PolicyContext | None = None
    ) -> dict[IngestionState, int]:
        """Number of documents in each state (ENG-17)."""
        counted = select(documents.c.ingestion_status, func.count().label("n"))
        query = restricted(counted, corpus_id=corpus_id, policy=policy).group_by(documents.c.ingestion_status)
        with self._read() as connection:
            return {IngestionState(row.ingestion_status): row.n for row in connection.execute(query)}

    def resolve(self, ref: str, *, policy: PolicyContext | None = None, corpus_id: str | None = None) -> str:
        """Resolve a user's reference to a document id.

        Args:
            ref: a document id or hash, six or more of its first digits, a path at which the document was seen, its file
                name or the end of its path, or its title; the first of these that matches anything.
            policy: the policy context of the user; None: all documents are visible.
            corpus_id: only documents of this corpus.

        Raises:
            AmbiguousReference: more than one document matches; the message names the candidates.
            UsageError: no document matches.
        """
        with self._read() as connection:
            found: Iterable[Row[*tuple[Any, ...]]] = ()
            if _PREFIX.fullmatch(ref.lower()):
                found = _by_prefix(connection, ref.lower(), policy, corpus_id)
            rows = list(found) or _by_path(connection, ref, policy, corpus_id)
            rows = rows or list(by_name(connection, ref, policy, corpus_id, limit=_CANDIDATES + 1))
            near = None if rows else near_name(connection, ref, policy, corpus_id)
        if len(rows) == 1:
            return str(rows[0].document_id)
        if not rows:
            raise UsageError(
                f"no document matches {ref!r}" + (f"; did you mean {near}?" if near else ""),
                remedy="Give its id, six or more first digits of its id or hash, its path, file name or title; see `octavo list`. "
                "A file joins the library with `octavo ingest FILE`",
            )
        candidates = self.get_many([row.document_id for row in rows[:_CANDIDATES]], policy=policy)
        named = [f"{one.document_id} ({one.title or one.raw_hash[:12]})" for one in candidates]
        more = ", …" if len(rows) > _CANDIDATES else ""
        raise AmbiguousReference(
            f"{ref!r} matches several documents: {', '.join(named)}{more}",
            remedy="Give its id, or more of its digits or path",
        )

    def with_hash(self, kind: HashKind, value: str, *, policy: PolicyContext | None = None) -> tuple[str, ...]:
        """Sorted ids of the documents with a hash: other copies, shared pages, shared chunks (STO-16)."""
        query = restricted(select(documents.c.document_id), corpus_id=None, policy=policy)
        with self._read() as connection:
            if kind in _HASH_COLUMNS:
                query = query.where(_HASH_COLUMNS[kind] == value)
            elif kind == "instance":
                instance = document_source_instances
                holders = select(instance.c.document_id).where(instance.c.source_instance_id == value)
                if policy is not None:
                    holders = holders.where(instance.c.policy_context_json == policy.canonical())
                query = query.where(documents.c.document_id.in_(holders))
            else:
                has_hash = dialect.part_has_hash(value, database=connection.dialect.name)
                holders = select(content_hashes.c.document_id).where(content_hashes.c.kind == kind, has_hash)
                query = query.where(documents.c.document_id.in_(holders))
            return tuple(connection.scalars(query.order_by(documents.c.document_id)))

    def paths(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[PathRecord, ...]:
        """The paths at which a document was seen, oldest first, stale ones included (STO-11).

        Args:
            document_id: the document.
            policy: only paths seen under this policy context (STO-5).
        """
        with self._read() as connection:
            rows = direct_read.rows(connection, paths_of(policy), {"document": document_id})
            return tuple(
                PathRecord(
                    path=row.path,
                    location_type=row.location_type,
                    added_at=row.added_at,
                    is_stale=bool(row.is_stale),
                )
                for row in rows
            )

    def first_paths(self, document_ids: Sequence[str], *, policy: PolicyContext | None = None) -> dict[str, str]:
        """Document id → the first path at which it was seen, as `paths`; documents without one are left out."""
        found: dict[str, str] = {}
        with self._read() as connection:
            query = names_of(connection.dialect.name, policy)
            for row in direct_read.rows(connection, query, dialect.as_many(document_ids)):
                found.setdefault(row.document_id, row.path)
        return found

    def is_visible(self, document_id: str, *, policy: PolicyContext) -> bool:
        """Whether a document was ingested under a policy context (STO-5)."""
        query = select(documents.c.document_id).where(documents.c.document_id == document_id)
        with self._read() as connection:
            return connection.execute(restricted(query, corpus_id=None, policy=policy)).first() is not None

    def instances(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[str, ...]:
        """Ids of a document's source instances, oldest first (STO-5).

        Args:
            document_id: the document.
            policy: only those under this policy context.
        """
        with self._read() as connection:
            return tuple(direct_read.first_column(connection, instances_of(policy), {"document": document_id}))

    def contexts(self, document_id: str) -> tuple[PolicyContext, ...]:
        """The policy contexts under which a document was ingested, in a fixed order (STO-5)."""
        table = document_source_instances
        query = select(table.c.policy_context_json).where(table.c.document_id == document_id).distinct()
        with self._read() as connection:
            found = connection.scalars(query.order_by(table.c.policy_context_json)).all()
        return tuple(PolicyContext.parse(one) for one in found)

    def came_without_path(self, document_id: str, *, policy: PolicyContext | None) -> bool:
        """Whether a document's bytes were passed in or fetched from a URL under a policy context; None: always True."""
        if policy is None:
            return True
        with self._read() as connection:
            return document_id in came_without_path(connection, [document_id], policy)

    def came_before(self, document_id: str, other_id: str, *, policy: PolicyContext | None) -> bool:
        """Whether a document was ingested before another one, under a policy context; None: under any open one."""
        instance = document_source_instances.c
        context = instance.policy_context_json
        visible = ~context.contains(FIREWALLED) if policy is None else context == policy.canonical()
        query = select(instance.document_id, func.min(instance.ingested_at))
        query = query.where(instance.document_id.in_((document_id, other_id)), visible)
        with self._read() as connection:
            first = {row[0]: row[1] for row in connection.execute(query.group_by(instance.document_id))}
        return document_id in first and other_id in first and bool(first[document_id] < first[other_id])

    def mark_stale(self, paths: Sequence[str]) -> int:
        """Mark these paths as stale: their files are gone. The rows are kept (STO-11).

        Returns:
            How many paths were not stale before.
        """
        table = document_original_paths
        with self._write() as connection:
            named = table.c.path.in_(dialect.many(connection.dialect.name))
            change = update(table).where(named, table.c.is_stale == 0).values(is_stale=1)
            return connection.execute(change, dialect.as_many(paths)).rowcount


_CANDIDATE_COLUMNS = (documents.c.document_id, documents.c.title, documents.c.content_hash)


def _by_prefix(
    connection: Connection, prefix: str, policy: PolicyContext | None, corpus_id: str | None
) -> Sequence[Row[*tuple[Any, ...]]]:
    # A range rather than LIKE: every database then uses its unique indexes. The successor of the last digit in ASCII
    # ends the range.
    end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    fits = or_(
        *(and_(column >= prefix, column < end) for column in (documents.c.document_id, documents.c.content_hash))
    )
    query = restricted(select(*_CANDIDATE_COLUMNS).where(fits), corpus_id=corpus_id, policy=policy)
    return connection.execute(query.order_by(documents.c.document_id).limit(_CANDIDATES + 1)).all()


def _by_path(
    connection: Connection, ref: str, policy: PolicyContext | None, corpus_id: str | None
) -> list[Row[*tuple[Any, ...]]]:
    """The document at a path; a former one only if none is there now."""
    table = document_original_paths
    query = (
        select(*_CANDIDATE_COLUMNS, table.c.is_stale)
        .join_from(documents, table, table.c.document_id == documents.c.document_id)
        .where(table.c.path == _path_ref(ref))
    )
    if policy is not None:
        query = query.where(table.c.path.in_(paths_seen(table.c.document_id, policy)))
    query = restricted(query, corpus_id=corpus_id, policy=policy)
    rows = connection.execute(query.order_by(table.c.path_id)).all()
    return [row for row in rows if not row.is_stale] or list(rows)


def _path_ref(ref: str) -> str:
    try:
        parse_ref(ref)
    except ValueError:
        return place_ref(ref)
    return ref
