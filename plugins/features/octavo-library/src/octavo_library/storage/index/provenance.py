"""Writes provenance: events, paths, memberships and source instances, for one document or for thousands at once.

Known rows are looked up in bulk, so that ingesting the same ten thousand files again costs ten thousand events and no
other row (STO-5, STO-10, STO-11).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NamedTuple

from octavo_contracts import UsageError
from sqlalchemy import Connection, Select, Table, bindparam, insert, select, update

from . import dialect
from .entries import is_entry
from .instance_ids import source_instance_id_for
from .records import Provenance
from .schema import (
    corpora,
    document_corpus_memberships,
    document_original_paths,
    document_source_instances,
    ingest_events,
)
from .touched import touch

_INSERT_EVENT = insert(ingest_events)
_SET_STALE = (
    update(document_original_paths)
    .where(document_original_paths.c.path_id == bindparam("of"))
    .values(is_stale=bindparam("to"))
)


@cache
def _known_corpora(database: str) -> Select[Any]:
    return select(corpora.c.corpus_id).where(corpora.c.corpus_id.in_(dialect.many(database)))


@cache
def _known_paths(database: str) -> Select[Any]:
    table = document_original_paths
    query = select(table.c.path_id, table.c.document_id, table.c.path, table.c.is_stale)
    return query.where(table.c.path.in_(dialect.many(database)))


@cache
def _known_memberships(database: str) -> Select[Any]:
    table = document_corpus_memberships
    query = select(table.c.document_id, table.c.corpus_id)
    return query.where(table.c.document_id.in_(dialect.many(database)))


@cache
def _known_instances(database: str) -> Select[Any]:
    table = document_source_instances
    return select(table.c.source_instance_id).where(table.c.source_instance_id.in_(dialect.many(database)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """A provenance record with its outcome. `document_id` is None if the bytes could not be read.

    `run_id` is the run that started the job, if the provenance record has none: recovery finishes jobs of earlier runs.
    """

    document_id: str | None
    sighting: Provenance
    outcome: str
    job_id: str | None = None
    run_id: str | None = None


class ReuseCounts(NamedTuple):
    """The rows that `record_reuse` added besides the events."""

    paths: int
    memberships: int
    instances: int


def record(connection: Connection, seen: Sequence[Seen], *, now: str) -> ReuseCounts:
    """Write events, and the paths, memberships and source instances that are new.

    Returns:
        How many of each were new.

    Raises:
        UsageError: a provenance record names a corpus that does not exist.
    """
    if not seen:
        return ReuseCounts(0, 0, 0)
    _check_corpora(connection, seen)
    instances = [_instance_of(one) for one in seen]
    dialect.execute_many(
        connection,
        _INSERT_EVENT,
        [
            {
                "document_id": one.document_id,
                "job_id": one.job_id,
                "source_instance_id": instance,
                "path": one.sighting.path,
                "surface": one.sighting.surface,
                "corpus_id": one.sighting.corpus_id,
                "outcome": one.outcome,
                "at": now,
                "run_id": one.sighting.run_id or one.run_id,
            }
            for one, instance in zip(seen, instances, strict=True)
        ],
    )
    return ReuseCounts(
        paths=_record_paths(connection, seen, now=now),
        memberships=_record_memberships(connection, seen, now=now),
        instances=_record_instances(connection, seen, instances, now=now),
    )


def record_new(connection: Connection, by_document: Mapping[str, Sequence[Provenance]], *, now: str) -> None:
    """As `record`, but only for source instances that a document does not have yet; the others are no news.

    Args:
        connection: in a transaction that writes.
        by_document: document id → its provenance records.
        now: the time.
    """
    seen = [
        Seen(document_id=document_id, sighting=provenance, outcome="attached")
        for document_id, provenances in by_document.items()
        for provenance in dict.fromkeys(provenances)
    ]
    instances = [str(_instance_of(one)) for one in seen]
    known = set(connection.scalars(_known_instances(connection.dialect.name), dialect.as_many(instances)))
    record(connection, [one for one, instance in zip(seen, instances, strict=True) if instance not in known], now=now)


def _check_corpora(connection: Connection, seen: Sequence[Seen]) -> None:
    named = {one.sighting.corpus_id for one in seen if one.sighting.corpus_id is not None}
    if not named:
        return
    known = connection.scalars(_known_corpora(connection.dialect.name), dialect.as_many(named))
    if unknown := named.difference(known):
        raise UsageError(
            f"there is no corpus with the id {', '.join(sorted(unknown))}", remedy="Create the corpus first"
        )


@lru_cache(maxsize=20_000)
def _instance_id(document_id: str, key: tuple[Any, ...]) -> str:
    policy, surface, corpus_id = key
    return source_instance_id_for(document_id, policy=policy, surface=surface, corpus_id=corpus_id)


def _instance_of(one: Seen) -> str | None:
    if one.document_id is None:
        return None
    provenance = one.sighting
    return _instance_id(one.document_id, (provenance.policy, provenance.surface, provenance.corpus_id))


def record_paths(connection: Connection, document_id: str, provenance: Provenance, *, now: str) -> int:
    """Write only a document's path, without an event, a membership or a source instance; see `_record_paths`."""
    return _record_paths(connection, [Seen(document_id=document_id, sighting=provenance, outcome="")], now=now)


