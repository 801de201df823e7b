"""Finds out soon that a filter lets through more documents than are counted, in PostgreSQL (UI-1).

Ids of documents are hashes. A document that is looked up by its id is at a random place of each index, and in a large library
that place is in no buffer of the server: looking up ten thousand takes longer, the more documents there are. The newest rows of
a table are next to each other, in the table and in an index by time. So the newest documents are compared with the newest rows
that decide who sees what: what is in both is a part of what the filter lets through. If this part is not large enough, only an
exact count can tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import ColumnElement, Connection, FromClause, Table, and_, func, or_, select, text

from .document_filter import DocumentFilter
from .instance_ids import PolicyContext
from .schema import (
    document_corpus_memberships,
    document_original_paths,
    document_source_instances,
    documents,
    ingest_events,
)
from .server_name_search import COMMON, contains, is_file_name, shares_of_names

_MARGIN: Final = 1.5
"""How many times the rows are read in which, by the statistics, the wanted number of documents is."""

_DOCUMENTS: Final = text("SELECT reltuples FROM pg_class WHERE oid = to_regclass('documents')")
_SHARES: Final = text(
    "SELECT CAST(CAST(most_common_vals AS text) AS text[]), most_common_freqs FROM pg_stats WHERE tablename = 'documents' "
    "AND attname = :column AND schemaname = "
    "(SELECT nspname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace "
    "WHERE pg_class.oid = to_regclass('documents'))"
)


def are_more(
    connection: Connection,
    wanted: DocumentFilter,
    forms: Sequence[str],
    *,
    corpus_id: str | None,
    policy: PolicyContext | None,
    number: int,
) -> bool:
    """Whether a filter certainly lets through more documents than `number`; False: it may, or may not.

    Args:
        connection: of the transaction that counts.
        wanted: the filter.
        forms: how its text may be written; see `octavo_library.storage.index.name_search.forms_of`.
        corpus_id: only documents of this corpus.
        policy: only documents ingested under this policy context (STO-5); None: the library's owner.
        number: how many are counted.
    """
    if wanted.accepted is not None or wanted.since is not None or "\0" in wanted.text:
        return False
    if not (wanted.text or corpus_id or policy):  # the exact count reads one index
        return False
    # Where they are known to be fewer, one statement more is all that this costs.
    if (connection.scalar(_DOCUMENTS) or 0) < _MARGIN * number:
        return False
    titles, paths = shares_of_names(connection, forms) if wanted.text else (1.0, 0.0)
    share = max(titles, paths)
    for column, values in (("ingestion_status", wanted.statuses), ("mime_type", wanted.media_types)):
        share *= _share(connection, column, values) if values else 1.0
    if share < COMMON:
        return False
    is_by_title = titles >= paths
    seen = _newest_seen(corpus_id, policy, has_path=not is_by_title, rows=int(_MARGIN * number / share))
    ids = select(seen.c.document_id).distinct().where(*_let_through(seen, wanted))
    if wanted.text and is_by_title:
        ids = ids.where(or_(*(contains(func.lower(seen.c.title), form.lower()) for form in forms)))
    elif wanted.text:
        ids = ids.where(or_(*(is_file_name(seen.c.path, form) for form in forms)))
    return (connection.scalar(select(func.count()).select_from(ids.limit(number + 1).subquery())) or 0) > number


def _newest_seen(corpus_id: str | None, policy: PolicyContext | None, *, has_path: bool, rows: int) -> FromClause:
    """The newest documents that may be seen, as far as the newest rows show it; with their paths, once for each.

    The filter is applied to this, and not within: the planner takes a text for rarer than it is, and would compare each row of
    one table with each of another.
    """
    newest = _newest(documents, "first_ingested_at", ("document_id", "title", "ingestion_status", "mime_type"), rows)
    found = select(newest)
    if policy is not None:
        way = document_source_instances.c
        seen_ways = select(way.document_id, way.source_instance_id).where(way.policy_context_json == policy.canonical())
        ways = seen_ways.order_by(way.ingested_at.desc()).limit(rows).subquery()
        found = found.join(ways, ways.c.document_id == newest.c.document_id)
    if has_path:
        places = _newest(document_original_paths, "path_id", ("document_id", "path"), rows)
        found = found.add_columns(places.c.path).join(places, places.c.document_id == newest.c.document_id)
    if has_path and policy is not None:
        events = _newest(ingest_events, "event_id", ("document_id", "path", "source_instance_id"), rows)
        is_same_path = and_(events.c.document_id == newest.c.document_id, events.c.path == places.c.path)
        found = found.join(events, and_(is_same_path, events.c.source_instance_id == ways.c.source_instance_id))
    if corpus_id is not None:
        members = _newest(document_corpus_memberships, "membership_id", ("document_id", "corpus_id"), rows)
        is_member = and_(members.c.document_id == newest.c.document_id, members.c.corpus_id == corpus_id)
        found = found.join(members, is_member)
    return found.offset(0).subquery()


def _let_through(seen: FromClause, wanted: DocumentFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if wanted.statuses:
        found.append(seen.c.ingestion_status.in_(wanted.statuses))
    if wanted.media_types:
        found.append(seen.c.mime_type.in_(wanted.media_types))
    return found


def _newest(table: Table, order: str, columns: Sequence[str], rows: int) -> FromClause:
    return select(*(table.c[name] for name in columns)).order_by(table.c[order].desc()).limit(rows).subquery()


def _share(connection: Connection, column: str, values: Sequence[str]) -> float:
    """The share of the documents that have one of the values, by the server's statistics."""
    row = connection.execute(_SHARES, {"column": column}).one_or_none()
    shares: Mapping[str, float] = dict(zip(row[0] or (), row[1] or (), strict=True)) if row else {}
    return min(1.0, sum(shares.get(value, 0.0) for value in set(values)))
