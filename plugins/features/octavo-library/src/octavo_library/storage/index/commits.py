"""Ends jobs: one transaction writes everything that a job's end changes (ENG-4, STO-8)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from octavo_contracts import HardFailReason, IngestionState, UsageError
from octavo_contracts.refs import store_ref
from sqlalchemy import Connection, and_, case, func, select

from ..files import layout
from . import (
    attachments,
    comparisons,
    corpora,
    declarations,
    dialect,
    inspections,
    original_paths,
    provenance,
    purges,
    versions,
)
from .completed_job import CompletedJob
from .instance_ids import document_id_for
from .jobs import JobQueue
from .provenance import ReuseCounts
from .records import DocumentFacts, Job, ReuseEvent, Step
from .schema import content_hashes, conversions, documents
from .touched import touch

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

_SUCCESS = frozenset({IngestionState.COMPLETE, IngestionState.DEGRADED_COMPLETE})


class JobRepository(JobQueue):
    """The jobs of the index, and the writes that end them."""

    def complete(self, completed: Sequence[CompletedJob]) -> list[Job]:
        """End jobs: write documents, versions, failures, provenance and transitions, by one statement per table.

        All jobs end, or none: if this raises, end them one by one to learn which of them cannot be ended. A document
        with an active version keeps its status when a job about it fails.

        Args:
            completed: the ended jobs; no two of them about the same document.

        Returns:
            The final jobs, in order.

        Raises:
            IllegalTransition: the table does not allow a step, or another process moved or claimed a job.
            UsageError: a version is already recorded, or the corpus of a provenance record does not exist.
            ValueError: a completed job is invalid, or its document has another hash than the job.
        """
        moves = [_move_of(one) for one in completed]
        with self._write() as connection:
            now = self._now()
            locked = _not_opened_yet(connection, completed)
            _write_documents(connection, completed, now=now)
            _write_extras(connection, completed, now=now)
            ended = self._move_many(connection, moves)
            active = [
                (_id_of(one), one.conversion.version, one.sighting.added_by if one.sighting else "system")
                for one in completed
                if one.conversion is not None and one.conversion.activate
            ]
            versions.activate_many_in(connection, active, now=now)
            provenance.record(connection, [seen for one in completed for seen in _seen(one)], now=now)
            attachments.spread(connection, [_id_of(one) for one in completed if one.document is not None], now=now)
            for one in locked:
                assert one.opened_by is not None  # checked by `_not_opened_yet`
                original_paths.withdraw_ways_in(connection, _id_of(one), but=one.opened_by)
            return ended

    def record_reuse(self, events: Sequence[ReuseEvent]) -> ReuseCounts:
        """Record repeated ingests of known documents, thousands in one transaction (ENG-18, STO-10).

        Every event is logged; a path, membership or source instance is added only if it is new.

        Returns:
            How many of each were new.

        Raises:
            UsageError: an event names a corpus that does not exist.
        """
        seen = [
            provenance.Seen(document_id=event.document_id, sighting=event.sighting, outcome=event.outcome)
            for event in events
        ]
        with self._write() as connection:
            return provenance.record(connection, seen, now=self._now())


def _move_of(one: CompletedJob) -> tuple[Job, Sequence[IngestionState | Step], dict[str, Any]]:
    """The job, its remaining steps and the columns to set.

    Raises:
        ValueError: as `JobRepository.complete`.
    """
    steps, end = one.steps, _end_of(one.steps)
    values: dict[str, Any] = {}
    if one.document is not None:
        layout.checked_hash(one.document.raw_hash)
        if one.job.raw_hash != one.document.raw_hash:
            raise ValueError(f"job {one.job.job_id} is about {one.job.raw_hash}, not about {one.document.raw_hash}")
        values["document_id"] = _id_of(one)
    if one.failure is not None:
        values |= {"reason": one.failure.reason, "result_json": one.failure.result_json}
        if end is not IngestionState.HARD_FAILED:
            error = one.failure.reason.value
            steps = (*steps, Step(state=IngestionState.HARD_FAILED, outcome="failed", error=error))
    elif one.conversion is None or one.document is None or end not in _SUCCESS:
        raise ValueError(f"a job with a version ends in complete or degraded_complete, not in {end}")
    return one.job, steps, values


def _end_of(steps: Sequence[IngestionState | Step]) -> IngestionState | None:
    if not steps:
        return None
    last = steps[-1]
    return last.state if isinstance(last, Step) else last


def _id_of(one: CompletedJob) -> str:
    assert one.document is not None  # checked by the caller
    return document_id_for(one.document.raw_hash)


def _seen(one: CompletedJob) -> list[provenance.Seen]:
    if one.sighting is None:
        return []
    return [
        provenance.Seen(
            document_id=_id_of(one) if one.document is not None else None,
            sighting=one.sighting,
            outcome="failed" if one.failure is not None else "new",
            job_id=one.job.job_id,
            run_id=one.job.run_id,
        )
    ]


def _not_opened_yet(connection: Connection, completed: Sequence[CompletedJob]) -> list[CompletedJob]:
    """The jobs whose document was just opened with a password, and has no active version yet."""
    has_active = select(documents.c.document_id).where(documents.c.active_conversion_version.is_not(None))
    return [
        one
        for one in completed
        if one.opened_by is not None
        and connection.scalar(has_active.where(documents.c.document_id == _id_of(one))) is None
    ]


def _write_documents(connection: Connection, completed: Sequence[CompletedJob], *, now: str) -> None:
    """Write the facts of the documents and their versions; a fact that is None keeps its stored value.

    A document with an active version has that version's status, reason, text hash and title; they change by activation
    only.

    Raises:
        UsageError: a version is already recorded.
    """
    rows = [
        _document_row(
            one.document,
            status=IngestionState.HARD_FAILED if one.failure is not None else _end_of(one.steps),
            reason=one.failure.reason if one.failure is not None else None,
            now=now,
        )
        for one in completed
        if one.document is not None
    ]
    if not rows:
        return
    touch(connection, [row["document_id"] for row in rows])
    dialect.execute_many(connection, _upsert(connection.dialect.name), rows)
    seen = {_id_of(one): one.document.inspection for one in completed if one.document is not None}
    if inspected := {document_id: one for document_id, one in seen.items() if one is not None}:
        inspections.store_in(connection, inspected)
    made = [one for one in completed if one.conversion is not None]
    if made:
        rows = [_conversion_row(one, now=now) for one in made]
        statement = _insert_conversions(connection.dialect.name)
        if dialect.execute_many(connection, statement, rows).rowcount != len(rows):
            shown = [f"version {row['version']} of document {row['document_id']}" for row in rows]
            raise UsageError(f"{shown[0] if len(shown) == 1 else 'one of these versions'} is recorded already")
    if hashes := [row for one in made for row in _hash_rows(one)]:
        dialect.execute_many(connection, _insert_hashes(connection.dialect.name), hashes)


def _write_extras(connection: Connection, completed: Sequence[CompletedJob], *, now: str) -> None:
    """Write the optional parts: OCR pages, comparisons, attachments, and the plugin chosen by the user."""
    if pages := [(_id_of(one), page) for one in completed for page in one.ocr_pages]:
        purges.note_ocr_pages(connection, pages)
    if inside := {_id_of(one): one.attachments for one in completed if one.attachments}:
        attachments.record_in(connection, inside, now=now)
    for one in completed:
        if one.metadata is not None and one.sighting is not None and one.document is not None:
            declared = {_id_of(one): (one.metadata, one.sighting.policy)}
            declarations.complete_in(connection, declared, by=one.sighting.added_by, now=now)
        if one.comparison is not None:
            comparisons.record_in(connection, one.comparison, now=now)
        if one.plugin is not None:
            corpora.replace_override(
                connection, one.plugin, document_id=_id_of(one), corpus_id=None, by="user", now=now
            )


_OF_DOCUMENT = (
    "normalized_binary_hash",
    "document_type",
    "file_size",
    "mime_type",
    "classification_json",
    "original_ref",
)
_MADE_BY_JOB = (
    "tool",
    "tool_version",
    "config_json",
    "quality_score",
    "status",
    "flags_json",
    "normalized_text_hash",
    "artifact_ref",
    "created_at",
    "title",
)
_OF_VERSION = ("ingestion_status", "hard_fail_reason", "normalized_text_hash", "title")


@cache
def _insert_conversions(database: str) -> sqlite.Insert | postgresql.Insert:
    """Insert versions. The row that a repair made for a version of this job while the job ran is replaced."""
    statement = dialect.insert_into(conversions, database=database)
    new = statement.excluded
    return statement.on_conflict_do_update(
        index_elements=["document_id", "version"],
        set_={name: new[name] for name in _MADE_BY_JOB},
        where=conversions.c.job_id == new.job_id,
    )


@cache
def _insert_hashes(database: str) -> sqlite.Insert | postgresql.Insert:
    """Insert hashes of new versions; an adopted version has some of the same ones."""
    return dialect.insert_if_absent(content_hashes, database=database)


@cache
def _upsert(database: str) -> sqlite.Insert | postgresql.Insert:
    statement = dialect.insert_into(documents, database=database)
    old, new = documents.c, statement.excluded
    has_active = old.active_conversion_version.is_not(None)
    # A failed conversion knows next to nothing about a document that an earlier conversion has read.
    failed_again = and_(has_active, new.hard_fail_reason.is_not(None))
    changed: dict[str, Any] = {
        name: case((failed_again, old[name]), else_=func.coalesce(new[name], old[name])) for name in _OF_DOCUMENT
    }
    changed |= {name: case((has_active, old[name]), else_=new[name]) for name in _OF_VERSION}
    changed["last_reingested_at"] = new.first_ingested_at
    return statement.on_conflict_do_update(index_elements=["document_id"], set_=changed)


def _document_row(
    facts: DocumentFacts, *, status: IngestionState | None, reason: HardFailReason | None, now: str
) -> dict[str, Any]:
    return {
        "document_id": document_id_for(facts.raw_hash),
        "content_hash": facts.raw_hash,
        "first_ingested_at": now,
        "processing_log_ref": store_ref(layout.log_file(facts.raw_hash)),
        "ingestion_status": status,
        "hard_fail_reason": reason,
        "normalized_text_hash": facts.normalized_text_hash,
        "title": facts.title,
        **{name: getattr(facts, name) for name in _OF_DOCUMENT},
    }


def _conversion_row(one: CompletedJob, *, now: str) -> dict[str, Any]:
    document, conversion = one.document, one.conversion
    assert document is not None  # checked by `_move_of`
    assert conversion is not None  # checked by the caller
    return {
        "document_id": document_id_for(document.raw_hash),
        "version": conversion.version,
        "job_id": one.job.job_id,
        "tool": conversion.tool,
        "tool_version": conversion.tool_version,
        "config_json": conversion.config_json,
        "quality_score": conversion.quality_score,
        "status": conversion.status,
        "flags_json": json.dumps(conversion.flags),
        "normalized_text_hash": document.normalized_text_hash,
        "artifact_ref": store_ref(layout.version_folder(document.raw_hash, conversion.version)),
        "created_at": now,
        "title": document.title or "",
    }


def _hash_rows(one: CompletedJob) -> list[dict[str, Any]]:
    document, conversion = one.document, one.conversion
    assert document is not None  # checked by `_move_of`
    assert conversion is not None  # checked by the caller
    document_id = document_id_for(document.raw_hash)
    return [
        {"document_id": document_id, "version": conversion.version, "kind": kind, "position": position, "hash": value}
        for kind, values in (("page", document.page_hashes), ("chunk", document.chunk_hashes))
        for position, value in enumerate(values, start=1)
    ]
