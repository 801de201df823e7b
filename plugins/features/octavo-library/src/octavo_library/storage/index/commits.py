"""The writes that end a job: everything that is true from that moment on, in one transaction (ENG-4, STO-8)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from octavo_contracts import HardFailReason, IngestionState, UsageError
from octavo_contracts.refs import store_ref
from sqlalchemy import Connection, and_, case, func, insert
from sqlalchemy.dialects import postgresql, sqlite

from ..files import layout
from . import attachments, dialect, versions
from . import provenance as sightings
from .instance_ids import document_id_for
from .jobs import JobQueue
from .records import ConversionFacts, DocumentFacts, FinishedConversion, Job, ReuseCounts, ReuseEvent, Sighting, Step
from .schema import content_hashes, conversions, documents
from .touched import touch

_INSERT_HASHES = insert(content_hashes)
_INSERT_CONVERSIONS = insert(conversions)
_SUCCESS = frozenset({IngestionState.COMPLETE, IngestionState.DEGRADED_COMPLETE})


class JobRepository(JobQueue):
    """The part of the index that takes in what jobs found out."""

    def finish_conversion(
        self,
        job: Job,
        *steps: IngestionState | Step,
        document: DocumentFacts,
        conversion: ConversionFacts,
        sighting: Sighting | None = None,
    ) -> Job:
        """End a job whose version folder is stored: document, conversion, sighting and transitions at once.

        Args:
            job: as it was last read.
            steps: the rest of its way, up to `complete` or `degraded_complete`.
            document: what was found out about the document.
            conversion: the version; its folder must be there already, so that no row is ever without its files.
            sighting: where and how the document came in; None for a reconversion.

        Returns:
            The final job.

        Raises:
            IllegalTransition: as `advance`.
            UsageError: the version is recorded already, or the sighting's corpus does not exist.
            ValueError: the steps do not end in `complete` or `degraded_complete`, or the hash is not the job's.
        """
        end = _end_of(steps)
        if end not in _SUCCESS:
            raise ValueError(f"a finished conversion ends in complete or degraded_complete, not in {end}")
        _check_hash(job, document)
        document_id = document_id_for(document.raw_hash)
        with self._write() as connection:
            now = self._now()
            _upsert_document(connection, document, status=end, reason=None, now=now)
            _insert_conversion(connection, document, conversion, job_id=job.job_id, now=now)
            finished = self._move(connection, job, steps, values={"document_id": document_id})
            if conversion.activate:
                by = sighting.added_by if sighting else "system"
                versions.activate_in(connection, document_id, conversion.version, by=by, now=now)
            sightings.record(connection, _seen(job, document, sighting, outcome="new"), now=now)
            attachments.spread(connection, [document_id], now=now)
            return finished

    def finish_conversions(self, finished: Sequence[FinishedConversion]) -> list[Job]:
        """As `finish_conversion` for many jobs at once, by one statement a table: all of them, or none.

        Raises:
            IllegalTransition: for one of them; end them one by one to learn which.
            IntegrityError: a version is recorded already, or a corpus does not exist; likewise.
            ValueError: as `finish_conversion`.
        """
        for one in finished:
            if _end_of(one.steps) not in _SUCCESS:
                raise ValueError("a finished conversion ends in complete or degraded_complete")
            _check_hash(one.job, one.document)
        with self._write() as connection:
            now = self._now()
            rows = [_document_row(one.document, status=_end_of(one.steps), reason=None, now=now) for one in finished]
            dialect.execute_many(connection, _upsert(connection.dialect.name), rows)
            dialect.execute_many(
                connection,
                _INSERT_CONVERSIONS,
                [_conversion_row(one.document, one.conversion, job_id=one.job.job_id, now=now) for one in finished],
            )
            hashes = [row for one in finished for row in _hash_rows(one.document, one.conversion.version)]
            if hashes:
                dialect.execute_many(connection, _INSERT_HASHES, hashes)
            ids = [document_id_for(one.document.raw_hash) for one in finished]
            touch(connection, ids)
            moves = [
                (one.job, one.steps, {"document_id": document_id})
                for one, document_id in zip(finished, ids, strict=True)
            ]
            ended = self._move_many(connection, moves)
            active = [
                (document_id, one.conversion.version, one.sighting.added_by if one.sighting else "system")
                for one, document_id in zip(finished, ids, strict=True)
                if one.conversion.activate
            ]
            versions.activate_many_in(connection, active, now=now)
            seen = [event for one in finished for event in _seen(one.job, one.document, one.sighting, outcome="new")]
            sightings.record(connection, seen, now=now)
            attachments.spread(connection, ids, now=now)
            return ended

    def finish_failure(
        self,
        job: Job,
        *steps: IngestionState | Step,
        reason: HardFailReason,
        result_json: str | None = None,
        document: DocumentFacts | None = None,
        sighting: Sighting | None = None,
    ) -> Job:
        """End a job that hard-failed: reason, result, sighting and transitions at once.

        A document that has an active version keeps its status: a failed reconversion takes nothing away.

        Args:
            job: as it was last read.
            steps: the rest of its way; `hard_failed` is added where it is not the last.
            reason: why.
            result_json: the `IngestionResult` to give again when the same bytes come again.
            document: what is known of the document; None where its bytes could not be read.
            sighting: where and how it came in; None for a reconversion.

        Returns:
            The final job.

        Raises:
            IllegalTransition: as `advance`.
            UsageError: the sighting's corpus does not exist.
            ValueError: the document's hash is not the job's.
        """
        if not steps or _end_of(steps) is not IngestionState.HARD_FAILED:
            steps = (*steps, Step(state=IngestionState.HARD_FAILED, outcome="failed", error=reason.value))
        values: dict[str, Any] = {"reason": reason, "result_json": result_json}
        with self._write() as connection:
            now = self._now()
            if document is not None:
                _check_hash(job, document)
                _upsert_document(connection, document, status=IngestionState.HARD_FAILED, reason=reason, now=now)
                values["document_id"] = document_id_for(document.raw_hash)
            sightings.record(connection, _seen(job, document, sighting, outcome="failed"), now=now)
            if document is not None:
                attachments.spread(connection, [document_id_for(document.raw_hash)], now=now)
            return self._move(connection, job, steps, values=values)

    def record_reuse(self, events: Sequence[ReuseEvent]) -> ReuseCounts:
        """Record that known documents came again, thousands in one transaction (ENG-18, STO-10).

        Every event is logged; a path, membership or instance is added only where it is new.

        Returns:
            How many of each were new.

        Raises:
            UsageError: an event names a corpus that does not exist.
        """
        seen = [
            sightings.Seen(document_id=event.document_id, sighting=event.sighting, outcome=event.outcome)
            for event in events
        ]
        with self._write() as connection:
            return sightings.record(connection, seen, now=self._now())


def _end_of(steps: Sequence[IngestionState | Step]) -> IngestionState | None:
    if not steps:
        return None
    last = steps[-1]
    return last.state if isinstance(last, Step) else last


def _check_hash(job: Job, document: DocumentFacts) -> None:
    layout.checked_hash(document.raw_hash)
    if job.raw_hash != document.raw_hash:
        raise ValueError(f"job {job.job_id} is about {job.raw_hash}, not about {document.raw_hash}")


def _seen(job: Job, document: DocumentFacts | None, sighting: Sighting | None, *, outcome: str) -> list[sightings.Seen]:
    if sighting is None:
        return []
    document_id = document_id_for(document.raw_hash) if document else None
    return [
        sightings.Seen(
            document_id=document_id, sighting=sighting, outcome=outcome, job_id=job.job_id, run_id=job.run_id
        )
    ]


_OF_DOCUMENT = (
    "normalized_binary_hash",
    "title",
    "document_type",
    "file_size",
    "mime_type",
    "classification_json",
    "original_ref",
)
_OF_VERSION = ("ingestion_status", "hard_fail_reason", "normalized_text_hash")


@cache
def _upsert(database: str) -> sqlite.Insert | postgresql.Insert:
    statement = dialect.insert_into(documents, database=database)
    old, new = documents.c, statement.excluded
    has_active = old.active_conversion_version.is_not(None)
    # A conversion that failed knows next to nothing of a document that another one has read.
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
        **{name: getattr(facts, name) for name in _OF_DOCUMENT},
    }


def _upsert_document(
    connection: Connection, facts: DocumentFacts, *, status: IngestionState, reason: HardFailReason | None, now: str
) -> None:
    """Write what is known; what is None keeps its old value.

    Status, reason and text hash are the active version's where there is one: then they change by activation only.
    """
    row = _document_row(facts, status=status, reason=reason, now=now)
    touch(connection, [row["document_id"]])
    connection.execute(_upsert(connection.dialect.name), row)


def _insert_conversion(
    connection: Connection, document: DocumentFacts, conversion: ConversionFacts, *, job_id: str, now: str
) -> None:
    row = _conversion_row(document, conversion, job_id=job_id, now=now)
    made = connection.execute(dialect.insert_if_absent(conversions, database=connection.dialect.name), row)
    if made.rowcount != 1:
        raise UsageError(f"version {conversion.version} of document {row['document_id']} is recorded already")
    if hashes := _hash_rows(document, conversion.version):
        dialect.execute_many(connection, _INSERT_HASHES, hashes)


def _conversion_row(document: DocumentFacts, conversion: ConversionFacts, *, job_id: str, now: str) -> dict[str, Any]:
    return {
        "document_id": document_id_for(document.raw_hash),
        "version": conversion.version,
        "job_id": job_id,
        "tool": conversion.tool,
        "tool_version": conversion.tool_version,
        "config_json": conversion.config_json,
        "quality_score": conversion.quality_score,
        "status": conversion.status,
        "flags_json": json.dumps(conversion.flags),
        "normalized_text_hash": document.normalized_text_hash,
        "artifact_ref": store_ref(layout.version_folder(document.raw_hash, conversion.version)),
        "created_at": now,
    }


def _hash_rows(document: DocumentFacts, version: int) -> list[dict[str, Any]]:
    document_id = document_id_for(document.raw_hash)
    return [
        {"document_id": document_id, "version": version, "kind": kind, "position": position, "hash": value}
        for kind, values in (("page", document.page_hashes), ("chunk", document.chunk_hashes))
        for position, value in enumerate(values, start=1)
    ]
