"""Maps jobs and transitions to table rows. Statements are built once: building one costs more than running it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from octavo_contracts import HardFailReason, IngestionState, Intent, check_transition
from sqlalchemy import Row, Select, Update, bindparam, delete, insert, select, update

from . import dialect
from .records import Job, NewJob, Step, Transition
from .schema import documents, jobs, transitions

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

FIELDS = tuple(Job.__dataclass_fields__)
"""The columns of a `Job`, in the order of its fields."""

COLUMNS = tuple(jobs.c[name] for name in FIELDS)

CHANGEABLE = (
    "document_id",
    "state",
    "seq",
    "owner",
    "lease_until",
    "claims",
    "attempts",
    "reason",
    "waiting_reason",
    "result_json",
    "updated_at",
)

BY_OPEN_KEY = select(*COLUMNS).where(jobs.c.open_key == bindparam("key"))
BY_ID = select(*COLUMNS).where(jobs.c.job_id == bindparam("job"))
LAST_SUCCESS = (
    select(*COLUMNS)
    .join_from(jobs, documents, jobs.c.document_id == documents.c.document_id)
    .where(jobs.c.raw_hash == bindparam("hash"), documents.c.active_conversion_version.is_not(None))
    .where(jobs.c.state.in_([IngestionState.COMPLETE, IngestionState.DEGRADED_COMPLETE]))
    .where(jobs.c.intent != Intent.EXTRACT)
    .order_by(jobs.c.updated_at.desc(), jobs.c.job_id)
    .limit(1)
)
TAKE_BACK = delete(jobs).where(jobs.c.job_id == bindparam("job"))
INSERT_TRANSITIONS = insert(transitions)


@cache
def start_if_free(database: str) -> sqlite.Insert | postgresql.Insert:
    """Insert a job unless a job for the same work is open."""
    return dialect.insert_into(jobs, database=database).on_conflict_do_nothing(index_elements=["open_key"])


@cache
def converted(database: str) -> Select[Any]:
    """Select the documents with an active version among the hashes in the parameter `many`."""
    active = documents.c.active_conversion_version.is_not(None)
    return select(documents.c.document_id).where(documents.c.content_hash.in_(dialect.many(database)), active)


@cache
def logs(database: str) -> Select[Any]:
    """Select every transition of every job about the documents in the parameter `many`."""
    return (
        select(
            jobs.c.job_id,
            jobs.c.raw_hash,
            jobs.c.intent,
            jobs.c.state,
            jobs.c.reason,
            transitions.c.seq,
            transitions.c.from_state,
            transitions.c.to_state,
            transitions.c.skipped,
            transitions.c.at,
            transitions.c.details_json,
        )
        .join_from(jobs, transitions, jobs.c.job_id == transitions.c.job_id)
        .where(jobs.c.raw_hash.in_(dialect.many(database)))
        .order_by(jobs.c.raw_hash, jobs.c.created_at, jobs.c.job_id, transitions.c.seq)
    )


def _compare_and_set() -> Update:
    return (
        update(jobs)
        .where(jobs.c.job_id == bindparam("job"), jobs.c.seq == bindparam("seen_seq"))
        .where(jobs.c.claims == bindparam("seen_claims"))
        .where(jobs.c.owner.is_not_distinct_from(bindparam("seen_owner", type_=jobs.c.owner.type)))
        .values({name: bindparam(name) for name in CHANGEABLE})
    )


SET_OPEN = _compare_and_set()
SET_FINAL = _compare_and_set().values(open_key=None)


def change(job: Job, changed: Job) -> dict[str, Any]:
    """The parameters of `SET_OPEN` and `SET_FINAL`: the new values, and those that the row must still have."""
    row = {name: getattr(changed, name) for name in CHANGEABLE}
    return row | {"job": job.job_id, "seen_seq": job.seq, "seen_claims": job.claims, "seen_owner": job.owner}


def open_key(new: NewJob) -> str | None:
    """The key that is unique among open jobs: it identifies the work. None for a job without bytes."""
    if new.raw_hash is None:
        return None
    scope = new.source_instance_id or "" if new.intent is Intent.EXTRACT else ""
    return f"{new.intent}:{new.raw_hash}:{new.scope or scope}"


def as_steps(steps: Sequence[IngestionState | Step]) -> list[Step]:
    """Convert bare states to steps without details."""
    return [step if isinstance(step, Step) else Step(state=step) for step in steps]


def check_way(before: IngestionState, way: Sequence[Step]) -> None:
    """Check each transition in a sequence of steps.

    Raises:
        IllegalTransition: the table does not allow one of them.
    """
    for step in way:
        check_transition(before, step.state)
        before = step.state


_TRIES = (IngestionState.CONVERSION_PENDING, IngestionState.EXTRACTION_PENDING)


def attempts_in(way: Sequence[Step]) -> int:
    """Number of attempts that start in a sequence of steps."""
    return sum(step.state in _TRIES and not step.skipped for step in way)


def transition_rows(
    job_id: str, way: Sequence[Step], *, before: IngestionState | None, seq: int, now: str
) -> list[dict[str, Any]]:
    """The rows of a sequence of steps, numbered from `seq`."""
    rows = []
    for number, step in enumerate(way, start=seq):
        row = {"job_id": job_id, "seq": number, "from_state": before, "to_state": step.state, "at": now}
        rows.append(row | {"skipped": int(step.skipped), "details_json": _details_json(step)})
        before = step.state
    return rows


@lru_cache(maxsize=256)
def _details_json(step: Step) -> str:
    """The log details of a step. Cached: most jobs have the same few steps, and encoding costs more than storing."""
    details = {
        "step": step.step or step.state.value,
        "start": step.started_at,
        "end": step.ended_at,
        "outcome": step.outcome or ("skipped" if step.skipped else None),
        "cost": step.cost,
        "error": step.error,
        "tool": step.tool,
    }
    return json.dumps(details, ensure_ascii=False)


def job_of(row: Row[*tuple[Any, ...]]) -> Job:
    """The job of a row that has `COLUMNS` first."""
    fields: dict[str, Any] = dict(zip(FIELDS, row, strict=False))
    fields["intent"] = Intent(row.intent)
    fields["state"] = IngestionState(row.state)
    fields["reason"] = HardFailReason(row.reason) if row.reason else None
    return Job(**fields)


def transition_of(row: Row[*tuple[Any, ...]]) -> Transition:
    """The transition of a row with the table's columns."""
    return Transition(
        seq=row.seq,
        before=IngestionState(row.from_state) if row.from_state else None,
        after=IngestionState(row.to_state),
        skipped=bool(row.skipped),
        at=row.at,
        details=json.loads(row.details_json),
    )
