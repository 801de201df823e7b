"""The queue of documents that wait for a worker, in the table of jobs (ENG-3, ENG-6).

A queued job has no owner and the waiting reason `queued`. Workers on any machine take jobs in the order in which they
came; on a server, several workers take different jobs without waiting for each other.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from octavo_contracts import TERMINAL_STATES, IngestionState
from sqlalchemy import ColumnElement, Connection, and_, case, exists, func, literal_column, or_, select, update

from . import dialect, job_rows
from .records import Job, Step
from .repository import Repository
from .schema import conversions, hosts, jobs, transitions

QUEUED = "queued"
"""Waiting reason of a job that any worker may take."""


NOT_BEGUN = "not_begun"
"""Outcome of the step of a job that a worker could not begin: its bytes, plugin or profile are not on that machine."""

_FIRST_CLAIM = 2
"""Claims of a job that was queued when it was started, and taken once: each change of hands adds one."""


_UNDISTURBED_CLAIMS = 2
"""Most claims of a job that one process only had: it is queued or started, and taken."""


@dataclass(frozen=True, kw_only=True, slots=True)
class QueueCounts:
    """The state of the queue.

    Attributes:
        queued: jobs that no worker has taken.
        taken: unfinished jobs that a process owns.
    """

    queued: int
    taken: int


@dataclass(frozen=True, kw_only=True, slots=True)
class EndedCounts:
    """How the jobs of the queue ended in some time.

    Attributes:
        complete: converted without findings.
        degraded: converted with findings.
        failed: not converted.
    """

    complete: int = 0
    degraded: int = 0
    failed: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class QueuedRow:
    """An open job of the queue, or one that a process has taken.

    Attributes:
        job: the job.
        host: name of the machine of its owner, if the owner has a lease in the index.
        pid: process id of the owner there.
        is_alive: whether that lease has not expired; None without one.
        since: when its last transition was made; ISO 8601, UTC.
        error: why a worker could not begin it, if that was its last transition.
    """

    job: Job
    host: str | None
    pid: int | None
    is_alive: bool | None
    since: str
    error: str | None


_WAS_QUEUED = jobs.c.request_json.like('%"queued": true%')
"""The job was queued for workers, as `ingestion.queued_jobs` marks it: the quotes of a path are escaped."""

_LAST_STEP = and_(transitions.c.job_id == jobs.c.job_id, transitions.c.seq == jobs.c.seq)
_IS_NOT_BEGUN = transitions.c.details_json.like(f'%"outcome": "{NOT_BEGUN}"%')


class QueueRepository(Repository):
    """Takes jobs from the queue, and puts them back."""

    def take(
        self, *, owner: str, limit: int, seconds: float, but_not: Collection[str] = frozenset()
    ) -> tuple[Job, ...]:
        """Claim the oldest queued jobs, and begin those that no process has claimed before: one transaction for all.

        A job that had another owner keeps its state: a version that the owner stored may have to be adopted first.

        Args:
            owner: the worker.
            limit: maximum number of jobs.
            seconds: how long the claims last without renewal.
            but_not: jobs to leave to other workers.
        """
        free = (
            select(jobs.c.job_id)
            .where(jobs.c.waiting_reason == QUEUED, *self._except(but_not))
            .order_by(jobs.c.created_at, jobs.c.job_id)
            .limit(limit)
            .with_for_update(skip_locked=True)  # SQLite has one writer at a time and leaves the clause out
        )
        values = {"owner": owner, "lease_until": self._later(seconds), "waiting_reason": None}
        claimed = (
            update(jobs).where(jobs.c.job_id.in_(free.scalar_subquery())).values(values | {"claims": jobs.c.claims + 1})
        )
        with self._write() as connection:
            parameters = dialect.as_many(but_not) if but_not else {}
            rows = connection.execute(claimed.returning(*job_rows.COLUMNS), parameters).all()
            taken = sorted(map(job_rows.job_of, rows), key=lambda job: (job.created_at, job.job_id))
            return tuple(self._begin(connection, taken))

    def _begin(self, connection: Connection, taken: Sequence[Job]) -> list[Job]:
        """Begin the conversion of the jobs that were claimed just now for the first time."""
        way, now = job_rows.as_steps([IngestionState.CONVERSION_PENDING]), self._now()
        begun: list[Job] = []
        changes: list[dict[str, Any]] = []
        logged: list[dict[str, Any]] = []
        for job in taken:
            if not (job.claims == _FIRST_CLAIM and job.state is IngestionState.SOURCE_STORED):
                begun.append(job)
                continue
            started = replace(job, state=way[-1].state, seq=job.seq + 1, attempts=job.attempts + 1, updated_at=now)
            begun.append(started)
            changes.append(job_rows.change(job, started))
            logged += job_rows.transition_rows(job.job_id, way, before=job.state, seq=started.seq, now=now)
        if changes:
            dialect.execute_many(connection, job_rows.SET_OPEN, changes)  # the rows are locked by this transaction
            dialect.execute_many(connection, job_rows.INSERT_TRANSITIONS, logged)
        return begun

    def put_back(self, job_id: str, *, owner: str | None) -> bool:
        """Queue an unfinished job again that `owner` or no process has; False if it changed meanwhile."""
        with self._write() as connection:
            put = connection.execute(
                update(jobs)
                .where(jobs.c.job_id == job_id, jobs.c.state.not_in(list(TERMINAL_STATES)))
                .where(jobs.c.owner.is_not_distinct_from(owner), jobs.c.waiting_reason.is_(None))
                .values(owner=None, lease_until=None, waiting_reason=QUEUED, claims=jobs.c.claims + 1)
            )
            return put.rowcount == 1

    def defer(self, job: Job, *, error: str) -> bool:
        """Queue a job again that its owner could not begin, and log the reason; False if it changed meanwhile.

        Args:
            job: the job as last read.
            error: why it could not be begun, and where.
        """
        step = Step(state=IngestionState.CONVERSION_FAILED, step="convert", outcome=NOT_BEGUN, error=error)
        is_begun = job.state is IngestionState.CONVERSION_PENDING
        values: dict[str, Any] = {"owner": None, "lease_until": None, "waiting_reason": QUEUED}
        if is_begun:  # the attempt was not made; in `conversion_failed`, the reason was logged before
            values |= {"state": step.state, "seq": job.seq + 1, "attempts": job.attempts - 1}
        with self._write() as connection:
            put = connection.execute(
                update(jobs)
                .where(jobs.c.job_id == job.job_id, jobs.c.owner.is_not_distinct_from(job.owner))
                .where(jobs.c.seq == job.seq, jobs.c.state == job.state)
                .values(values | {"claims": jobs.c.claims + 1, "updated_at": self._now()})
            )
            if put.rowcount == 1 and is_begun:
                rows = job_rows.transition_rows(job.job_id, [step], before=job.state, seq=job.seq + 1, now=self._now())
                connection.execute(job_rows.INSERT_TRANSITIONS, rows)
            return put.rowcount == 1

    def let_go(self, job_id: str, *, owner: str) -> None:
        """Release an unfinished job of an owner, without queueing it: only a caller with its bytes can continue it."""
        with self._write() as connection:
            connection.execute(
                update(jobs)
                .where(jobs.c.job_id == job_id, jobs.c.owner == owner)
                .values(owner=None, lease_until=None, claims=jobs.c.claims + 1)
            )

    def owners(self) -> tuple[str, ...]:
        """The owners of unfinished jobs."""
        query = select(jobs.c.owner).distinct().where(jobs.c.owner.is_not(None))
        with self._read() as connection:
            return tuple(sorted(connection.scalars(query)))

    def of_owner(self, owner: str) -> tuple[Job, ...]:
        """The unfinished jobs of an owner, oldest first."""
        query = select(*job_rows.COLUMNS).where(jobs.c.owner == owner).order_by(jobs.c.created_at, jobs.c.job_id)
        with self._read() as connection:
            return tuple(job_rows.job_of(row) for row in connection.execute(query))

    def counts(self, *, but_not: Collection[str] = frozenset()) -> QueueCounts:
        """How many jobs wait, apart from those in `but_not`, and how many are taken."""
        open_states = [state for state in IngestionState if state not in TERMINAL_STATES]
        waiting = select(func.count()).where(jobs.c.waiting_reason == QUEUED, *self._except(but_not))
        taken = select(func.count()).where(jobs.c.owner.is_not(None), jobs.c.state.in_(open_states))
        with self._read() as connection:
            queued = connection.scalar(waiting, dialect.as_many(but_not) if but_not else {})
            return QueueCounts(queued=queued or 0, taken=connection.scalar(taken) or 0)

    def ended(self, *, seconds: float) -> EndedCounts:
        """How the jobs that were queued ended in the last `seconds`."""
        is_recent = (jobs.c.document_id.is_not(None), jobs.c.updated_at > self._later(-seconds))
        query = (
            select(jobs.c.state, func.count())
            .where(*is_recent, jobs.c.state.in_(list(TERMINAL_STATES)), _WAS_QUEUED)
            .group_by(jobs.c.state)
        )
        with self._read() as connection:
            found = {IngestionState(state): count for state, count in connection.execute(query)}
        return EndedCounts(
            complete=found.get(IngestionState.COMPLETE, 0),
            degraded=found.get(IngestionState.DEGRADED_COMPLETE, 0),
            failed=found.get(IngestionState.HARD_FAILED, 0),
        )

    def not_begun(self) -> int:
        """How many of the queued jobs a worker could not begin."""
        waiting = and_(jobs.c.waiting_reason == QUEUED, jobs.c.state == IngestionState.CONVERSION_FAILED)
        query = select(func.count()).select_from(jobs).join(transitions, _LAST_STEP).where(waiting, _IS_NOT_BEGUN)
        with self._read() as connection:
            return connection.scalar(query) or 0

    def listing(self, *, limit: int | None = None) -> tuple[QueuedRow, ...]:
        """The open jobs that a process has taken or that were queued: taken ones, unsuccessful ones, those that wait.

        Args:
            limit: maximum number of jobs; None: all.
        """
        rank = case(
            (jobs.c.owner.is_not(None), 0),
            (jobs.c.waiting_reason.is_distinct_from(QUEUED), 1),
            (jobs.c.state == IngestionState.CONVERSION_FAILED, 2),
            else_=3,
        )
        lease = (hosts.c.host, hosts.c.pid, hosts.c.alive_until)
        query = (
            select(*job_rows.COLUMNS, *lease, transitions.c.at, transitions.c.details_json)
            .select_from(jobs)
            .join(transitions, _LAST_STEP)
            .join(hosts, hosts.c.owner == jobs.c.owner, isouter=True)
            .where(jobs.c.open_key.is_not(None), jobs.c.state.not_in(list(TERMINAL_STATES)))
            .where(or_(jobs.c.owner.is_not(None), jobs.c.waiting_reason == QUEUED, _WAS_QUEUED))
            .order_by(rank, jobs.c.created_at, jobs.c.job_id)
            .limit(limit)
        )
        now, width = self._now(), len(job_rows.COLUMNS)
        with self._read() as connection:
            rows = [(job_rows.job_of(row), tuple(row)[width:]) for row in connection.execute(query)]
        return tuple(
            QueuedRow(
                job=job,
                host=host,
                pid=pid,
                is_alive=until > now if until is not None else None,
                since=at,
                error=_error_of(details),
            )
            for job, (host, pid, until, at, details) in rows
        )

    def _except(self, job_ids: Collection[str]) -> list[ColumnElement[bool]]:
        """The condition that leaves jobs out, whose ids are the parameter `many`."""
        if not job_ids:
            return []
        return [jobs.c.job_id.not_in(dialect.many(self.url.get_backend_name()))]

    def ended_after_takeover(self, *, seconds: float) -> dict[str, Job]:
        """The jobs that ended in the last `seconds` and had changed hands before, by id."""
        query = select(*job_rows.COLUMNS).where(
            # The number is part of the statement: a server compares it with the condition of the index.
            jobs.c.claims > literal_column(str(_UNDISTURBED_CLAIMS)),
            jobs.c.updated_at > self._later(-seconds),
            jobs.c.state.in_(list(TERMINAL_STATES)),
        )
        with self._read() as connection:
            return {row.job_id: job_rows.job_of(row) for row in connection.execute(query)}

    def get_many(self, job_ids: Sequence[str]) -> dict[str, Job]:
        """Jobs by id; a job whose document was purged is left out."""
        query = select(*job_rows.COLUMNS).where(jobs.c.job_id.in_(list(job_ids)))
        with self._read() as connection:
            return {row.job_id: job_rows.job_of(row) for row in connection.execute(query)}

    def in_progress(self, job_ids: Sequence[str]) -> frozenset[str]:
        """Which of these jobs are queued or taken; the others have ended, wait for a tool or a caller, or were purged."""
        open_states = [state for state in IngestionState if state not in TERMINAL_STATES]
        query = (
            select(jobs.c.job_id)
            .where(jobs.c.job_id.in_(list(job_ids)), jobs.c.state.in_(open_states))
            .where(or_(jobs.c.owner.is_not(None), jobs.c.waiting_reason == QUEUED))
        )
        with self._read() as connection:
            return frozenset(connection.scalars(query))

    def of_hashes(self, raw_hashes: Sequence[str]) -> tuple[Job, ...]:
        """The unfinished jobs about some documents."""
        open_states = [state for state in IngestionState if state not in TERMINAL_STATES]
        query = select(*job_rows.COLUMNS).where(jobs.c.raw_hash.in_(list(raw_hashes)), jobs.c.state.in_(open_states))
        with self._read() as connection:
            return tuple(job_rows.job_of(row) for row in connection.execute(query))

    def put_in(self, job: Job, *, request_json: str, engine_set: str | None, run_id: str | None) -> Job | None:
        """Queue an unfinished job that no process has, by a new request; the attempts made so far no longer count.

        Args:
            job: the job as last read.
            request_json: the new request.
            engine_set: fingerprint of the plugins that the new request concerns.
            run_id: the run that requests it.

        Returns:
            The queued job, or None if it was claimed or finished in the meantime.
        """
        values = {
            "request_json": request_json,
            "engine_set": engine_set,
            "run_id": run_id,
            "waiting_reason": QUEUED,
            "attempts": 0,
            "claims": jobs.c.claims + 1,
        }
        put = (
            update(jobs)
            .where(jobs.c.job_id == job.job_id, jobs.c.owner.is_(None), jobs.c.state.not_in(list(TERMINAL_STATES)))
            .where(jobs.c.seq == job.seq, jobs.c.claims == job.claims)
            .values(values)
            .returning(*job_rows.COLUMNS)
        )
        with self._write() as connection:
            row = connection.execute(put).one_or_none()
        return job_rows.job_of(row) if row is not None else None

    def recorded(self) -> tuple[Job, ...]:
        """The unfinished jobs without an owner whose version has a row: a repair adopted it while the job ran."""
        unfinished = (jobs.c.open_key.is_not(None), jobs.c.state.not_in(list(TERMINAL_STATES)), jobs.c.owner.is_(None))
        query = (
            select(*job_rows.COLUMNS)
            .where(
                *unfinished, exists().where(conversions.c.job_id == jobs.c.job_id, conversions.c.purged_at.is_(None))
            )
            .order_by(jobs.c.created_at, jobs.c.job_id)
        )
        with self._read() as connection:
            return tuple(map(job_rows.job_of, connection.execute(query)))

    def withdraw(self, job_ids: Sequence[str]) -> int:
        """Take jobs out of the queue that no worker has taken; they count as interrupted. Returns how many."""
        free = jobs.c.waiting_reason == QUEUED
        with self._write() as connection:
            taken_out = connection.execute(
                update(jobs)
                .where(jobs.c.job_id.in_(list(job_ids)), free)
                .values(waiting_reason=None, claims=jobs.c.claims + 1)
            )
            return taken_out.rowcount

    def dismiss(self, job: Job, *, request_json: str) -> bool:
        """Take a job out of the queue for good; False if it changed meanwhile.

        Args:
            job: the job as last read; no process has it.
            request_json: its request, no longer marked as queued.
        """
        unchanged = (jobs.c.seq == job.seq, jobs.c.claims == job.claims, jobs.c.owner.is_(None))
        values = {"waiting_reason": None, "request_json": request_json, "claims": jobs.c.claims + 1}
        with self._write() as connection:
            taken_out = connection.execute(update(jobs).where(jobs.c.job_id == job.job_id, *unchanged).values(values))
            return taken_out.rowcount == 1


def _error_of(details_json: str) -> str | None:
    details: dict[str, Any] = json.loads(details_json)
    return details["error"] if details["outcome"] == NOT_BEGUN else None
