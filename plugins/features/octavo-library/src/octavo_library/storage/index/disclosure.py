"""What the index discloses to a policy context: which documents, and which of their fields (STO-5); see `ownership`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from octavo.builtins.classification.document_types import UNKNOWN
from octavo.builtins.classification.named_types import type_by_names
from sqlalchemy import ColumnElement, Connection, Select, and_, exists, func, or_, select, tuple_

from . import dialect, direct_read
from .declared_titles import declared_titles
from .document_types import types_by_hand
from .entries import SCHEME, is_entry
from .instance_ids import PolicyContext
from .ownership import RECORD, as_told
from .records import DocumentRecord
from .registered_type import SHIPPED, registering_profile, type_as_told
from .schema import (
    corpora,
    document_corpus_memberships,
    document_original_paths,
    document_source_instances,
    documents,
    ingest_events,
)

PDF: Final = "application/pdf"
"""A PDF has pages and a layout that say more of its type than its name (CLS-3)."""


_EVENT: Final = ingest_events.alias("seen")
_INSTANCE: Final = document_source_instances.alias("way_in")
"""Made once: an alias copies every column, which would take half of the time of a look-up."""


def restricted(query: Select[Any], *, corpus_id: str | None, policy: PolicyContext | None) -> Select[Any]:
    """Restrict a query over `documents` to a corpus, or to the documents ingested under a policy context (STO-5)."""
    # Looked up for each document: as a list, all documents of a large corpus would be read to show one.
    if corpus_id is not None:
        member = document_corpus_memberships.c
        here = exists().where(member.document_id == documents.c.document_id, member.corpus_id == corpus_id)
        query = query.where(here.correlate(documents))
    if policy is not None:
        instance = document_source_instances.c
        seen = exists().where(
            instance.document_id == documents.c.document_id, instance.policy_context_json == policy.canonical()
        )
        query = query.where(seen.correlate(documents))
    return query


def as_asked(
    connection: Connection, stored: Iterable[DocumentRecord], policy: PolicyContext | None
) -> tuple[DocumentRecord, ...]:
    """Filter documents for a policy context: every `DocumentRecord` leaves the index through here (STO-5).

    Args:
        connection: of the transaction that read them.
        stored: the stored records.
        policy: the policy context of the user; None: the library's owner, who sees everything.
    """
    records = list(stored)
    ids = [one.document_id for one in records]
    by_hand = types_by_hand(connection, ids, policy)
    titles = declared_titles(connection, ids, policy)
    if titles:
        records = [replace(one, title=titles.get(one.document_id, one.title)) for one in records]
    types: dict[str, dict[str, Any]] = {
        one.document_id: {
            "document_type": said.document_type if (said := by_hand.get(one.document_id)) else one.document_type,
            "document_type_by": said.set_by if said else None,
        }
        for one in records
    }
    if policy is None:
        told = [replace(one, **types[one.document_id]) if one.document_id in by_hand else one for one in records]
        return _typed_by_names(connection, told, None)
    many = dialect.as_many(ids)
    database = connection.dialect.name
    since = {row[0]: row[1] for row in direct_read.rows(connection, _first_ingested(database, policy), many)}
    first_path: dict[str, str] = {}
    for document_id, path in direct_read.rows(connection, names_of(database, policy), many):
        if not is_entry(path):
            first_path.setdefault(document_id, path)
    handed_over = came_without_path(connection, ids, policy)
    own = {}
    profiles = profiles_of(connection, policy)
    for one in records:
        stored_ref = one.original_ref if one.document_id in handed_over else None
        is_store_ref = stored_ref is not None and stored_ref.startswith("store:")
        kept = stored_ref if is_store_ref else f"sha256:{one.raw_hash}"
        own[one.document_id] = types[one.document_id] | {
            "title": one.title,
            "original_ref": first_path.get(one.document_id, kept),
            "first_ingested_at": since.get(one.document_id, ""),
        }
        own[one.document_id] |= _classified(one, profiles, is_by_hand=one.document_id in by_hand)
    return _typed_by_names(connection, [as_told(one, RECORD, own[one.document_id]) for one in records], policy)


def _typed_by_names(
    connection: Connection, told: Sequence[DocumentRecord], policy: PolicyContext | None
) -> tuple[DocumentRecord, ...]:
    """Tell the type that the names of a document state where its text states none (CLS-10).

    Only names that the asker may see count, so that the same bytes have one type in each policy context (STO-5).
    """
    open_ids = [
        one.document_id
        for one in told
        if one.document_type == UNKNOWN and one.document_type_by is None and one.mime_type != PDF
    ]
    if not open_ids:
        return tuple(told)
    query = names_of(connection.dialect.name, policy)
    names: dict[str, list[str]] = {}
    for document_id, path in direct_read.rows(connection, query, dialect.as_many(open_ids)):
        names.setdefault(document_id, []).append(path)
    types = {document_id: kind for document_id, paths in names.items() if (kind := type_by_names(paths)) is not None}
    return tuple(
        replace(one, document_type=types[one.document_id]) if one.document_id in types else one for one in told
    )


@dialect.prepared
def _first_ingested(database: str, policy: PolicyContext) -> Select[Any]:
    """When documents were first ingested under a policy context."""
    instance = document_source_instances.c
    mine = (instance.document_id.in_(dialect.many(database)), instance.policy_context_json == policy.canonical())
    return select(instance.document_id, func.min(instance.ingested_at)).where(*mine).group_by(instance.document_id)


@dialect.prepared
def names_of(database: str, policy: PolicyContext | None) -> Select[Any]:
    """The paths of documents that a policy context may see, oldest first."""
    place, many = document_original_paths.c, dialect.many(database)
    query = select(place.document_id, place.path).where(place.document_id.in_(many))
    if policy is not None:
        # Read once for all: looked up for each path, a file that is there a thousand times would cost a million comparisons.
        seen = _seen(policy).add_columns(_EVENT.c.document_id).where(_EVENT.c.document_id.in_(many))
        query = query.where(tuple_(place.path, place.document_id).in_(seen))
    return query.order_by(place.path_id)


def _classified(one: DocumentRecord, profiles: frozenset[str], *, is_by_hand: bool) -> dict[str, Any]:
    """The classification as visible to a context with these profiles; with the type, unless a user set one by hand."""
    if one.classification_json is None or SHIPPED not in one.classification_json:
        return {"classification_json": one.classification_json}
    stored = json.loads(one.classification_json)
    filtered = type_as_told(stored, is_own=registering_profile(stored) in profiles)
    classification = {"classification_json": json.dumps(filtered, ensure_ascii=False)}
    return classification if is_by_hand else classification | {"document_type": filtered["document_type"]}


def profiles_of(connection: Connection, policy: PolicyContext) -> frozenset[str]:
    """The profiles that the corpora of a policy context name."""
    return frozenset(direct_read.first_column(connection, _profiles(policy)))


@dialect.prepared
def _profiles(policy: PolicyContext) -> Select[Any]:
    here = and_(corpora.c.visibility == policy.visibility, corpora.c.sensitivity == policy.sensitivity)
    return select(corpora.c.profile).where(here, corpora.c.profile.is_not(None))


def came_without_path(connection: Connection, document_ids: Sequence[str], policy: PolicyContext) -> set[str]:
    """The documents among `document_ids` whose bytes were passed in or fetched from a URL under a policy context."""
    return set(
        direct_read.first_column(
            connection, _without_path(connection.dialect.name, policy), dialect.as_many(document_ids)
        )
    )


@dialect.prepared
def _without_path(database: str, policy: PolicyContext) -> Select[Any]:
    event, instance = _EVENT, _INSTANCE
    return (
        select(event.c.document_id)
        .join_from(event, instance, _same_way(event, instance))
        .where(event.c.document_id.in_(dialect.many(database)))
        .where(instance.c.policy_context_json == policy.canonical())
        .where(or_(event.c.path.is_(None), event.c.path.startswith("url:"), event.c.path.startswith(f"{SCHEME}:")))
    )


def _same_way(event: Any, instance: Any) -> ColumnElement[bool]:
    """Whether an event belongs to a source instance, or to its corpus: a change of policy replaces the instances."""
    return and_(
        instance.c.document_id == event.c.document_id,
        or_(instance.c.source_instance_id == event.c.source_instance_id, instance.c.corpus_id == event.c.corpus_id),
    )


def paths_seen(document_id: str | ColumnElement[str], policy: PolicyContext) -> Select[Any]:
    """Paths at which a document was seen under a policy context."""
    return _seen(policy).where(_EVENT.c.document_id == document_id)


def _seen(policy: PolicyContext) -> Select[Any]:
    """Paths at which any document was seen under a policy context."""
    event, instance = _EVENT, _INSTANCE
    return (
        select(event.c.path)
        .join_from(event, instance, _same_way(event, instance))
        .where(instance.c.policy_context_json == policy.canonical())
        .where(event.c.path.is_not(None))
    )
