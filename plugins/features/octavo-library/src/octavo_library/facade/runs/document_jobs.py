"""The jobs of one document: their state, what they wait for, and the outcome of the last attempt (ENG-3, ENG-17)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from octavo_contracts import TERMINAL_STATES, IngestionResult, IngestionState, Intent, UsageError, file_ref

from ...ingestion.follow_ups import follow_up_of
from ...ingestion.requests import PersistedRequest
from ...storage import DocumentState, Index, Job, PolicyContext, document_id_for

_PREFIX = re.compile(r"[0-9a-f][0-9a-f-]{5,63}")
_OF_STATE = {
    IngestionState.COMPLETE: DocumentState.COMPLETE,
    IngestionState.DEGRADED_COMPLETE: DocumentState.DEGRADED,
    IngestionState.HARD_FAILED: DocumentState.FAILED,
}


@dataclass(frozen=True, kw_only=True)
class DocumentJob:
    """A snapshot of a job on a document.

    Attributes:
        job_id: its id.
        document_id: id of the document, even if it was never converted and so is not listed yet.
        intent: the purpose: `ingest`, `reconvert` or `extract`.
        state: its state.
        standing: running, waiting, interrupted, or ended as complete, degraded or failed.
        attempts: number of attempts that count.
        reason: reason code of the failure or of the wait; None otherwise.
        details: the error as a sentence, if the job failed and the error is known.
        run_id: the run to which it belongs, or None.
        begun_at: ISO 8601, UTC.
        changed_at: when its state last changed, or it was claimed or released; ISO 8601, UTC.
        follow_up: `summaries` for a job that makes summaries, whose intent is `extract` too; else None.
    """

    job_id: str
    document_id: str
    intent: Intent
    state: IngestionState
    standing: DocumentState
    attempts: int
    reason: str | None
    details: str | None
    run_id: str | None
    begun_at: str
    changed_at: str
    follow_up: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether it has not ended."""
        return self.state not in TERMINAL_STATES


def jobs_about(index: Index, ref: str, *, policy: PolicyContext | None) -> list[DocumentJob]:
    """The jobs on a document, or on bytes that were never converted, oldest first.

    Args:
        index: the library's index.
        ref: as for `Library.document`.
        policy: only jobs that were requested under this policy context (STO-5); None: all.

    Raises:
        UsageError: no such document, or more than one.
    """
    try:
        raw_hash = index.documents.get(index.documents.resolve(ref, policy=policy)).raw_hash
    except UsageError:
        fits = {
            job.raw_hash for job in index.jobs.open_jobs() if _is_meant(job, ref) and _is_visible(index, job, policy)
        }
        if len(fits) != 1:
            raise
        raw_hash = str(fits.pop())
    return [_shown(job, raw_hash) for job in index.jobs.of_hash(raw_hash) if _is_visible(index, job, policy)]


def is_arriving(index: Index, ref: str, *, policy: PolicyContext, corpus_id: str | None = None) -> bool:
    """Whether a document that is not listed yet is on its way into a library, as far as the asker may see.

    Args:
        index: the library's index.
        ref: its id or hash, six or more first digits of one, or its path.
        policy: the policy context that asks (STO-5).
        corpus_id: only what is coming into this corpus.
    """
    for job in index.jobs.open_jobs():
        if job.intent is not Intent.INGEST or not _is_meant(job, ref) or not _is_visible(index, job, policy):
            continue
        remembered = PersistedRequest.read(job.request_json)
        if corpus_id is None or (remembered is not None and remembered.corpus_id == corpus_id):
            return True
    return False


def unsettled(jobs: Iterable[DocumentJob]) -> list[DocumentJob]:
    """The jobs that need attention: open jobs, and those that failed last for their purpose."""
    last: dict[tuple[Intent, str | None], DocumentJob] = {}
    shown = []
    for job in sorted(jobs, key=lambda one: one.changed_at):
        if job.is_open:
            shown.append(job)
        else:
            last[job.intent, job.follow_up] = job
    failed = [job for job in last.values() if job.standing is DocumentState.FAILED]
    return sorted([*shown, *failed], key=lambda one: one.begun_at)


def _is_meant(job: Job, ref: str) -> bool:
    if job.raw_hash is None:
        return False
    digits = ref.lower()
    if _PREFIX.fullmatch(digits) and (
        job.raw_hash.startswith(digits) or document_id_for(job.raw_hash).startswith(digits)
    ):
        return True
    persisted = PersistedRequest.read(job.request_json)
    return persisted is not None and persisted.path in (ref, file_ref(ref))


def _is_visible(index: Index, job: Job, policy: PolicyContext | None) -> bool:
    """Whether a job was requested under a policy context; only the owner sees a job without a stored request."""
    if policy is None:
        return True
    persisted = PersistedRequest.read(job.request_json)
    if persisted is None:
        return False
    if persisted.corpus_id is not None:
        return index.corpora.get(persisted.corpus_id).policy == policy
    if persisted.asker is not None or job.intent is not Intent.INGEST:
        return persisted.asker == policy
    return policy == PolicyContext()


def _shown(job: Job, raw_hash: str) -> DocumentJob:
    standing = _OF_STATE.get(job.state)
    if standing is None and job.owner is not None:
        standing = DocumentState.IN_PROGRESS
    elif standing is None:
        standing = DocumentState.INTERRUPTED if job.waiting_reason is None else DocumentState.WAITING
    reason = job.reason or job.waiting_reason
    return DocumentJob(
        job_id=job.job_id,
        document_id=document_id_for(raw_hash),
        intent=job.intent,
        state=job.state,
        standing=standing,
        attempts=job.attempts,
        reason=str(reason) if reason else None,
        details=_details(job),
        run_id=job.run_id,
        begun_at=job.created_at,
        changed_at=job.updated_at,
        follow_up=follow_up_of(job),
    )


def _details(job: Job) -> str | None:
    if job.state is not IngestionState.HARD_FAILED or job.result_json is None:
        return None
    receipts = IngestionResult.read(job.result_json).failure_receipts
    return receipts[-1].details if receipts else None
