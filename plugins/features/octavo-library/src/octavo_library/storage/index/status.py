"""How it stands with a document, a corpus and a run: three read-models of one state (ENG-17).

All three count the same expression over the same tables, each over documents of its own choice, so that they cannot
contradict each other. Nothing is stored for them.

Owners are taken at their word: opening a library takes over what dead ones left, and after that an owned job is at work.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from octavo_contracts import HardFailReason, IngestionState, Intent, UsageError
from sqlalchemy import ColumnElement, Connection, Select, case, func, literal, null, or_, select, union_all

from .instance_ids import PolicyContext
from .repository import Repository
from .run_records import PHASE_STATES, DocumentState, Status
from .schema import (
    document_corpus_memberships,
    document_source_instances,
    documents,
    ingest_events,
    jobs,
    runs,
    transitions,
)

_OF_STATE = {
    IngestionState.COMPLETE: DocumentState.COMPLETE,
    IngestionState.DEGRADED_COMPLETE: DocumentState.DEGRADED,
    IngestionState.HARD_FAILED: DocumentState.FAILED,
}


class StatusReader(Repository):
    """The part of the index that says how far everything is."""

    def of_document(self, document_id: str) -> Status:
        """How it stands with one document.

        Raises:
            UsageError: there is none of that id.
        """
        status = self._status(known=documents.c.document_id == document_id, fresh=None)
        if not status.documents:
            raise UsageError(f"there is no document {document_id!r} in this library")
        return status

    def of_corpus(self, corpus_id: str) -> Status:
        """How it stands with the documents of a corpus, and with those that a run is bringing into it."""
        member = document_corpus_memberships.c
        members = select(member.document_id).where(member.corpus_id == corpus_id)
        arriving = select(runs.c.run_id).where(runs.c.corpus_id == corpus_id)
        return self._status(known=documents.c.document_id.in_(members), fresh=jobs.c.run_id.in_(arriving))

    def of_policy(self, policy: PolicyContext) -> Status:
        """How it stands with the documents that came in under a policy context (STO-5)."""
        instance = document_source_instances.c
        visible = select(instance.document_id).where(instance.policy_context_json == policy.canonical())
        return self._status(known=documents.c.document_id.in_(visible), fresh=None)

    def of_run(self, run_id: str) -> Status:
        """The current status of a run's sources; `RunRepository.counts` has the outcomes at the time of the run."""
        seen = select(ingest_events.c.document_id).where(ingest_events.c.run_id == run_id)
        begun = select(jobs.c.raw_hash).where(jobs.c.run_id == run_id)
        here = or_(documents.c.document_id.in_(seen), documents.c.content_hash.in_(begun))
        return self._status(known=here, fresh=jobs.c.run_id == run_id, unread=jobs.c.run_id == run_id)

    def _status(
        self,
        *,
        known: ColumnElement[bool],
        fresh: ColumnElement[bool] | None,
        unread: ColumnElement[bool] | None = None,
    ) -> Status:
        """Count.

        Args:
            known: which documents.
            fresh: which open jobs about bytes that are no document yet.
            unread: which jobs about sources whose bytes could not be read.
        """
        subjects = [_known(known)]
        subjects += [_fresh(fresh)] if fresh is not None else []
        subjects += [_unread(unread)] if unread is not None else []
        rows = union_all(*subjects).subquery()
        grouped = select(rows.c.standing, rows.c.reason, func.count()).group_by(rows.c.standing, rows.c.reason)
        standing: Counter[DocumentState] = Counter()
        failures: Counter[HardFailReason] = Counter()
        waiting: Counter[str] = Counter()
        with self._read() as connection:
            for name, reason, count in connection.execute(grouped):
                standing[DocumentState(name)] += count
                if name == DocumentState.FAILED and reason is not None:
                    failures[HardFailReason(reason)] += count
                elif name == DocumentState.WAITING:
                    waiting[reason] += count
            entered = _entered(connection, select(rows.c.raw_hash))
        return Status(
            documents=standing.total(),
            standing=dict(standing),
            failures=dict(failures),
            waiting=dict(waiting),
            phases={phase: entered[state] for phase, state in PHASE_STATES.items()},
        )


def _known(where: ColumnElement[bool]) -> Select[Any]:
    """Documents. One that can be read stands as its active version does, whatever is tried besides."""
    job = jobs.alias("its_job")
    its_open = (job.c.raw_hash == documents.c.content_hash, job.c.open_key.is_not(None))
    is_open = select(literal(1)).where(*its_open).correlate(documents).exists()
    owned = select(literal(1)).where(*its_open, job.c.owner.is_not(None)).correlate(documents).exists()
    waiting = select(func.max(job.c.waiting_reason)).where(*its_open).correlate(documents).scalar_subquery()
    by_status = case(
        *((documents.c.ingestion_status == state, literal(name.value)) for state, name in _OF_STATE.items()),
        else_=literal(DocumentState.FAILED.value),
    )
    standing = case(
        (documents.c.active_conversion_version.is_not(None), by_status),
        (owned, literal(DocumentState.IN_PROGRESS.value)),
        (waiting.is_not(None), literal(DocumentState.WAITING.value)),
        (is_open, literal(DocumentState.INTERRUPTED.value)),
        else_=by_status,
    )
    reason = case((standing == DocumentState.WAITING.value, waiting), else_=documents.c.hard_fail_reason)
    return select(documents.c.content_hash.label("raw_hash"), standing.label("standing"), reason.label("reason")).where(
        where
    )


def _fresh(where: ColumnElement[bool]) -> Select[Any]:
    """Bytes that jobs work on and that are no document yet: they become one when the first job ends."""
    is_document = select(literal(1)).where(documents.c.content_hash == jobs.c.raw_hash).correlate(jobs).exists()
    standing = case(
        (jobs.c.owner.is_not(None), literal(DocumentState.IN_PROGRESS.value)),
        (jobs.c.waiting_reason.is_not(None), literal(DocumentState.WAITING.value)),
        else_=literal(DocumentState.INTERRUPTED.value),
    )
    return select(jobs.c.raw_hash, standing.label("standing"), jobs.c.waiting_reason.label("reason")).where(
        where, jobs.c.open_key.is_not(None), jobs.c.intent == Intent.INGEST, ~is_document
    )


def _unread(where: ColumnElement[bool]) -> Select[Any]:
    """Sources whose bytes could not be read: a job each, that failed at once."""
    failed = literal(DocumentState.FAILED.value).label("standing")
    return select(null().label("raw_hash"), failed, jobs.c.reason.label("reason")).where(
        where, jobs.c.raw_hash.is_(None)
    )


def _entered(connection: Connection, hashes: Select[Any]) -> Counter[IngestionState]:
    """State → how many of some bytes have a job that entered it."""
    log = transitions.c
    query = (
        select(log.to_state, func.count(jobs.c.raw_hash.distinct()))
        .join_from(transitions, jobs, log.job_id == jobs.c.job_id)
        .where(jobs.c.raw_hash.in_(hashes), log.to_state.in_(list(PHASE_STATES.values())))
        .group_by(log.to_state)
    )
    return Counter({IngestionState(state): count for state, count in connection.execute(query)})
