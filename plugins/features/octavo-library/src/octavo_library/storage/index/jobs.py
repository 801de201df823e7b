"""The durable job queue, which is the state machine itself (ENG-3, ENG-4, ENG-6).

An owner claims a job and moves it by compare-and-set on its last transition; a terminal state is never left. Every
transition is an immutable row: the log is authoritative (ENG-2).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from octavo_contracts import HardFailReason, IllegalTransition, IngestionState, Intent, UsageError
from octavo_contracts.states import TERMINAL_STATES
from pydantic_core import to_json
from sqlalchemy import Connection, bindparam, select, update
from sqlalchemy.exc import IntegrityError

from . import dialect, direct_read, job_rows
from .job_ids import new_job_id
from .queue import QUEUED
from .records import Job, NewJob, StartedJob, Step, StoredFailure, Transition
from .repository import Repository
from .schema import jobs, transitions

_SECONDS_OF_LEASE = 600.0
_OF_HASH = select(*job_rows.COLUMNS).where(jobs.c.raw_hash == bindparam("hash"))
_OF_HASH = _OF_HASH.order_by(jobs.c.created_at, jobs.c.job_id)
_FINAL: Mapping[str, Any] = {"owner": None, "lease_until": None, "waiting_reason": None}


class JobQueue(Repository):
    """The job queue: open jobs with their owners, and finished jobs."""

    def start(self, new: NewJob, *, owner: str) -> StartedJob:
        """Start one job; see `start_many`."""
        return self.start_many([new], owner=owner)[0]

    def start_many(self, new: Sequence[NewJob], *, owner: str) -> list[StartedJob]:
        """Start jobs, each claimed by `owner`, in one transaction.

        If a job for the same work is open - same bytes and intent, for `extract` also the same source instance - that
        job is returned instead, whatever its owner. With `unless_converted`, if the document has an active version, the
        finished job of its last version is returned (ENG-22).

        Args:
            new: the jobs to start.
            owner: the owner that works on them, as `ArtifactStore.owner`.

        Returns:
            One per request, in order.

        Raises:
            IllegalTransition: the `steps` of a request are not allowed after `registered`.
        """
        with self._write() as connection:
            if len(new) > 1:
                started = self._start_at_once(connection, new, owner=owner)
                if started is not None:
                    return started
            return [self._start(connection, one, owner=owner) for one in new]

    def _start_at_once(self, connection: Connection, new: Sequence[NewJob], *, owner: str) -> list[StartedJob] | None:
        """Start jobs by one statement per table; None, without any change, if one of them cannot be new."""
        now = self._now()
        ways = [_way_of(one) for one in new]
        started = [self._draft(one, way, owner=owner, now=now) for one, way in zip(new, ways, strict=True)]
        savepoint = connection.begin_nested()
        try:
            rows = [
                {name: getattr(job, name) for name in job_rows.FIELDS} | {"open_key": job_rows.open_key(one)}
                for job, one in zip(started, new, strict=True)
            ]
            # All executors use one order: on a server, two that claim the same documents must not deadlock.
            rows.sort(key=lambda row: row["open_key"] or "")
            # A conflict is no error here: a failed statement would also abort the driver's pipeline, which says so on stderr.
            statement = job_rows.start_if_free(connection.dialect.name)
            are_new = dialect.execute_many(connection, statement, rows).rowcount == len(rows)
            asked = [one.raw_hash for one in new if one.unless_converted and one.raw_hash is not None]
            known = connection.execute(job_rows.converted(connection.dialect.name), dialect.as_many(asked))
            is_free = known.first() is None and are_new
        except IntegrityError:
            is_free = False
        if not is_free:
            savepoint.rollback()
            return None
        logged = [
            row
            for job, way in zip(started, ways, strict=True)
            for row in job_rows.transition_rows(job.job_id, way, before=None, seq=0, now=now)
        ]
        _log(connection, logged)
        savepoint.commit()
        return [StartedJob(job, is_new=True) for job in started]

    def _start(self, connection: Connection, new: NewJob, *, owner: str) -> StartedJob:
        way = _way_of(new)
        now = self._now()
        job = self._draft(new, way, owner=owner, now=now)
        key = job_rows.open_key(new)
        row = {name: getattr(job, name) for name in job_rows.FIELDS} | {"open_key": key}
        while not connection.execute(job_rows.start_if_free(connection.dialect.name), row).rowcount:
            found = connection.execute(job_rows.BY_OPEN_KEY, {"key": key}).one_or_none()
            # On a server, the other job may have finished between the two statements; then the insert is retried.
            if found is not None:
                return StartedJob(job_rows.job_of(found), is_new=False)
        if new.unless_converted:
            # Looked up after the insert, which waited for any writer of the same key: a caller whose `find_by_hash` ran
            # a moment too early gets the finished job here.
            done = connection.execute(job_rows.LAST_SUCCESS, {"hash": new.raw_hash}).first()
            if done is not None:
                connection.execute(job_rows.TAKE_BACK, {"job": job.job_id})
                return StartedJob(job_rows.job_of(done), is_new=False)
        _log(connection, job_rows.transition_rows(job.job_id, way, before=None, seq=0, now=now))
        return StartedJob(job, is_new=True)

    def _draft(self, new: NewJob, way: Sequence[Step], *, owner: str, now: str) -> Job:
        return Job(
            job_id=new_job_id(),
            document_id=None,
            raw_hash=new.raw_hash,
            source_instance_id=new.source_instance_id,
            intent=new.intent,
            state=way[-1].state,
            seq=len(way) - 1,
            owner=owner if new.is_claimed else None,
            lease_until=self._later(new.lease_seconds) if new.is_claimed else None,
            claims=1,
            attempts=job_rows.attempts_in(way),
            reason=None,
            waiting_reason=QUEUED if new.is_queued else None,
            result_json=None,
            engine_set=new.engine_set,
            request_json=new.request_json,
            created_at=now,
            updated_at=now,
            run_id=new.run_id,
        )

    def advance(self, job: Job, *steps: IngestionState | Step) -> Job:
        """Make transitions, several in one transaction.

        Args:
            job: the job as last read.
            steps: the states to enter, in order.

        Returns:
            The updated job.

        Raises:
            IllegalTransition: the table does not allow a step, or another process moved or claimed the job.
            ValueError: a step is `hard_failed`; use `complete`, which records the reason.
        """
        if any(step.state is IngestionState.HARD_FAILED for step in job_rows.as_steps(steps)):
            raise ValueError("a job enters hard_failed through complete, which records the reason")
        with self._write() as connection:
            return self._move(connection, job, steps)

    def _move(
        self,
        connection: Connection,
        job: Job,
        steps: Sequence[IngestionState | Step],
        *,
        values: Mapping[str, Any] | None = None,
    ) -> Job:
        """Check, compare-and-set, log; `values` are further columns to set."""
        way = job_rows.as_steps(steps)
        job_rows.check_way(job.state, way)
        now = self._now()
        changed: dict[str, Any] = dict(values or {})
        if way:
            changed["state"] = way[-1].state
            changed |= _FINAL if way[-1].state in TERMINAL_STATES else {}
        changed["seq"] = job.seq + len(way)
        changed["attempts"] = job.attempts + job_rows.attempts_in(way)
        moved = self._set(connection, job, changed, now=now)
        _log(connection, job_rows.transition_rows(job.job_id, way, before=job.state, seq=job.seq + 1, now=now))
        return moved

    def _move_many(
        self, connection: Connection, moves: Sequence[tuple[Job, Sequence[IngestionState | Step], Mapping[str, Any]]]
    ) -> list[Job]:
        """As `_move` into final states, for many jobs by one statement per table.

        Raises:
            IllegalTransition: the table does not allow a step, or another process moved or claimed a job.
        """
        now = self._now()
        moved: list[Job] = []
        changes: list[dict[str, Any]] = []
        logged: list[dict[str, Any]] = []
        for job, steps, values in moves:
            way = job_rows.as_steps(steps)
            job_rows.check_way(job.state, way)
            changed = replace(
                job,
                **values,
                **_FINAL,
                state=way[-1].state,
                seq=job.seq + len(way),
                attempts=job.attempts + job_rows.attempts_in(way),
                updated_at=now,
            )
            moved.append(changed)
            changes.append(job_rows.change(job, changed))
            logged += job_rows.transition_rows(job.job_id, way, before=job.state, seq=job.seq + 1, now=now)
        if dialect.execute_many(connection, job_rows.SET_FINAL, changes).rowcount != len(changes):
            if len(moves) > 1:
                raise IllegalTransition("one of these jobs was taken over")
            raise self._taken_over(connection, moves[0][0])
        _log(connection, logged)
        return moved

    def _set(self, connection: Connection, job: Job, values: Mapping[str, Any], *, now: str) -> Job:
        """Change columns of a job that is unchanged since it was read; returns the updated job."""
        changed = replace(job, **values, updated_at=now)
        is_open = changed.state not in TERMINAL_STATES
        statement = job_rows.SET_OPEN if is_open else job_rows.SET_FINAL
        if connection.execute(statement, job_rows.change(job, changed)).rowcount == 1:
            return changed
        raise self._taken_over(connection, job)

    def _taken_over(self, connection: Connection, job: Job) -> IllegalTransition:
        actual = self._job_in(connection, job.job_id)
        return IllegalTransition(
            f"job {job.job_id} was taken over: it is in {actual.state}, owned by {actual.owner or 'no process'}; "
            f"expected {job.state}, owned by {job.owner or 'no process'}"
        )

    def claim(self, job: Job, *, owner: str, lease_seconds: float = _SECONDS_OF_LEASE) -> Job | None:
        """Claim a job unless it changed since it was read.

        The caller must know whether the job may be taken from its owner: see `octavo_library.storage.index.recovery`.

        Returns:
            The claimed job, or None if it was changed, claimed or finished in the meantime.
        """
        values = {
            "owner": owner,
            "lease_until": self._later(lease_seconds),
            "claims": job.claims + 1,
            "waiting_reason": None,
        }
        if job.state in TERMINAL_STATES:
            return None
        try:
            with self._write() as connection:
                return self._set(connection, job, values, now=self._now())
        except IllegalTransition:
            return None

    def release(self, job: Job, *, waiting_reason: HardFailReason | str | None = None) -> Job:
        """Release an unfinished job; with a reason, it waits until it is claimed (ENG-7).

        Raises:
            IllegalTransition: another process claimed the job.
        """
        values = {"owner": None, "lease_until": None, "waiting_reason": waiting_reason}
        with self._write() as connection:
            return self._set(connection, job, values, now=self._now())

    def give_back(self, job: Job, *, waiting_reason: HardFailReason | str | None = None) -> Job:
        """Release a job whose attempt was cancelled by its owner: the attempt does not count (ENG-7).

        Args:
            job: the job as last read, in `conversion_pending`.
            waiting_reason: as for `release`.

        Raises:
            IllegalTransition: another process claimed the job, or no attempt is running.
        """
        stopped = Step(state=IngestionState.CONVERSION_FAILED, step="convert", outcome="stopped")
        values = {"owner": None, "lease_until": None, "waiting_reason": waiting_reason}
        with self._write() as connection:
            return self._move(connection, replace(job, attempts=job.attempts - 1), [stopped], values=values)

    def renew(self, *, owner: str, lease_seconds: float = _SECONDS_OF_LEASE) -> int:
        """Renew the leases of all jobs of an owner; call it at a third of the lease time.

        Returns:
            The number of jobs that the owner holds.
        """
        with self._write() as connection:
            done = connection.execute(
                update(jobs).where(jobs.c.owner == owner).values(lease_until=self._later(lease_seconds))
            )
            return done.rowcount

    def get(self, job_id: str) -> Job:
        """The current state of a job.

        Raises:
            UsageError: the job does not exist.
        """
        with self._read() as connection:
            return self._job_in(connection, job_id)

    def open_jobs(self, *, queued: bool = True) -> tuple[Job, ...]:
        """Every job that is not final, oldest first; waiting jobs included, and those in the queue unless left out."""
        is_open = jobs.c.state.in_([state for state in IngestionState if state not in TERMINAL_STATES])
        # Every open job has a key, whose index has no ended job: the open ones are found without reading the others.
        query = select(*job_rows.COLUMNS).where(jobs.c.open_key.is_not(None), is_open)
        query = query.order_by(jobs.c.created_at, jobs.c.job_id)
        if not queued:
            query = query.where(jobs.c.waiting_reason.is_distinct_from(QUEUED))
        with self._read() as connection:
            return tuple(job_rows.job_of(row) for row in connection.execute(query))

    def of_hash(self, raw_hash: str) -> tuple[Job, ...]:
        """Every job about these bytes, oldest first."""
        with self._read() as connection:
            return tuple(job_rows.job_of(row) for row in direct_read.rows(connection, _OF_HASH, {"hash": raw_hash}))

    def transitions(self, job_id: str) -> tuple[Transition, ...]:
        """The transitions of a job, in order."""
        query = select(transitions).where(transitions.c.job_id == job_id).order_by(transitions.c.seq)
        with self._read() as connection:
            return tuple(job_rows.transition_of(row) for row in connection.execute(query))

    def processing_log(self, raw_hash: str) -> bytes:
        """The content of the document's `processing_log.json`: every job's transitions, as JSON (ENG-2)."""
        return self.processing_logs([raw_hash])[raw_hash]

    def processing_logs(self, raw_hashes: Sequence[str]) -> dict[str, bytes]:
        """The processing logs of many documents, by one query; a document without jobs has an empty log."""
        found: dict[str, dict[str, dict[str, Any]]] = {raw_hash: {} for raw_hash in raw_hashes}
        with self._read() as connection:
            rows = connection.execute(job_rows.logs(connection.dialect.name), dialect.as_many(found)).all()
        for job_id, raw_hash, intent, state, reason, seq, before, after, skipped, at, details in rows:
            head = {"job_id": job_id, "intent": intent, "state": state, "reason": reason, "entries": []}
            entry = {"seq": seq, "from": before, "to": after, "skipped": bool(skipped), "at": at}
            found[raw_hash].setdefault(job_id, head)["entries"].append(entry | json.loads(details))
        return {
            raw_hash: to_json({"format": 1, "raw_hash": raw_hash, "jobs": list(logs.values())}, indent=1)
            for raw_hash, logs in found.items()
        }

    def last_ended(self, *, limit: int) -> list[tuple[str, str]]:
        """Hash and job id of the documents whose jobs ended last, newest first."""
        query = (
            select(jobs.c.raw_hash, jobs.c.job_id)
            .where(jobs.c.state.in_(list(TERMINAL_STATES)), jobs.c.document_id.is_not(None))
            .order_by(jobs.c.updated_at.desc())
            .limit(limit)
        )
        with self._read() as connection:
            return [(row.raw_hash, row.job_id) for row in connection.execute(query)]

    def stored_failure(self, raw_hash: str, *, source_instance_id: str | None = None) -> StoredFailure | None:
        """The last verdict on these bytes if it is a failure and no conversion has succeeded since.

        Args:
            raw_hash: the document's hash.
            source_instance_id: consider only jobs of this source instance.
        """
        query = (
            select(*job_rows.COLUMNS)
            .where(jobs.c.raw_hash == raw_hash, jobs.c.state.in_(list(TERMINAL_STATES)))
            .where(jobs.c.intent != Intent.EXTRACT)
            .order_by(jobs.c.updated_at.desc(), jobs.c.job_id)
            .limit(1)
        )
        if source_instance_id is not None:
            query = query.where(jobs.c.source_instance_id == source_instance_id)
        with self._read() as connection:
            row = connection.execute(query).one_or_none()
        last = job_rows.job_of(row) if row is not None else None
        if last is None or last.reason is None:
            return None
        return StoredFailure(
            job_id=last.job_id,
            document_id=last.document_id,
            reason=last.reason,
            engine_set=last.engine_set,
            result_json=last.result_json,
            at=last.updated_at,
            request_json=last.request_json,
        )

    @staticmethod
    def _job_in(connection: Connection, job_id: str) -> Job:
        row = connection.execute(job_rows.BY_ID, {"job": job_id}).one_or_none()
        if row is None:
            raise UsageError(f"there is no job {job_id!r} in this library")
        return job_rows.job_of(row)


def _way_of(new: NewJob) -> list[Step]:
    first = Step(state=IngestionState.REGISTERED)
    way = [first, *job_rows.as_steps(new.steps)]
    job_rows.check_way(first.state, way[1:])
    return way


def _log(connection: Connection, rows: list[dict[str, Any]]) -> None:
    if rows:
        dialect.execute_many(connection, job_rows.INSERT_TRANSITIONS, rows)
