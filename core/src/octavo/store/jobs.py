"""Jobs: the durable queue is the state machine itself (ENG-3, ENG-4, ENG-6).

A job is claimed by an owner, moved by compare-and-set on its last transition, and final for good once it has
entered a terminal state. Every transition is a row that is never changed: the log is the truth (ENG-2).
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from octavo_contracts import HardFailReason, IllegalTransition, IngestionState, Intent, UsageError, check_transition
from octavo_contracts.states import TERMINAL_STATES
from sqlalchemy import Connection, Row, insert, select, update

from . import dialect
from .database import Database
from .records import Job, NewJob, StartedJob, Step, StoredFailure, Transition
from .schema import jobs, transitions

_JOB_COLUMNS = (
    jobs.c.job_id,
    jobs.c.document_id,
    jobs.c.raw_hash,
    jobs.c.source_instance_id,
    jobs.c.intent,
    jobs.c.state,
    jobs.c.seq,
    jobs.c.owner,
    jobs.c.lease_until,
    jobs.c.claims,
    jobs.c.attempts,
    jobs.c.reason,
    jobs.c.waiting_reason,
    jobs.c.engine_set,
    jobs.c.request_json,
    jobs.c.created_at,
    jobs.c.updated_at,
)

_SECONDS_OF_LEASE = 600.0
_FINAL: Mapping[str, Any] = {"open_key": None, "owner": None, "lease_until": None, "waiting_reason": None}


class Jobs(Database):
    """The part of the index that knows what is being done, by whom, and what was done."""

    def start_job(self, new: NewJob, *, owner: str) -> StartedJob:
        """Start one job; see `start_jobs`."""
        return self.start_jobs([new], owner=owner)[0]

    def start_jobs(self, new: Sequence[NewJob], *, owner: str) -> list[StartedJob]:
        """Start jobs, each claimed by `owner`, in one transaction.

        Where a job for the same work is open - same bytes and intent, for `extract` also the same way in - it is
        returned instead, whoever owns it (ENG-22).

        Args:
            new: what to start.
            owner: who works on them, as `ArtifactStore.owner`.

        Returns:
            One a request, in order.

        Raises:
            IllegalTransition: a request's `steps` are not a way from `registered`.
        """
        with self._write() as connection:
            return [self._start(connection, one, owner=owner) for one in new]

    def _start(self, connection: Connection, new: NewJob, *, owner: str) -> StartedJob:
        way = [Step(state=IngestionState.REGISTERED), *_as_steps(new.steps)]
        _check_way(way)
        now = self._now()
        job = Job(
            job_id=uuid.uuid4().hex,
            document_id=None,
            raw_hash=new.raw_hash,
            source_instance_id=new.source_instance_id,
            intent=new.intent,
            state=way[-1].state,
            seq=len(way) - 1,
            owner=owner,
            lease_until=self._later(new.lease_seconds),
            claims=1,
            attempts=_attempts(way),
            reason=None,
            waiting_reason=None,
            engine_set=new.engine_set,
            request_json=new.request_json,
            created_at=now,
            updated_at=now,
        )
        key = _open_key(new)
        row = {name: getattr(job, name) for name in _COLUMN_NAMES} | {"open_key": key}
        while not connection.execute(_start_if_free(connection.dialect.name), row).rowcount:
            found = connection.execute(_BY_OPEN_KEY, {"key": key}).one_or_none()
            # On a server the other job may have finished between the two statements; then the way is free.
            if found is not None:
                return StartedJob(_job(found), is_new=False)
        self._log(connection, job.job_id, way, before=None, seq=0, now=now)
        return StartedJob(job, is_new=True)

    def advance(self, job: Job, *steps: IngestionState | Step) -> Job:
        """Make transitions, several in one transaction.

        Args:
            job: as it was last read.
            steps: the states to enter, in order.

        Returns:
            The job afterwards.

        Raises:
            IllegalTransition: the table does not allow a step, or the job was moved or claimed by somebody else.
            ValueError: a step is `hard_failed`, which `finish_failure` enters, with its reason.
        """
        if any(_state_of(step) is IngestionState.HARD_FAILED for step in steps):
            raise ValueError("a job enters hard_failed through finish_failure, which records the reason")
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
        """Check, compare-and-set, log; `values` are further columns of the job to set."""
        way = _as_steps(steps)
        _check_way([Step(state=job.state), *way])
        now = self._now()
        changed: dict[str, Any] = dict(values or {})
        if way:
            changed["state"] = way[-1].state
            changed |= _FINAL if way[-1].state in TERMINAL_STATES else {}
        changed["seq"] = job.seq + len(way)
        changed["attempts"] = job.attempts + _attempts(way)
        moved = self._set(connection, job, changed, now=now)
        self._log(connection, job.job_id, way, before=job.state, seq=job.seq + 1, now=now)
        return moved

    def _set(self, connection: Connection, job: Job, values: Mapping[str, Any], *, now: str) -> Job:
        """Change columns of a job that is still as it was read; returns it as it is then."""
        changed = replace(job, **values, updated_at=now)
        row = {name: getattr(changed, name) for name in _CHANGEABLE}
        seen = {"job": job.job_id, "seen_seq": job.seq, "seen_claims": job.claims, "seen_owner": job.owner}
        is_open = changed.state not in TERMINAL_STATES
        if connection.execute(_SET_OPEN if is_open else _SET_FINAL, row | seen).rowcount == 1:
            return changed
        actual = self._job_in(connection, job.job_id)
        raise IllegalTransition(
            f"job {job.job_id} was taken over: it is {actual.state} of {actual.owner or 'nobody'}, "
            f"not {job.state} of {job.owner or 'nobody'}"
        )

    @staticmethod
    def _log(
        connection: Connection,
        job_id: str,
        way: Iterable[Step],
        *,
        before: IngestionState | None,
        seq: int,
        now: str,
    ) -> None:
        rows = []
        for number, step in enumerate(way, start=seq):
            rows.append(
                {
                    "job_id": job_id,
                    "seq": number,
                    "from_state": before,
                    "to_state": step.state,
                    "skipped": int(step.skipped),
                    "at": now,
                    "details_json": json.dumps(_details(step), ensure_ascii=False),
                }
            )
            before = step.state
        if rows:
            connection.execute(_INSERT_TRANSITIONS, rows)

    def claim(self, job: Job, *, owner: str, lease_seconds: float = _SECONDS_OF_LEASE) -> Job | None:
        """Take a job over, if nobody did since it was read.

        Whether its owner may be robbed is the caller's to know: see `octavo.store.recovery`.

        Returns:
            The claimed job, or None where it was changed, claimed or finished meanwhile.
        """
        values = {
            "owner": owner,
            "lease_until": self._later(lease_seconds),
            "claims": job.claims + 1,
            "waiting_reason": None,
            "updated_at": self._now(),
        }
        if job.state in TERMINAL_STATES:
            return None
        try:
            with self._write() as connection:
                self._set(connection, job, values)
                return self._job_in(connection, job.job_id)
        except IllegalTransition:
            return None

    def release(self, job: Job, *, waiting_reason: HardFailReason | str | None = None) -> Job:
        """Let go of a job that is not finished; with a reason it waits until somebody claims it (ENG-7).

        Raises:
            IllegalTransition: the job was claimed by somebody else.
        """
        values = {"owner": None, "lease_until": None, "waiting_reason": waiting_reason, "updated_at": self._now()}
        with self._write() as connection:
            self._set(connection, job, values)
            return self._job_in(connection, job.job_id)

    def renew(self, *, owner: str, lease_seconds: float = _SECONDS_OF_LEASE) -> int:
        """Prolong every claim of an owner; to be called at a third of the lease.

        Returns:
            How many jobs it holds.
        """
        with self._write() as connection:
            done = connection.execute(
                update(jobs).where(jobs.c.owner == owner).values(lease_until=self._later(lease_seconds))
            )
            return done.rowcount

    def job(self, job_id: str) -> Job:
        """A job as it is now.

        Raises:
            UsageError: there is none of that id.
        """
        with self._read() as connection:
            return self._job_in(connection, job_id)

    def open_jobs(self) -> tuple[Job, ...]:
        """Every job that is not final, oldest first; also those that wait."""
        open_states = [state for state in IngestionState if state not in TERMINAL_STATES]
        query = select(*_JOB_COLUMNS).where(jobs.c.state.in_(open_states)).order_by(jobs.c.created_at, jobs.c.job_id)
        with self._read() as connection:
            return tuple(_job(row) for row in connection.execute(query))

    def jobs_of(self, raw_hash: str) -> tuple[Job, ...]:
        """Every job about these bytes, oldest first."""
        query = select(*_JOB_COLUMNS).where(jobs.c.raw_hash == raw_hash).order_by(jobs.c.created_at, jobs.c.job_id)
        with self._read() as connection:
            return tuple(_job(row) for row in connection.execute(query))

    def transitions(self, job_id: str) -> tuple[Transition, ...]:
        """What a job went through, in order."""
        query = select(transitions).where(transitions.c.job_id == job_id).order_by(transitions.c.seq)
        with self._read() as connection:
            return tuple(_transition(row) for row in connection.execute(query))

    def processing_log(self, raw_hash: str) -> bytes:
        """The content of the document's `processing_log.json`: every job's transitions, as JSON (ENG-2)."""
        query = (
            select(jobs.c.job_id, jobs.c.intent, jobs.c.state, jobs.c.reason, transitions)
            .join_from(jobs, transitions, jobs.c.job_id == transitions.c.job_id)
            .where(jobs.c.raw_hash == raw_hash)
            .order_by(jobs.c.created_at, jobs.c.job_id, transitions.c.seq)
        )
        logs: dict[str, dict[str, Any]] = {}
        with self._read() as connection:
            for row in connection.execute(query):
                head = {"job_id": row.job_id, "intent": row.intent, "state": row.state, "reason": row.reason}
                log = logs.setdefault(row.job_id, {**head, "entries": []})
                log["entries"].append(_log_entry(_transition(row)))
        content = {"format": 1, "raw_hash": raw_hash, "jobs": list(logs.values())}
        return json.dumps(content, ensure_ascii=False, indent=1).encode()

    def stored_failure(self, raw_hash: str, *, source_instance_id: str | None = None) -> StoredFailure | None:
        """The last verdict on these bytes, if it is a failure and no conversion succeeded since.

        Args:
            raw_hash: the document's hash.
            source_instance_id: look at jobs of this way in only.
        """
        query = (
            select(jobs)
            .where(jobs.c.raw_hash == raw_hash, jobs.c.state.in_(list(TERMINAL_STATES)))
            .where(jobs.c.intent != Intent.EXTRACT)
            .order_by(jobs.c.updated_at.desc(), jobs.c.job_id)
            .limit(1)
        )
        if source_instance_id is not None:
            query = query.where(jobs.c.source_instance_id == source_instance_id)
        with self._read() as connection:
            row = connection.execute(query).one_or_none()
        if row is None or row.state != IngestionState.HARD_FAILED:
            return None
        return StoredFailure(
            job_id=row.job_id,
            document_id=row.document_id,
            reason=HardFailReason(row.reason),
            engine_set=row.engine_set,
            result_json=row.result_json,
            at=row.updated_at,
        )

    @staticmethod
    def _job_in(connection: Connection, job_id: str) -> Job:
        row = connection.execute(select(*_JOB_COLUMNS).where(jobs.c.job_id == job_id)).one_or_none()
        if row is None:
            raise UsageError(f"there is no job {job_id!r} in this library")
        return _job(row)


def _open_key(new: NewJob) -> str | None:
    if new.raw_hash is None:
        return None
    scope = new.source_instance_id or "" if new.intent is Intent.EXTRACT else ""
    return f"{new.intent}:{new.raw_hash}:{scope}"


def _state_of(step: IngestionState | Step) -> IngestionState:
    return step.state if isinstance(step, Step) else step


def _details(step: Step) -> dict[str, Any]:
    return {
        "step": step.step or step.state.value,
        "start": step.started_at,
        "end": step.ended_at,
        "outcome": step.outcome or ("skipped" if step.skipped else None),
        "cost": step.cost,
        "error": step.error,
        "tool": step.tool,
    }


def _job(row: Row[*tuple[Any, ...]]) -> Job:
    fields = dict(row._mapping)
    fields["intent"] = Intent(row.intent)
    fields["state"] = IngestionState(row.state)
    fields["reason"] = HardFailReason(row.reason) if row.reason else None
    return Job(**fields)


def _transition(row: Row[*tuple[Any, ...]]) -> Transition:
    return Transition(
        seq=row.seq,
        before=IngestionState(row.from_state) if row.from_state else None,
        after=IngestionState(row.to_state),
        skipped=bool(row.skipped),
        at=row.at,
        details=json.loads(row.details_json),
    )


def _log_entry(entry: Transition) -> dict[str, Any]:
    return {
        "seq": entry.seq,
        "from": entry.before,
        "to": entry.after,
        "skipped": entry.skipped,
        "at": entry.at,
        **entry.details,
    }