def _record_paths(connection: Connection, seen: Sequence[Seen], *, now: str) -> int:
    """Add new paths, revive stale ones, and mark paths as stale that now have another document (STO-11)."""
    table = document_original_paths
    wanted = {
        (one.document_id, one.sighting.path): one.sighting
        for one in seen
        if one.document_id is not None and one.sighting.path is not None
    }
    if not wanted:
        return 0
    present: set[tuple[str, str]] = set()
    revived: list[int] = []
    outdated: list[int] = []
    latest = {path: document_id for document_id, path in wanted}
    known = connection.execute(_known_paths(connection.dialect.name), dialect.as_many(latest)).all()
    for path_id, document_id, path, is_stale in known:
        present.add((document_id, path))
        if is_entry(path):  # two documents may have come in under one name
            continue
        if latest[path] != document_id:
            outdated += [] if is_stale else [path_id]
        elif is_stale:
            revived.append(path_id)
    _set_stale(connection, revived, stale=False)
    _set_stale(connection, outdated, stale=True)
    rows = [
        {
            "document_id": document_id,
            "path": path,
            "location_type": provenance.location_type,
            "added_at": now,
            "is_stale": int(latest[path] != document_id and not is_entry(path)),
        }
        for (document_id, path), provenance in wanted.items()
        if (document_id, path) not in present
    ]
    return _insert_new(connection, table, rows)


def _set_stale(connection: Connection, path_ids: Iterable[int], *, stale: bool) -> None:
    rows = [{"of": path_id, "to": int(stale)} for path_id in path_ids]
    if rows:
        dialect.execute_many(connection, _SET_STALE, rows)


def _record_memberships(connection: Connection, seen: Sequence[Seen], *, now: str) -> int:
    table = document_corpus_memberships
    wanted = {
        (one.document_id, one.sighting.corpus_id): one.sighting.added_by
        for one in seen
        if one.document_id is not None and one.sighting.corpus_id is not None
    }
    if not wanted:
        return 0
    members = dialect.as_many({document_id for document_id, _ in wanted})
    known = connection.execute(_known_memberships(connection.dialect.name), members).all()
    present = {(document_id, corpus_id) for document_id, corpus_id in known}
    rows = [
        {"document_id": document_id, "corpus_id": corpus_id, "added_at": now, "added_by": added_by}
        for (document_id, corpus_id), added_by in wanted.items()
        if (document_id, corpus_id) not in present
    ]
    return _insert_new(connection, table, rows)


def _record_instances(
    connection: Connection, seen: Sequence[Seen], instances: Sequence[str | None], *, now: str
) -> int:
    table = document_source_instances
    wanted = {instance: one for instance, one in zip(instances, seen, strict=True) if instance is not None}
    if not wanted:
        return 0
    present = set(connection.scalars(_known_instances(connection.dialect.name), dialect.as_many(wanted)).all())
    rows = [
        {
            "source_instance_id": instance,
            "document_id": one.document_id,
            "corpus_id": one.sighting.corpus_id,
            "policy_context_json": one.sighting.policy.canonical(),
            "ingested_at": now,
            "ingestion_surface": one.sighting.surface,
        }
        for instance, one in wanted.items()
        if instance not in present
    ]
    return _insert_new(connection, table, rows)


def _insert_new(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> int:
    """Insert rows that were absent a moment ago; on a server, another writer may have inserted them since."""
    if rows:
        touch(connection, {row["document_id"] for row in rows})
        dialect.execute_many(connection, dialect.insert_if_absent(table, database=connection.dialect.name), rows)
    return len(rows)
