"""Runs: their request and end, and the outcomes of their sources, read from the log (ENG-15 to ENG-17)."""

from __future__ import annotations

import json
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from octavo_contracts import HardFailReason, IngestionState, Intent, UsageError
from sqlalchemy import Connection, Row, func, insert, literal, or_, select, update

from .repository import Repository
from .run_records import INTERRUPTED, NewRun, RunCounts, RunEnd, RunRecord, StepCount, UnfinishedSource
from .schema import conversions, documents, ingest_events, jobs, runs, transitions

_LAST = "last"
_FAILED = ("failed", "reused_failure")
_STATE = func.coalesce(jobs.c.state, documents.c.ingestion_status)
_REASON = func.coalesce(jobs.c.reason, documents.c.hard_fail_reason)


class RunRepository(Repository):
    """Runs and their outcomes."""

    def start(self, new: NewRun, *, owner: str, run_id: str | None = None) -> str:
        """Record the start of a run; returns its id.

        Args:
            new: the run.
            owner: the owner that works on it, as `ArtifactStore.owner`.
            run_id: a unique id; by default a new one.
        """
        row = {
            "run_id": run_id or uuid.uuid4().hex,
            "owner": owner,
            "started_at": self._now(),
            "corpus_id": new.corpus_id,
            "surface": new.surface,
            "sources_json": json.dumps(new.sources, ensure_ascii=True),  # preserves names that are not UTF-8
            "options_json": json.dumps(dict(new.options), ensure_ascii=True),
            "engine_set": new.engine_set,
            "retry_of": new.retry_of,
            "workers": new.workers,
            "total": new.total,
            "not_attempted": 0,
            "commit_policy": new.commit_policy,
        }
        with self._write() as connection:
            connection.execute(insert(runs), row)
        return str(row["run_id"])

    def set_commit_policy(self, run_id: str, commit_policy: str) -> None:
        """Record how often a run commits results from now on, in words."""
        with self._write() as connection:
            connection.execute(update(runs).where(runs.c.run_id == run_id).values(commit_policy=commit_policy))

    def end(
        self, run_id: str, ended: RunEnd, *, total: int, not_attempted: int = 0, bottleneck: str | None = None
    ) -> None:
        """Record the end of a run; only the first end counts.

        Args:
            run_id: the run.
            ended: how it ended.
            total: number of its sources, those not attempted included.
            not_attempted: number of sources that were not attempted.
            bottleneck: the step that documents waited for most.
        """
        values = {"total": total, "not_attempted": not_attempted, "bottleneck": bottleneck}
        with self._write() as connection:
            here = update(runs).where(runs.c.run_id == run_id, runs.c.ended.is_(None))
            connection.execute(here.values(ended=ended, ended_at=self._now(), **values))

    def get(self, run_id: str) -> RunRecord:
        """A run.

        Raises:
            UsageError: the run does not exist.
        """
        with self._read() as connection:
            row = connection.execute(select(runs).where(runs.c.run_id == run_id)).one_or_none()
        if row is None:
            raise UsageError(f"there is no run {run_id!r} in this library", remedy="See `octavo runs`")
        return _record(row)

    def all(self, *, limit: int = 20) -> tuple[RunRecord, ...]:
        """Runs, newest first."""
        query = select(runs).order_by(runs.c.started_at.desc(), runs.c.run_id).limit(limit)
        with self._read() as connection:
            return tuple(_record(row) for row in connection.execute(query))

    def resolve(self, ref: str) -> str:
        """Resolve a user's reference to a run: its id, four or more of its first digits, or "last".

        Raises:
            UsageError: no run or more than one matches.
        """
        query = select(runs.c.run_id).order_by(runs.c.started_at.desc(), runs.c.run_id)
        if ref != _LAST:
            # A range: digits are compared, and nothing in the text is interpreted as a pattern.
            query = query.where(runs.c.run_id >= ref, runs.c.run_id < ref + "g")
        with self._read() as connection:
            found = connection.scalars(query.limit(1 if ref == _LAST else 2)).all()
        if len(found) == 1 and (ref == _LAST or len(ref) >= 4):
            return str(found[0])
        if found:
            raise UsageError(f"run id {ref!r} is ambiguous or too short", remedy="Give more digits, at least four")
        raise UsageError(f"there is no run {ref!r} in this library", remedy="See `octavo runs`")

    def counts(self, run_ids: Sequence[str]) -> dict[str, RunCounts]:
        """Outcomes of the sources of some runs; purged documents are no longer counted."""
        event = ingest_events
        query = (
            select(event.c.run_id, event.c.outcome, _STATE, _REASON, func.count())
            .select_from(_events_with_verdict())
            .where(event.c.run_id.in_(run_ids))
            .group_by(event.c.run_id, event.c.outcome, _STATE, _REASON)
        )
        found: dict[str, Counter[str]] = defaultdict(Counter)
        failures: dict[str, Counter[HardFailReason]] = defaultdict(Counter)
        with self._read() as connection:
            for run_id, outcome, state, reason, count in connection.execute(query):
                name = "failed" if outcome in _FAILED else _NAMES[IngestionState(state)]
                found[run_id][name] += count
                found[run_id]["reused"] += count if outcome.startswith("reused") else 0
                if name == "failed" and reason is not None:
                    failures[run_id][HardFailReason(reason)] += count
        return {run_id: RunCounts(**found[run_id], failures=dict(failures[run_id])) for run_id in run_ids}

    def steps(self, run_id: str) -> tuple[StepCount, ...]:
        """How often the jobs of a run entered each state, in the order of the states (ENG-16)."""
        log = transitions.c
        query = (
            select(log.to_state, func.count(), func.sum(log.skipped), func.min(log.at), func.max(log.at))
            .join_from(transitions, jobs, log.job_id == jobs.c.job_id)
            .where(jobs.c.run_id == run_id)
            .group_by(log.to_state)
        )
        with self._read() as connection:
            rows = {IngestionState(state): rest for state, *rest in connection.execute(query)}
        return tuple(
            StepCount(state=state, entered=rest[0], skipped=int(rest[1]), first_at=rest[2], last_at=rest[3])
            for state in IngestionState
            if (rest := rows.get(state)) is not None
        )

    def moments(self, run_id: str) -> tuple[str, ...]:
        """Completion times of a run's sources, oldest first."""
        query = select(ingest_events.c.at).where(ingest_events.c.run_id == run_id).order_by(ingest_events.c.event_id)
        with self._read() as connection:
            return tuple(connection.scalars(query))

    def costs(self, run_id: str) -> tuple[float, ...]:
        """The cost of each finished job of a run, in the unit of its steps; 0 if no step reported a cost."""
        query = (
            select(jobs.c.job_id, transitions.c.details_json)
            .join_from(jobs, transitions, jobs.c.job_id == transitions.c.job_id)
            .where(jobs.c.run_id == run_id, jobs.c.open_key.is_(None))
        )
        costs: dict[str, float] = defaultdict(float)
        with self._read() as connection:
            for job_id, details in connection.execute(query):
                costs[job_id] += json.loads(details).get("cost") or 0.0
        return tuple(costs.values())

    def open_cases(self, run_id: str) -> tuple[UnfinishedSource, ...]:
        """The sources of a run that are still not converted: failed, waiting or interrupted; one per hash or path."""
        with self._read() as connection:
            cases = [*_failed(connection, run_id), *_unfinished(connection, run_id)]
        once = {case.raw_hash or case.path: case for case in reversed(cases)}
        return tuple(reversed(once.values()))

    def in_work(self, run_id: str) -> dict[str, int]:
        """Owner → number of unfinished jobs of a run that it has."""
        query = select(jobs.c.owner, func.count()).where(
            jobs.c.run_id == run_id, jobs.c.open_key.is_not(None), jobs.c.owner.is_not(None)
        )
        with self._read() as connection:
            return {str(owner): int(number) for owner, number in connection.execute(query.group_by(jobs.c.owner))}

    def failed_reconversions(self, run_id: str) -> tuple[UnfinishedSource, ...]:
        """Known documents whose reconversion in a run failed, waits or was interrupted, without a newer version.

        Their existing versions are unchanged.
        """
        later = (
            select(literal(1))
            .where(conversions.c.document_id == documents.c.document_id, conversions.c.created_at >= jobs.c.updated_at)
            .correlate(documents, jobs)
            .exists()
        )
        query = (
            select(
                documents.c.document_id,
                documents.c.content_hash,
                documents.c.original_ref,
                jobs.c.request_json,
                jobs.c.reason,
                jobs.c.waiting_reason,
            )
            .join_from(jobs, documents, documents.c.content_hash == jobs.c.raw_hash)
            .where(jobs.c.run_id == run_id, jobs.c.intent == Intent.RECONVERT, jobs.c.owner.is_(None), ~later)
            .where(or_(jobs.c.open_key.is_not(None), jobs.c.state == IngestionState.HARD_FAILED))
            .order_by(jobs.c.created_at, jobs.c.job_id)
        )
        with self._read() as connection:
            rows = connection.execute(query).all()
        return tuple(
            UnfinishedSource(
                path=json.loads(row.request_json or "{}").get("path")
                or row.original_ref
                or f"sha256:{row.content_hash}",
                document_id=row.document_id,
                raw_hash=row.content_hash,
                reason=row.reason or row.waiting_reason or INTERRUPTED,
            )
            for row in rows
        )


