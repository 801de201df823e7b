"""Lists documents page by page for people who browse a library: filtered, newest or oldest first (STO-5, UI-1)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Select,
    Text,
    bindparam,
    exists,
    func,
    select,
    tuple_,
)

from . import dialect, direct_read
from .acceptances import accepted_documents
from .disclosure import as_asked, restricted
from .document_filter import DocumentFilter
from .document_rows import document_record, rows_of
from .instance_ids import PolicyContext
from .name_search import few_names, forms_of, is_among, is_called
from .records import DocumentRecord
from .repository import Repository
from .schema import (
    conversions,
    document_corpus_memberships,
    document_source_instances,
    documents,
)
from .server_counts import are_more
from .versions import is_active

MOST_COUNTED = 10_000
"""A filtered listing is counted up to this number: counting all documents would cost more than showing a page."""


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Extent:
    """How much documents hold.

    Attributes:
        original_bytes: size of their originals.
        versions: number of their stored versions.
        flags: degraded flag → number of documents whose active version has it, the most frequent first.
    """

    original_bytes: int
    versions: int
    flags: dict[str, int]


_OWN: Final = document_source_instances.alias("own")
"""The ways by which documents came under the asking policy context."""


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
        with self._read() as connection:
            # Ids alone are sorted: a row of `documents` is long.
            names = _names(connection, wanted)
            keys = _page(_untitled(wanted), corpus_id, policy, newest_first, after is not None, bool(names))
            given: dict[str, Any] = {"most": limit + 1, **names}
            if after is not None:
                given |= {"at": after.first_ingested_at, "document": after.document_id}
            if names or not wanted.text:
                rows = direct_read.rows(connection, keys, given)
            else:
                rows = list(connection.execute(_called(connection, keys, wanted.text, policy), given))
            ids = [row.document_id for row in rows[:limit]]
            read = direct_read.rows(connection, rows_of(connection.dialect.name), dialect.as_many(ids))
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
        with self._read() as connection:
            if connection.dialect.name != "sqlite" and are_more(
                connection, wanted, forms_of(wanted.text), corpus_id=corpus_id, policy=policy, number=MOST_COUNTED
            ):
                return MOST_COUNTED + 1
            names = _names(connection, wanted)
            untitled = _untitled(wanted)
            if names or not wanted.text:
                counted = _counted(untitled, corpus_id, policy, bool(names))
                return int(direct_read.first_column(connection, counted, names)[0])
            keys, _ = _keys(untitled, corpus_id, policy, False)
            return connection.scalar(_number_of(_called(connection, keys, wanted.text, policy))) or 0

    def extent(self, *, corpus_id: str | None = None, policy: PolicyContext | None = None) -> Extent:
        """How much the documents hold that a policy context may see (UI-5).

        A policy context counts active versions alone: older ones may be older than its first ingestion.
        """
        size: Select[Any] = select(func.coalesce(func.sum(documents.c.file_size), 0))
        joined = conversions.c.document_id == documents.c.document_id
        stored: Select[Any] = select(func.count()).select_from(conversions.join(documents, joined))
        stored = stored.where(conversions.c.purged_at.is_(None))
        if policy is not None:
            stored = stored.where(is_active(conversions.c.version))
        flags: Select[Any] = select(conversions.c.flags_json, func.count()).select_from(
            conversions.join(documents, joined)
        )
        flags = flags.where(is_active(conversions.c.version), conversions.c.flags_json != "[]")

        def asked(query: Select[Any]) -> Select[Any]:
            return restricted(query, corpus_id=corpus_id, policy=policy)

        with self._read() as connection:
            counted = connection.execute(asked(flags).group_by(conversions.c.flags_json))
            return Extent(
                original_bytes=int(connection.scalar(asked(size)) or 0),
                versions=connection.scalar(asked(stored)) or 0,
                flags=_count_flags((row[0], row[1]) for row in counted),
            )

    def media_types(self, *, corpus_id: str | None = None, policy: PolicyContext | None = None) -> dict[str, int]:
        """Media type → number of documents, the most frequent first."""
        counted = select(documents.c.mime_type, func.count().label("n")).where(documents.c.mime_type.is_not(None))
        query = restricted(counted, corpus_id=corpus_id, policy=policy).group_by(documents.c.mime_type)
        with self._read() as connection:
            rows = connection.execute(query).all()
        return {row.mime_type: row.n for row in sorted(rows, key=lambda row: (-row.n, row.mime_type))}


def _count_flags(rows: Iterable[tuple[str, int]]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for flags_json, number in rows:
        counts.update(dict.fromkeys(json.loads(flags_json), number))
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _untitled(wanted: DocumentFilter) -> DocumentFilter:
    """A filter without its text: statements are made once for each filter, not for each text."""
    return replace(wanted, text="") if wanted.text else wanted


def _names(connection: Connection, wanted: DocumentFilter) -> dict[str, str]:
    """The parameter `names` of `_keys` for a filter; empty for one without a text, and where `_called` is faster."""
    names = few_names(connection, wanted.text) if wanted.text else None
    return {} if names is None else {"names": names}


def _called(connection: Connection, keys: Select[Any], text: str, policy: PolicyContext | None) -> Select[Any]:
    """Restrict a query of `_keys` to the documents with a text in their names, of which there are many."""
    document_id = documents.c.document_id if policy is None else _OWN.c.document_id
    return keys.where(is_called(connection, document_id, text, policy=policy))


@dialect.prepared
def _page(
    wanted: DocumentFilter,
    corpus_id: str | None,
    policy: PolicyContext | None,
    newest_first: bool,
    continues: bool,
    is_named: bool,
) -> Select[Any]:
    """Ids of one page of a listing.

    `continues`: after the place in the parameters `at` and `document`; `is_named`: as `_keys`.
    """
    keys, order = _keys(wanted, corpus_id, policy, is_named)
    if continues:
        place = tuple_(bindparam("at", type_=Text), bindparam("document", type_=Text))
        keys = keys.where(tuple_(*order) < place if newest_first else tuple_(*order) > place)
    keys = keys.order_by(*(key.desc() if newest_first else key for key in order))
    return keys.limit(bindparam("most", type_=Integer))


@dialect.prepared
def _counted(
    wanted: DocumentFilter, corpus_id: str | None, policy: PolicyContext | None, is_named: bool
) -> Select[Any]:
    """The number of the documents of `_keys`."""
    return _number_of(_keys(wanted, corpus_id, policy, is_named)[0])


def _number_of(keys: Select[Any]) -> Select[Any]:
    return select(func.count()).select_from(keys.limit(MOST_COUNTED + 1).subquery())


@dialect.prepared
def _keys(
    wanted: DocumentFilter, corpus_id: str | None, policy: PolicyContext | None, is_named: bool
) -> tuple[Select[Any], tuple[ColumnElement[Any], ColumnElement[Any]]]:
    """Ids of the documents that a filter lets through, and the columns of their order: first ingestion and id.

    `is_named`: only those with one of the names in the parameter `names` (`few_names`).
    """
    if policy is None:
        first: ColumnElement[Any] = documents.c.first_ingested_at
        document_id: ColumnElement[Any] = documents.c.document_id
        query: Select[Any] = select(document_id, first.label("first_at"))
    else:
        # In the order of an index, so that a page costs the same at the beginning and at the end of the list.
        own, earlier = _OWN, document_source_instances.alias("earlier")
        first, document_id = own.c.ingested_at, own.c.document_id
        came_before = tuple_(earlier.c.ingested_at, earlier.c.source_instance_id) < tuple_(
            own.c.ingested_at, own.c.source_instance_id
        )
        is_again = exists().where(
            earlier.c.document_id == own.c.document_id,
            earlier.c.policy_context_json == policy.canonical(),
            came_before,
        )
        mine = own.c.policy_context_json == policy.canonical()
        query = select(document_id, first.label("first_at")).where(mine, ~is_again)
    if corpus_id is not None:
        # Looked up for each row: as a list, the members of a large corpus would be read for every page.
        member = document_corpus_memberships.c
        query = query.where(exists().where(member.document_id == document_id, member.corpus_id == corpus_id))
    if wanted.since is not None:
        query = query.where(first >= wanted.since)
    if is_named:
        query = query.where(is_among(document_id, policy))
    conditions = _conditions(wanted, policy)
    if conditions and policy is not None:
        query = query.where(exists().where(documents.c.document_id == document_id, *conditions))
    else:
        query = query.where(*conditions)
    return query, (first, document_id)


def _conditions(wanted: DocumentFilter, policy: PolicyContext | None) -> list[ColumnElement[bool]]:
    """The conditions of a filter on the rows of `documents`."""
    found: list[ColumnElement[bool]] = []
    if wanted.statuses:
        found.append(documents.c.ingestion_status.in_(wanted.statuses))
    if wanted.media_types:
        found.append(documents.c.mime_type.in_(wanted.media_types))
    if wanted.accepted is not None:
        is_accepted = documents.c.document_id.in_(accepted_documents(policy))
        found.append(is_accepted if wanted.accepted else ~is_accepted)
    return found
