"""Research runs and the journal of their steps (RES-2)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from octavo_contracts import UsageError
from sqlalchemy import ColumnElement, Connection, Row, func, insert, or_, select, update

from .derived_texts import DERIVED_FROM, documents_of, without_documents
from .repository import Repository
from .schema import documents, research_runs, research_steps

ResearchStatus = Literal["running", "completed", "failed", "cancelled"]

_RUNS, _STEPS = research_runs.c, research_steps.c
_RUNNING: Final = "running"


@dataclass(frozen=True, kw_only=True, slots=True)
class ResearchRecord:
    """A research run.

    Attributes:
        research_id: its id.
        corpus_id: the corpus that asks, or None for the library's owner.
        question: what is asked.
        options_json: options of the run, as JSON.
        status: running, completed, failed or cancelled. A running one whose owner has ended is interrupted.
        phase: the phase of its newest step.
        reason: why it failed, or None.
        owner: the process that executes it, as `ArtifactStore.owner`; None where none does.
        created_at: ISO 8601, UTC.
        updated_at: ISO 8601, UTC.
    """

    research_id: str
    corpus_id: str | None
    question: str
    options_json: str
    status: ResearchStatus
    phase: str
    reason: str | None
    owner: str | None
    created_at: str
    updated_at: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ResearchStep:
    """A finished step.

    Attributes:
        name: its name, unique in the run.
        seq: its place in the order of commits, from 1.
        phase: the phase that it belongs to.
        result_json: its result: documents, versions and locators. A text stands in it only with the documents that it was derived
            from (`derived_texts`), so that a purge of one of them deletes it.
        at: when it was committed, ISO 8601, UTC.
    """

    name: str
    seq: int
    phase: str
    result_json: str
    at: str


class ResearchRepository(Repository):
    """Research runs, each executed by one process at a time, and their finished steps.

    A run belongs to the corpus that asks. `corpus_id` is everywhere who asks; None: the library's owner, who sees all.
    """

    def create(self, research_id: str, question: str, *, corpus_id: str | None, options_json: str) -> ResearchRecord:
        """Add a run that no process executes yet."""
        now = self._now()
        record = ResearchRecord(
            research_id=research_id,
            corpus_id=corpus_id,
            question=question,
            options_json=options_json,
            status=_RUNNING,
            phase="planning",
            reason=None,
            owner=None,
            created_at=now,
            updated_at=now,
        )
        row: dict[str, Any] = {name: getattr(record, name) for name in ResearchRecord.__dataclass_fields__}
        with self._write() as connection:
            connection.execute(insert(research_runs), row)
        return record

    def get(self, research_id: str, *, corpus_id: str | None = None) -> ResearchRecord:
        """A run by its id or a unique prefix of it.

        Raises:
            UsageError: no run of this asker has the id, or several have the prefix.
        """
        prefix = _RUNS.research_id.startswith(research_id, autoescape=True)
        with self._read() as connection:
            rows = connection.execute(select(research_runs).where(prefix, _of(corpus_id)).limit(2)).all()
        if len(rows) != 1 or not research_id:
            what = "several research runs begin with" if rows else "there is no research run"
            raise UsageError(f"{what} {research_id[:80]!r}", remedy="Take an id from `octavo research list`")
        return _record(rows[0])

    def all(self, *, corpus_id: str | None = None) -> tuple[ResearchRecord, ...]:
        """The runs, the newest first."""
        query = select(research_runs).where(_of(corpus_id)).order_by(_RUNS.created_at.desc(), _RUNS.research_id)
        with self._read() as connection:
            return tuple(_record(row) for row in connection.execute(query))

    def claim(self, record: ResearchRecord, *, owner: str) -> bool:
        """Make a process the one that executes a run; False where the run ended, or another process was faster.

        Args:
            record: the run as it was read; its owner has ended, or it has none.
            owner: the process.
        """
        same = _RUNS.owner.is_(None) if record.owner is None else _RUNS.owner == record.owner
        here = (_RUNS.research_id == record.research_id) & same & (_RUNS.status == _RUNNING)
        with self._write() as connection:
            change = update(research_runs).where(here).values(owner=owner, updated_at=self._now())
            return connection.execute(change).rowcount == 1

    def commit_step(self, research_id: str, *, owner: str, name: str, phase: str, result_json: str) -> bool:
        """Commit the result of a step; False where the process does not execute the run any more, or it was cancelled.

        A step that is already committed keeps its result. Of texts that were derived from a document which was purged since, nothing
        is stored.
        """
        with self._write() as connection:
            mine = (_RUNS.research_id == research_id) & (_RUNS.owner == owner) & (_RUNS.status == _RUNNING)
            now = self._now()
            # Updated first: the row is locked before the count is read, on both databases.
            if not connection.execute(update(research_runs).where(mine).values(phase=phase, updated_at=now)).rowcount:
                return False
            if name not in _names(connection, research_id):
                last = select(func.coalesce(func.max(_STEPS.seq), 0)).where(_STEPS.research_id == research_id)
                row = {
                    "research_id": research_id,
                    "name": name,
                    "seq": (connection.scalar(last) or 0) + 1,
                    "phase": phase,
                    "result_json": _without_purged(connection, result_json),
                    "at": now,
                }
                connection.execute(insert(research_steps), row)
            return True

    def step_result(self, research_id: str, name: str) -> str | None:
        """The result of a finished step as it is stored; None where the step is not finished."""
        query = select(_STEPS.result_json).where(_STEPS.research_id == research_id, _STEPS.name == name)
        with self._read() as connection:
            return connection.scalar(query)

    def steps(self, research_id: str) -> tuple[ResearchStep, ...]:
        """The finished steps, in the order of their commits."""
        columns = [_STEPS[name] for name in ResearchStep.__dataclass_fields__]
        query = select(*columns).where(_STEPS.research_id == research_id).order_by(_STEPS.seq)
        with self._read() as connection:
            return tuple(ResearchStep(**row._mapping) for row in connection.execute(query))

    def finish(self, research_id: str, *, status: ResearchStatus, owner: str | None, reason: str | None = None) -> bool:
        """End a run, or release it with `status="running"`; False where it had ended, or another process executes it.

        Args:
            research_id: the run.
            status: the new status.
            owner: the process that executes it; None: whichever does, for a cancellation.
            reason: why it failed.
        """
        here = (_RUNS.research_id == research_id) & (_RUNS.status == _RUNNING)
        if owner is not None:
            here &= _RUNS.owner == owner
        values: dict[str, Any] = {"status": status, "owner": None, "reason": reason, "updated_at": self._now()}
        with self._write() as connection:
            return connection.execute(update(research_runs).where(here).values(values)).rowcount == 1

    def reopen(self, research_id: str) -> bool:
        """Let a failed or cancelled run continue; False where it is in another status."""
        here = (_RUNS.research_id == research_id) & or_(_RUNS.status == "failed", _RUNS.status == "cancelled")
        values: dict[str, Any] = {"status": _RUNNING, "owner": None, "reason": None, "updated_at": self._now()}
        with self._write() as connection:
            return connection.execute(update(research_runs).where(here).values(values)).rowcount == 1


def forget_research(connection: Connection, document_id: str) -> None:
    """Delete every text that a research run derived from a document; call it once the row of the document is deleted."""
    having = _STEPS.result_json.contains(document_id, autoescape=True) & _STEPS.result_json.contains(DERIVED_FROM)
    rows = connection.execute(select(_STEPS.research_id, _STEPS.name, _STEPS.result_json).where(having)).all()
    for research_id, name, result_json in rows:
        kept = _dumped(without_documents(json.loads(result_json), {document_id}))
        here = (_STEPS.research_id == research_id) & (_STEPS.name == name)
        connection.execute(update(research_steps).where(here).values(result_json=kept))


def _without_purged(connection: Connection, result_json: str) -> str:
    """A result without the texts that were derived from purged documents. The others cannot be purged before the commit."""
    if DERIVED_FROM not in result_json:
        return result_json
    result = json.loads(result_json)
    wanted = documents_of(result)
    # Locked: a purge deletes the row of its document first, so it waits for this commit and then finds the step.
    there = (
        select(documents.c.document_id).where(documents.c.document_id.in_(sorted(wanted))).with_for_update(read=True)
    )
    gone = wanted.difference(connection.scalars(there))
    return _dumped(without_documents(result, gone)) if gone else result_json


def _dumped(result: Any) -> str:
    return json.dumps(result, sort_keys=True, ensure_ascii=False)


def _names(connection: Connection, research_id: str) -> set[str]:
    return set(connection.scalars(select(_STEPS.name).where(_STEPS.research_id == research_id)))


def _of(corpus_id: str | None) -> ColumnElement[bool]:
    return _RUNS.corpus_id == corpus_id if corpus_id is not None else _RUNS.research_id.is_not(None)


def _record(row: Row[*tuple[Any, ...]]) -> ResearchRecord:
    return ResearchRecord(**cast("dict[str, Any]", row._mapping))