_NAMES = {
    IngestionState.COMPLETE: "complete",
    IngestionState.DEGRADED_COMPLETE: "degraded",
    IngestionState.HARD_FAILED: "failed",
}


def _events_with_verdict() -> Any:
    """Events joined with the job that they ended, or for known documents with the document."""
    event = ingest_events.c
    return ingest_events.outerjoin(jobs, jobs.c.job_id == event.job_id).outerjoin(
        documents, documents.c.document_id == event.document_id
    )


def _failed(connection: Connection, run_id: str) -> Iterator[UnfinishedSource]:
    event = ingest_events.c
    query = (
        select(event.path, event.document_id, documents.c.content_hash, _REASON)
        .select_from(_events_with_verdict())
        .where(event.run_id == run_id, event.outcome.in_(_FAILED), documents.c.active_conversion_version.is_(None))
        .where(event.path.is_not(None))
        .order_by(event.event_id)
    )
    for path, document_id, raw_hash, reason in connection.execute(query):
        yield UnfinishedSource(path=path, document_id=document_id, raw_hash=raw_hash, reason=reason)


def _unfinished(connection: Connection, run_id: str) -> Iterator[UnfinishedSource]:
    """Jobs that wait or were interrupted. Jobs with an owner are running."""
    query = (
        select(jobs.c.request_json, jobs.c.document_id, jobs.c.raw_hash, jobs.c.waiting_reason)
        .where(jobs.c.run_id == run_id, jobs.c.open_key.is_not(None), jobs.c.owner.is_(None))
        .where(jobs.c.intent == Intent.INGEST)
        .order_by(jobs.c.created_at, jobs.c.job_id)
    )
    for request, document_id, raw_hash, waiting in connection.execute(query):
        path = json.loads(request or "{}").get("path")
        if path is None:
            continue
        yield UnfinishedSource(path=path, document_id=document_id, raw_hash=raw_hash, reason=waiting or INTERRUPTED)


def _record(row: Row[*tuple[Any, ...]]) -> RunRecord:
    fields = dict(row._mapping)
    sources, options = fields.pop("sources_json"), fields.pop("options_json")
    return RunRecord(**fields, sources=tuple(json.loads(sources)), options=json.loads(options))
