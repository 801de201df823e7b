"""Entities in the index: runs with their observations and evidence, and the decision log (ENT-2).

Every query has an `EntityScope`, which says which documents the user may see (STO-5).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from octavo_contracts import UsageError
from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
)

from . import dialect
from .entity_records import Decision, SeenEntity, StoredObservation
from .repository import Repository
from .schema import (
    document_corpus_memberships,
    document_source_instances,
    documents,
    entities,
    entity_decisions,
    entity_edges,
    entity_observations,
    entity_runs,
)
from .touched import LIBRARY, touch
from .versions import is_active

if TYPE_CHECKING:
    from .entity_records import CheckedMentions

APPEARS_IN = "appears_in"


@dataclass(frozen=True, kw_only=True, slots=True)
class EntityScope:
    """The view of a query on entities.

    Attributes:
        corpus_id: only documents of this corpus that were ingested under its policy.
        policy: the corpus's policy context, as `PolicyContext.canonical()`.
            If both are None: documents with a source instance that is not firewalled.
        document_id: list only observations in this document, which is visible even if it is firewalled.
    """

    corpus_id: str | None = None
    policy: str | None = None
    document_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class NewEntityRun:
    """A new run: one engine's extraction from one version.

    Attributes:
        document_id: the document.
        version: the version whose canonical text was read.
        engine: the plugin.
        engine_version: its engine's version, or None.
        request_json: the requested options.
        checked: the mentions that passed the check.
    """

    document_id: str
    version: int
    engine: str
    engine_version: str | None
    request_json: str
    checked: CheckedMentions


@dataclass(frozen=True, kw_only=True, slots=True)
class EntityRun:
    """A stored run; see `NewEntityRun`."""

    run_id: int
    document_id: str
    version: int
    engine: str
    engine_version: str | None
    request_json: str
    found: int
    kept: int
    dropped: Mapping[str, int]
    at: str


class EntityRepository(Repository):
    """Entities observed in documents, and the decisions about them."""

    def add_run(self, new: NewEntityRun) -> EntityRun:
        """Store a run with its observations and evidence, in one transaction.

        Raises:
            UsageError: the document does not exist.
        """
        with self._write() as connection:
            now = self._now()
            known = select(documents.c.document_id).where(documents.c.document_id == new.document_id)
            if connection.scalar(known) is None:
                raise UsageError(f"there is no document {new.document_id!r} in this library")
            row = {
                "document_id": new.document_id,
                "version": new.version,
                "engine": new.engine,
                "engine_version": new.engine_version,
                "request_json": new.request_json,
                "found": new.checked.found,
                "kept": len(new.checked.kept),
                "dropped_json": json.dumps(dict(new.checked.dropped)),
                "at": now,
            }
            touch(connection, [new.document_id])
            (run_id,) = connection.execute(insert(entity_runs).returning(entity_runs.c.run_id), row).one()
            _insert_mentions(connection, new, run_id=run_id, now=now)
            return _run({**row, "run_id": run_id})

    def last_run(self, document_id: str, *, version: int) -> EntityRun | None:
        """The last run of a version, which is the one shown; None if entities were never extracted from it."""
        table = entity_runs
        query = select(table).where(table.c.document_id == document_id, table.c.version == version)
        with self._read() as connection:
            row = connection.execute(query.order_by(table.c.run_id.desc()).limit(1)).one_or_none()
        return _run(dict(row._mapping)) if row is not None else None

    def in_document(self, document_id: str) -> tuple[SeenEntity, ...]:
        """The entities in the active version of a document, by label and key; counted in this document alone, without decisions."""
        runs = (
            select(func.max(entity_runs.c.run_id))
            .join_from(entity_runs, documents, entity_runs.c.document_id == documents.c.document_id)
            .where(entity_runs.c.document_id == document_id, is_active(entity_runs.c.version))
        )
        with self._read() as connection:
            observations = _observations_in(connection, runs)
            wanted = select(entities).where(entities.c.entity_id.in_(observations))
            named = {row.entity_id: row for row in connection.execute(wanted)} if observations else {}
        found = [
            SeenEntity(
                entity_id=entity_id,
                label=named[entity_id].label,
                key=named[entity_id].key,
                documents=1,
                observations=tuple(mentions),
            )
            for entity_id, mentions in observations.items()
        ]
        return tuple(sorted(found, key=lambda entity: (entity.label, entity.key)))

    def seen(self, view: EntityScope) -> tuple[SeenEntity, ...]:
        """The entities in the active versions of the documents visible to the user, by label and key."""
        with self._read() as connection:
            counts = _documents_of_each(connection, view)
            observations = _observations_of_each(connection, view)
            decisions = _decisions_of_each(connection, view)
            named = {row.entity_id: row for row in connection.execute(select(entities))} if observations else {}
        found = [
            SeenEntity(
                entity_id=entity_id,
                label=named[entity_id].label,
                key=named[entity_id].key,
                documents=counts[entity_id],
                observations=tuple(mentions),
                decisions=tuple(decisions.get(entity_id, ())),
            )
            for entity_id, mentions in observations.items()
        ]
        return tuple(sorted(found, key=lambda entity: (entity.label, entity.key)))

    def decide(
        self,
        entity_id: str,
        *,
        action: str,
        reason: str,
        by: str,
        note: str = "",
        corpus_id: str | None = None,
        undoes: int | None = None,
    ) -> None:
        """Add a row to the decision log of an entity.

        Args:
            entity_id: the entity.
            action: `promote`, `demote` or `undo`.
            reason: `user` or `reuse`.
            by: the user who decided.
            note: why, in words.
            corpus_id: the decision applies in this corpus only; None: everywhere.
            undoes: the row that an undo reverts.
        """
        row = {
            "entity_id": entity_id,
            "corpus_id": corpus_id,
            "action": action,
            "reason": reason,
            "note": note,
            "made_by": by,
            "undoes": undoes,
        }
        with self._write() as connection:
            touch(connection, [LIBRARY])
            connection.execute(insert(entity_decisions), row | {"at": self._now()})


def entity_id_for(label: str, key: str) -> str:
    """The id of an entity, derived from label and key, so that it is the same in every library."""
    return hashlib.sha256(f"{label}\0{key}".encode()).hexdigest()[:32]


def forget_entities(connection: Connection, document_id: str, *, version: int | None = None) -> None:
    """Delete the observations of a document or of one of its versions, and entities without remaining observations."""
    mine = entity_runs.c.document_id == document_id
    if version is not None:
        mine = and_(mine, entity_runs.c.version == version)
    runs = list(connection.scalars(select(entity_runs.c.run_id).where(mine)))
    if not runs:
        return
    touched = list(
        connection.scalars(select(entity_edges.c.entity_id).where(entity_edges.c.run_id.in_(runs)).distinct())
    )
    for table in (entity_observations, entity_edges, entity_runs):
        connection.execute(delete(table).where(table.c.run_id.in_(runs)))
    still = exists().where(entity_edges.c.entity_id == entities.c.entity_id)
    for start in range(0, len(touched), 500):
        part = touched[start : start + 500]
        gone = list(connection.scalars(select(entities.c.entity_id).where(entities.c.entity_id.in_(part), ~still)))
        connection.execute(delete(entity_decisions).where(entity_decisions.c.entity_id.in_(gone)))
        connection.execute(delete(entities).where(entities.c.entity_id.in_(gone)))


def _insert_mentions(connection: Connection, new: NewEntityRun, *, run_id: int, now: str) -> None:
    known: dict[str, dict[str, Any]] = {}
    rows: list[dict[str, Any]] = []
    mentions: Counter[str] = Counter()
    for mention in new.checked.kept:
        seen = mention.observation
        entity_id = entity_id_for(seen.label, mention.key)
        mentions[entity_id] += 1
        name = {"entity_id": entity_id, "label": seen.label, "key": mention.key, "name": mention.value}
        known.setdefault(entity_id, name | {"created_at": now})
        rows.append(
            {
                "run_id": run_id,
                "entity_id": entity_id,
                "document_id": new.document_id,
                "label": seen.label,
                "text": seen.text,
                "text_start": seen.start,
                "text_end": seen.end,
                "confidence": seen.confidence,
                "normalized": mention.value,
            }
        )
    if not rows:
        return
    connection.execute(dialect.insert_if_absent(entities, database=connection.dialect.name), list(known.values()))
    connection.execute(insert(entity_observations), rows)
    edge = {"run_id": run_id, "kind": APPEARS_IN, "document_id": new.document_id, "version": new.version}
    connection.execute(
        insert(entity_edges), [edge | {"entity_id": key, "mentions": count} for key, count in mentions.items()]
    )


def _visible(view: EntityScope) -> ColumnElement[bool]:
    """The documents visible to the user; the same rule as for a search."""
    instance = document_source_instances
    way_in = instance.c.document_id == documents.c.document_id
    if view.corpus_id is not None:
        member = document_corpus_memberships
        return and_(
            exists().where(member.c.document_id == documents.c.document_id, member.c.corpus_id == view.corpus_id),
            exists().where(
                way_in, instance.c.corpus_id == view.corpus_id, instance.c.policy_context_json == view.policy
            ),
        )
    open_way = exists().where(way_in, instance.c.policy_context_json.not_like('%"visibility":"firewalled"%'))
    return or_(open_way, documents.c.document_id == view.document_id) if view.document_id else open_way


def _shown_runs(view: EntityScope) -> Select[tuple[int]]:
    """The last run of the active version of each visible document."""
    return (
        select(func.max(entity_runs.c.run_id))
        .join_from(entity_runs, documents, entity_runs.c.document_id == documents.c.document_id)
        .where(
            is_active(entity_runs.c.version),
            _visible(view),
        )
        .group_by(entity_runs.c.document_id)
    )


def _documents_of_each(connection: Connection, view: EntityScope) -> dict[str, int]:
    table = entity_edges
    query = (
        select(table.c.entity_id, func.count().label("documents"))
        .where(table.c.run_id.in_(_shown_runs(view)))
        .group_by(table.c.entity_id)
    )
    return {row.entity_id: int(row.documents) for row in connection.execute(query)}


def _observations_of_each(connection: Connection, view: EntityScope) -> dict[str, list[StoredObservation]]:
    return _observations_in(connection, _shown_runs(view), document_id=view.document_id)


def _observations_in(
    connection: Connection, runs: Select[tuple[int]], *, document_id: str | None = None
) -> dict[str, list[StoredObservation]]:
    table = entity_observations
    query = (
        select(table, entity_runs.c.version)
        .join_from(table, entity_runs, table.c.run_id == entity_runs.c.run_id)
        .where(table.c.run_id.in_(runs))
        .order_by(table.c.document_id, table.c.text_start, table.c.text_end)
    )
    if document_id is not None:
        query = query.where(table.c.document_id == document_id)
    found: dict[str, list[StoredObservation]] = {}
    for row in connection.execute(query):
        found.setdefault(row.entity_id, []).append(
            StoredObservation(
                document_id=row.document_id,
                version=row.version,
                start=row.text_start,
                end=row.text_end,
                text=row.text,
                confidence=row.confidence,
                normalized=row.normalized,
            )
        )
    return found


def _decisions_of_each(connection: Connection, view: EntityScope) -> dict[str, list[Decision]]:
    table = entity_decisions
    holds: ColumnElement[bool] = table.c.corpus_id.is_(None)
    if view.corpus_id is not None:
        holds = or_(holds, table.c.corpus_id == view.corpus_id)
    found: dict[str, list[Decision]] = {}
    for row in connection.execute(select(table).where(holds).order_by(table.c.decision_id)):
        # The owner's decisions apply in every corpus; their note and author are visible to the owner alone (STO-5).
        is_own = row.corpus_id == view.corpus_id
        found.setdefault(row.entity_id, []).append(
            Decision(
                number=row.decision_id,
                action=row.action,
                reason=row.reason,
                by=row.made_by if is_own else "the library's owner",
                note=row.note if is_own else "",
                at=row.at,
                undoes=row.undoes,
            )
        )
    return found


def _run(row: Mapping[str, Any]) -> EntityRun:
    fields = dict(row)
    return EntityRun(dropped=json.loads(fields.pop("dropped_json")), **fields)
