"""Lists documents page by page for people who browse a library: filtered, newest or oldest first (STO-5, UI-1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from octavo_contracts import IngestionState
from sqlalchemy import ColumnElement, Select, func, or_, select, tuple_

from . import dialect
from .disclosure import as_asked, paths_seen, restricted
from .document_rows import document_record
from .instance_ids import PolicyContext
from .records import DocumentRecord
from .repository import Repository
from .schema import document_original_paths, document_source_instances, documents

MOST_COUNTED = 10_000
"""A filtered listing is counted up to this number: counting all documents would cost more than showing a page."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentFilter:
    """Which documents a listing shows. Each condition that is given must hold.

    Attributes:
        text: part of the title or of the file name, without regard to case.
        statuses: states of documents; empty: all.
        media_types: media types; empty: all.
        since: first ingested at or after this time, ISO 8601, UTC.
    """

    text: str = ""
    statuses: tuple[IngestionState, ...] = ()
    media_types: tuple[str, ...] = ()
    since: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether it lets every document through."""
        return self == DocumentFilter()


@dataclass(frozen=True, kw_only=True, slots=True)
class ListingPosition:
    """The last document of a page, after which the next page begins.

    Attributes:
        first_ingested_at: when it was first ingested under the asking policy context.
        document_id: its id.
    """

    first_ingested_at: str
    document_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """One page of a listing.

    Attributes:
        documents: the records, filtered for the policy context.
        next: position of the next page; None at the end.
    """

    documents: tuple[DocumentRecord, ...]
    next: ListingPosition | None


class DocumentListing(Repository):
    """Pages of documents, with filters."""

    def page(
        self,
        wanted: DocumentFilter,
        *,
        corpus_id: str | None = None,
        policy: PolicyContext | None = None,
        newest_first: bool = True,
        limit: int = 50,
        after: ListingPosition | None = None,
    ) -> Listing:
        """One page of the documents that a policy context may see.

        Args:
            wanted: the filter.
            corpus_id: only documents of this corpus.
            policy: only documents ingested under this policy context (STO-5); None: the library's owner.
            newest_first: by the time of the first ingestion, descending.
            limit: documents of a page.
            after: position of this page; None: the first.
        """
        keys, first = _keys(wanted, corpus_id=corpus_id, policy=policy)
        order = (first, documents.c.document_id)
        if after is not None:
            place = (after.first_ingested_at, after.document_id)
            keys = keys.where(tuple_(*order) < place if newest_first else tuple_(*order) > place)
        keys = keys.order_by(*(key.desc() if newest_first else key for key in order)).limit(limit + 1)
        with self._read() as connection:
            # Ids alone are sorted: a row of `documents` is long.
            rows = connection.execute(keys).all()
            ids = [row.document_id for row in rows[:limit]]
            named = documents.c.document_id.in_(dialect.many(connection.dialect.name))
            read = connection.execute(select(documents).where(named), dialect.as_many(ids)).all()
            told = {one.document_id: one for one in as_asked(connection, map(document_record, read), policy)}
            found = tuple(told[each] for each in ids)
        last = found[-1] if len(rows) > limit else None
        return Listing(
            documents=found,
            next=None
            if last is None
            else ListingPosition(first_ingested_at=last.first_ingested_at, document_id=last.document_id),
        )

    def count(
        self, wanted: DocumentFilter, *, corpus_id: str | None = None, policy: PolicyContext | None = None
    ) -> int:
        """Number of documents that the filter lets through, up to `MOST_COUNTED` + 1."""
        keys, _ = _keys(wanted, corpus_id=corpus_id, policy=policy)
        with self._read() as connection:
            counted = select(func.count()).select_from(keys.limit(MOST_COUNTED + 1).subquery())
            return connection.scalar(counted) or 0

    def media_types(self, *, corpus_id: str | None = None, policy: PolicyContext | None = None) -> dict[str, int]:
        """Media type → number of documents, the most frequent first."""
        counted = select(documents.c.mime_type, func.count().label("n")).where(documents.c.mime_type.is_not(None))
        query = restricted(counted, corpus_id=corpus_id, policy=policy).group_by(documents.c.mime_type)
        with self._read() as connection:
            rows = connection.execute(query).all()
        return {row.mime_type: row.n for row in sorted(rows, key=lambda row: (-row.n, row.mime_type))}


def _keys(
    wanted: DocumentFilter, *, corpus_id: str | None, policy: PolicyContext | None
) -> tuple[Select[Any], ColumnElement[Any]]:
    """Ids of the documents that a filter lets through, and the column of the time of their first ingestion."""
    if policy is None:
        first: ColumnElement[Any] = documents.c.first_ingested_at
        query: Select[Any] = select(documents.c.document_id, first.label("first_at"))
    else:
        # Grouped once over the context's own instances, which is much faster than a look-up for each document.
        instance = document_source_instances.c
        own = (
            select(instance.document_id, func.min(instance.ingested_at).label("first_at"))
            .where(instance.policy_context_json == policy.canonical())
            .group_by(instance.document_id)
            .subquery()
        )
        first = own.c.first_at
        query = select(documents.c.document_id, first).join_from(
            own, documents, own.c.document_id == documents.c.document_id
        )
    query = restricted(query, corpus_id=corpus_id, policy=None)
    if wanted.statuses:
        query = query.where(documents.c.ingestion_status.in_(wanted.statuses))
    if wanted.media_types:
        query = query.where(documents.c.mime_type.in_(wanted.media_types))
    if wanted.since is not None:
        query = query.where(first >= wanted.since)
    if wanted.text:
        query = query.where(_is_called(wanted.text, policy))
    return query, first


def _is_called(text: str, policy: PolicyContext | None) -> ColumnElement[bool]:
    """Whether the title or a file name contains the text. Folders are not compared: they are not shown either."""
    place = document_original_paths.c
    parts = func.replace(place.path, "/", "")
    file_name = func.substr(place.path, func.length(func.rtrim(place.path, parts)) + 1)
    named = select(place.document_id).where(func.lower(file_name).contains(quote(text).lower(), autoescape=True))
    if policy is not None:
        seen = paths_seen(place.document_id, policy).correlate(document_original_paths)
        named = named.where(place.path.in_(seen))
    title = func.lower(documents.c.title).contains(text.lower(), autoescape=True)
    return or_(title, documents.c.document_id.in_(named))
