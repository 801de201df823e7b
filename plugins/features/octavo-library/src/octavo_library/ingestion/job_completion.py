"""Completes jobs: commits the index rows of a job in one transaction and emits its events (STO-8, ENG-14).

The completions of many documents share a transaction; events and processing logs follow the commit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial

from octavo_contracts import IngestionResult, OctavoError
from sqlalchemy.exc import SQLAlchemyError

from ..storage import CompletedJob, Index, Job, NewJob
from ..storage.index.refusals import refusal_of
from ..storage.pipelined import each
from .completions import Committing, PendingCompletion, failed_job
from .engine_context import EngineContext
from .events import JobEnded, JobWaiting
from .fenced_versions import FencedVersions
from .follow_ups import Completion, FollowUps
from .refused_commits import RefusedCommits
from .requests import IngestRequest

OnWait = Callable[[Job, IngestRequest, str | None], None]
"""Called with a job that waits, its request, and the unavailable plugin if it is known."""


class JobCompleter:
    """Commits completions of jobs. Thread-safe.

    Args:
        context: the shared components of the engine.
        follow_ups: open their jobs in the transaction that completes a job.
        on_wait: called with each job that stays open until its cause is gone.

    Attributes:
        fenced: versions that were stored for jobs that another process had taken over.
    """

    def __init__(self, context: EngineContext, follow_ups: FollowUps, *, on_wait: OnWait) -> None:
        self._context = context
        self._follow_ups = follow_ups
        self._on_wait = on_wait
        self.fenced = FencedVersions(context.artifacts, context.index)
        self._refused = RefusedCommits(context)

    def submit(self, pending: PendingCompletion, *, urgent: bool = True) -> Future[Job]:
        """Queue the completion of a job; call `tell` once it is committed.

        Args:
            pending: the outcome of the job.
            urgent: whether to commit immediately; otherwise the completion waits for its group.
        """
        job, reason, completion = pending.claimed.job, pending.reason, pending.completion
        if completion is None:
            return self._context.commits.submit(
                lambda index: index.jobs.release(job, waiting_reason=reason), urgent=urgent
            )
        committed = self._context.commits.submit_item(completion, self._follow_ups.complete, urgent=urgent)
        self.fenced.watch(completion.completed, committed)
        return committed

    def tell(self, pending: PendingCompletion, job: Job, *, seconds: float) -> None:
        """Emit the event of a committed completion, and schedule the retry of a job that waits."""
        if pending.completed is None:
            self._emit_wait(job, pending.claimed.request, tool=pending.tool)
        else:
            self._emit_end(job, pending.claimed.request, tool=pending.tool, seconds=seconds)

    def complete(self, pending: PendingCompletion) -> PendingCompletion:
        """Commit the completion of a job and write its processing log; return once both are durable.

        Returns:
            The completion as it was committed: a failure, if the index refused the document's rows.

        Raises:
            StorageError: the commit failed.
        """
        started = time.monotonic()
        try:
            job = self.submit(pending).result()
        except (OctavoError, SQLAlchemyError) as error:
            pending, job = self.settle(pending, error)
        self.tell(pending, job, seconds=time.monotonic() - started)
        if pending.completed is not None:
            self.write_logs([pending.claimed.source.raw_file_hash])
        return pending

    def settle(self, pending: PendingCompletion, error: Exception) -> tuple[PendingCompletion, Job]:
        """Repeat a commit that the index refused, or commit the failure of its job; see `RefusedCommits.settle`.

        Args:
            pending: the completion that was submitted.
            error: the error of its commit.

        Returns:
            The completion that is committed now, for `tell`, and the final job.

        Raises:
            OctavoError: `error`, if it is no refusal; the commit failed for another reason.
        """
        if pending.completion is None:
            raise error
        settled = self._refused.settle(pending.completion, error, write=self._write)
        pending = replace(pending, completed=settled.completion.completed)
        if settled.refused is None or settled.result is None:
            return pending, settled.job
        refused = settled.refused.located(source=pending.claimed.source.display)
        failed = replace(
            pending, result=settled.result, tool=None, reason=settled.job.reason, later=None, held_back=None
        )
        return replace(failed, refused=refused), settled.job

    def settle_submitted(self, made: Committing, error: Exception) -> Committing:
        """As `settle`; gives the completion that is committed now, or the error that is left."""
        pending = made.pending
        committed: Future[Job] = Future()
        try:
            pending, job = self.settle(pending, error)
        except (OctavoError, SQLAlchemyError) as left:
            committed.set_exception(left)
        else:
            committed.set_result(job)
        return Committing(pending=pending, committed=committed)

    def fail(self, completed: CompletedJob, request: IngestRequest) -> None:
        """Commit the failure of a job whose document was not converted."""
        completion = Completion(completed=completed, request=request)
        try:
            job = self._write(completion)
        except (OctavoError, SQLAlchemyError) as error:
            job = self._refused.settle(completion, error, write=self._write).job
        self._emit_end(job, request)

    def fail_unread(self, result: IngestionResult, request: IngestRequest, *, path_ref: str | None) -> None:
        """Record the failure of a source whose bytes could not be read: its job starts and ends in one transaction."""
        new, owner = NewJob(raw_hash=None, run_id=request.run_id), self._context.artifacts.owner

        def write(index: Index, *, has_provenance: bool = True) -> Job:
            started = index.jobs.start(new, owner=owner).job
            completed = failed_job(started, result, request, path_ref=path_ref)
            return index.jobs.complete([completed if has_provenance else replace(completed, sighting=None)])[0]

        try:
            job = self._context.commits.call(write)
        except (OctavoError, SQLAlchemyError) as error:
            if refusal_of(error) is None:
                raise
            job = self._context.commits.call(partial(write, has_provenance=False))
        self._emit_end(job, request)

    def recover(self, completion: Completion) -> None:
        """Commit the completion of a dead owner's job on this thread, without the writer thread."""
        index = self._context.index

        def write(one: Completion) -> Job:
            with index.whole():
                return self._follow_ups.complete(index, [one])[0]

        try:
            write(completion)
        except (OctavoError, SQLAlchemyError) as error:
            self._refused.settle(completion, error, write=write)
        document = completion.completed.document
        assert document is not None  # its version was stored
        self.write_logs([document.raw_hash])

    def _write(self, completion: Completion) -> Job:
        return self._context.commits.submit_item(completion, self._follow_ups.complete).result()

    def put_aside(self, job: Job, request: IngestRequest, error: OctavoError) -> None:
        """Release a job that waits until the library can be written again."""
        released = self._context.commits.call(lambda index: index.jobs.release(job, waiting_reason=error.reason))
        self._emit_wait(released, request, tool=None)

    def write_logs(self, raw_hashes: Sequence[str]) -> None:
        """Rewrite the `processing_log.json` of documents from the index (ENG-2)."""
        artifacts = self._context.artifacts
        logs = self._context.index.jobs.processing_logs(raw_hashes).items() if raw_hashes else ()
        each(artifacts, logs, lambda one: artifacts.write_log(*one))

    def _emit_end(self, job: Job, request: IngestRequest, *, tool: str | None = None, seconds: float = 0.0) -> None:
        self._context.events.emit(
            JobEnded(
                run_id=request.run_id,
                job_id=job.job_id,
                document_id=job.document_id,
                raw_hash=job.raw_hash,
                intent=job.intent,
                state=job.state,
                reason=job.reason,
                tool=tool,
                seconds=seconds,
            )
        )

    def _emit_wait(self, job: Job, request: IngestRequest, *, tool: str | None) -> None:
        reason = str(job.waiting_reason)
        self._context.events.emit(
            JobWaiting(run_id=request.run_id, job_id=job.job_id, raw_hash=job.raw_hash, reason=reason, tool=tool)
        )
        self._on_wait(job, request, tool)
