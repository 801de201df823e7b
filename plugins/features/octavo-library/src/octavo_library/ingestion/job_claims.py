"""Claims on jobs: start a job, take over the job of a dead owner, release a job (ENG-6, ENG-22)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress

from octavo_contracts import TERMINAL_STATES, IngestionState, Intent, OctavoError, UsageError
from octavo_sandbox import Cancelled
from octavo_sandbox.errors import raise_if
from octavo_sandbox.keyed_lock import WAIT_SECONDS
from sqlalchemy.exc import SQLAlchemyError

from ..storage import Job, NewJob, StartedJob, document_id_for
from ..storage.index.queue import QUEUED
from .claimed_job import Busy, NotOpened
from .engine_context import EngineContext
from .events import JobClaimed
from .plugin_fingerprint import PluginFingerprint
from .requests import IngestRequest, serialize_request
from .startup_recovery import Recovery

_S = IngestionState
BEGIN = (_S.HASH_CHECKED, _S.SOURCE_STORED, _S.CONVERSION_PENDING)
"""States of a new job before the conversion."""


class JobClaims:
    """Starts and takes over jobs for one open library. Thread-safe.

    Args:
        context: the shared components of the engine.
        engines: fingerprints the plugins on which a stored failure depends.
        recovery: finishes jobs whose version a dead owner had stored.
        on_claim: called before a job is claimed.
    """

    def __init__(
        self, context: EngineContext, engines: PluginFingerprint, recovery: Recovery, *, on_claim: Callable[[], None]
    ) -> None:
        self.engines = engines
        self._artifacts = context.artifacts
        self._index = context.index
        self._commits = context.commits
        self._events = context.events
        self._recovery = recovery
        self._on_claim = on_claim

    def new_job(
        self,
        raw_hash: str,
        intent: Intent,
        request: IngestRequest,
        path_ref: str | None,
        *,
        activate: bool | None = None,
    ) -> NewJob:
        """Build the job to start for a document."""
        return NewJob(
            raw_hash=raw_hash,
            intent=intent,
            source_instance_id=request.instance_id(document_id_for(raw_hash)),
            engine_set=self.engines.of(request),
            request_json=serialize_request(request, path_ref, activate=activate, limits=self.engines.limits),
            steps=BEGIN,
            unless_converted=intent is Intent.INGEST,
            run_id=request.run_id,
        )

    def start(self, new: Sequence[NewJob]) -> Future[list[StartedJob]]:
        """Start jobs, all in one transaction; for jobs that are already open see `Index.jobs.start_many`."""
        self._on_claim()
        owner = self._artifacts.owner
        return self._commits.submit(lambda index: index.jobs.start_many(new, owner=owner))

    def claim(
        self,
        raw_hash: str,
        intent: Intent,
        request: IngestRequest,
        path_ref: str | None,
        *,
        activate: bool | None = None,
        patient: bool = True,
    ) -> Job | None:
        """Start the job, or take over the job of a dead owner.

        Args:
            raw_hash: the document.
            intent: the purpose of the job.
            request: the request.
            path_ref: its path as a reference.
            activate: whether a reconversion's version becomes the active one; None: unless it loses pages or text.
            patient: whether to wait while another process works on the document.

        Returns:
            The claimed job in `conversion_pending`; None if another process finished it meanwhile.

        Raises:
            Busy: another process works on the document, and the caller is not patient.
        """
        new = self.new_job(raw_hash, intent, request, path_ref, activate=activate)
        while True:
            job, is_new = self.start([new]).result()[0]
            if is_new:
                self.tell(job, request, taken_from=None)
                return job
            if job.state in TERMINAL_STATES:
                return None
            if not self.is_busy(job):
                claimed = self._take_over(job)
                if claimed is not None:
                    if self._recovery.adopt(claimed):
                        return None
                    self.tell(claimed, request, taken_from=job.owner)
                    return self._begin_again(claimed, owner_died=job.owner not in (None, self._artifacts.owner))
                continue
            if not patient:
                raise Busy
            self._commits.flush()
            raise_if(request.options.cancel)
            time.sleep(WAIT_SECONDS)

    def resume(self, job: Job, request: IngestRequest) -> Job | None:
        """Claim a job that has no owner, to resume it.

        Returns:
            The claimed job in `conversion_pending`; None if another process claimed it first, or if its version was
            already stored and the job has been completed with it.
        """
        self._on_claim()
        claimed = self._take_over(job)
        if claimed is None or self._recovery.adopt(claimed):
            return None
        self.tell(claimed, request, taken_from=job.owner)
        return self._begin_again(claimed, owner_died=False)

    def is_busy(self, job: Job) -> bool:
        """Whether another process works on a job. A job of this process is a leftover: this thread holds the lock."""
        return job.owner is not None and job.owner != self._artifacts.owner and self._artifacts.is_alive(job.owner)

    def tell(self, job: Job, request: IngestRequest, *, taken_from: str | None) -> None:
        """Emit the event of a claim."""
        if self._events.listened:
            self._events.emit(
                JobClaimed(
                    run_id=request.run_id,
                    job_id=job.job_id,
                    raw_hash=job.raw_hash,
                    intent=job.intent,
                    state=job.state,
                    taken_from=taken_from,
                    claims=job.claims,
                )
            )

    def _take_over(self, job: Job) -> Job | None:
        owner = self._artifacts.owner
        return self._commits.call(lambda index: index.jobs.claim(job, owner=owner))

    def _begin_again(self, job: Job, *, owner_died: bool) -> Job:
        if owner_died:
            job = self._recovery.interrupted(job)
        if job.state in (_S.CONVERSION_FAILED, _S.SOURCE_STORED):
            return self._commits.call(lambda index: index.jobs.advance(job, _S.CONVERSION_PENDING))
        return job

    @contextmanager
    def held(self, job: Job) -> Iterator[None]:
        """Release the job after an unexpected error, so that the document can be ingested again."""
        try:
            yield
        except BaseException:
            self._release(job, self._index.jobs.release)
            raise

    @contextmanager
    def resumed(self, job: Job, *, before: Job) -> Iterator[None]:
        """As `held`, for a job that was resumed in the background.

        An attempt that this host cancelled does not count, nor one whose plugin or profile does not exist here.

        Args:
            job: the claim.
            before: the job before the claim; the released job waits for the same reason. If it had this process as its
                owner, a worker had taken it from the queue.
        """
        try:
            yield
        except NotOpened:
            raise  # the resumer returns the job, with the reason
        except BaseException as error:
            is_stopped = isinstance(error, Cancelled | UsageError)
            waiting_reason = before.waiting_reason
            # A worker's job returns to the queue in one step, unless its plugin or profile does not exist here.
            if before.owner == self._artifacts.owner and not isinstance(error, UsageError):
                waiting_reason = waiting_reason or QUEUED

            def as_before(now: Job) -> Job:
                is_counted = now.state is _S.CONVERSION_PENDING and now.attempts > before.attempts
                let_go = self._index.jobs.give_back if is_stopped and is_counted else self._index.jobs.release
                return let_go(now, waiting_reason=waiting_reason)

            self._release(job, as_before)
            raise

    def _release(self, job: Job, how: Callable[[Job], Job]) -> None:
        with suppress(OctavoError, SQLAlchemyError):  # the first error is the one to report
            now = self._index.jobs.get(job.job_id)
            if now.owner == self._artifacts.owner:
                how(now)
