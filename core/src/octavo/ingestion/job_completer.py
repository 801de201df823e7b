"""Commits the ends of jobs, those of many documents in one transaction; then their events and processing logs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from octavo_contracts import IngestionResult, OctavoError

from ..storage import CompletedJob, Index, Job, NewJob
from .engine_context import EngineContext
from .events import JobEnded, JobWaiting
from .follow_ups import Completion, FollowUps
from .job_completion import Ending, failed_job
from .requests import IngestRequest

OnWait = Callable[[Job, IngestRequest, str | None], None]
"""Told of a job that waits, how it came in, and the plugin that could not work, where that is known."""


class JobCompleter:
    """Commits the ends of jobs. Thread-safe.

    Args:
        context: what the engine's parts share.
        follow_ups: whose jobs are opened in the transaction that completes a job.
        on_wait: told of each job that is left open until its cause is gone.
    """

    def __init__(self, context: EngineContext, follow_ups: FollowUps, *, on_wait: OnWait) -> None:
        self._context = context
        self._follow_ups = follow_ups
        self._on_wait = on_wait

    def submit(self, ending: Ending, *, urgent: bool = True) -> Future[Job]:
        """Hand the end of a job to the writer; `tell` is to be called once it is committed.

        Args:
            ending: how the job ends, or that it waits.
            urgent: whether it is committed at once. One that is not waits for its group.
        """
        job, reason, completion = ending.task.job, ending.reason, ending.completion
        if completion is None:
            return self._context.writer.submit(
                lambda index: index.jobs.release(job, waiting_reason=reason), urgent=urgent
            )
        return self._context.writer.submit_item(completion, self._follow_ups.complete, urgent=urgent)

    def tell(self, ending: Ending, job: Job, *, seconds: float) -> None:
        """Emit the event of a committed end, and have a job that waits resumed."""
        if ending.completed is None:
            self._tell_wait(job, ending.task.request, tool=ending.tool)
        else:
            self._tell_end(job, ending.task.request, tool=ending.tool, seconds=seconds)

    def complete(self, ending: Ending) -> Job:
        """Commit the end of a job; returns the job once that is durable and its processing log is written.

        Raises:
            StorageError: it could not be committed.
        """
        started = time.monotonic()
        job = self.submit(ending).result()
        self.tell(ending, job, seconds=time.monotonic() - started)
        if ending.completed is not None:
            self.write_logs([ending.task.raw_hash])
        return job

    def fail(self, completed: CompletedJob, request: IngestRequest) -> None:
        """Commit the end of a job that failed before its document was converted."""
        completion = Completion(completed=completed, request=request)
        job = self._context.writer.submit_item(completion, self._follow_ups.complete).result()
        self._tell_end(job, request)

    def fail_unread(self, result: IngestionResult, request: IngestRequest, *, path_ref: str | None) -> None:
        """Record the failure of a source whose bytes could not be read: its job starts and ends in one transaction."""
        new, owner = NewJob(raw_hash=None, run_id=request.run_id), self._context.artifacts.owner

        def write(index: Index) -> Job:
            started = index.jobs.start(new, owner=owner).job
            return index.jobs.complete([failed_job(started, result, request, path_ref=path_ref)])[0]

        job = self._context.writer.call(write)
        self._tell_end(job, request)

    def recover(self, completion: Completion) -> None:
        """Commit the end of a dead owner's job on this thread; the writer need not run for that."""
        index = self._context.index
        with index.whole():
            self._follow_ups.complete(index, [completion])
        document = completion.completed.document
        assert document is not None  # its version was stored
        self.write_logs([document.raw_hash])

    def put_aside(self, job: Job, request: IngestRequest, error: OctavoError) -> None:
        """Let go of a job that waits until the library can be written again."""
        released = self._context.writer.call(lambda index: index.jobs.release(job, waiting_reason=error.reason))
        self._tell_wait(released, request, tool=None)

    def write_logs(self, raw_hashes: Sequence[str]) -> None:
        """Write the `processing_log.json` of documents anew, from the index (ENG-2)."""
        for raw_hash, log in self._context.index.jobs.processing_logs(raw_hashes).items():
            self._context.artifacts.write_log(raw_hash, log)

    def _tell_end(self, job: Job, request: IngestRequest, *, tool: str | None = None, seconds: float = 0.0) -> None:
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

    def _tell_wait(self, job: Job, request: IngestRequest, *, tool: str | None) -> None:
        reason = str(job.waiting_reason)
        self._context.events.emit(
            JobWaiting(run_id=request.run_id, job_id=job.job_id, raw_hash=job.raw_hash, reason=reason, tool=tool)
        )
        self._on_wait(job, request, tool)
