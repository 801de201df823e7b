"""Who works on which job: start one, take over a dead owner's, let go (ENG-6, ENG-22)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress

from octavo_contracts import TERMINAL_STATES, IngestionState, Intent, OctavoError
from octavo_sandbox import Cancelled
from octavo_sandbox.errors import raise_if
from octavo_sandbox.keyed_lock import WAIT_SECONDS
from sqlalchemy.exc import SQLAlchemyError

from ..storage import Job, NewJob, StartedJob, document_id_for
from .claimed_job import Busy
from .engine_context import EngineContext
from .events import JobClaimed
from .plugin_fingerprint import PluginFingerprint
from .requests import IngestRequest, serialize_request
from .startup_recovery import Recovery

_S = IngestionState
BEGIN = (_S.HASH_CHECKED, _S.SOURCE_STORED, _S.CONVERSION_PENDING)
"""What a new job passes through before anything is converted."""


class JobClaims:
    """Starts and takes over jobs for one opening of a library. Thread-safe.

    Args:
        context: what the engine's parts share.
        engines: what a stored failure depends on.
        recovery: finishes what a dead owner had stored.
        on_claim: called before a job is claimed.
    """

    def __init__(
        self, context: EngineContext, engines: PluginFingerprint, recovery: Recovery, *, on_claim: Callable[[], None]
    ) -> None:
        self.engines = engines
        self._artifacts = context.artifacts
        self._index = context.index
        self._writer = context.writer
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
        """The job to start for a document."""
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
        """Start jobs, all in one transaction; see `Index.jobs.start_many` for what is given where one is open already."""
        self._on_claim()
        owner = self._artifacts.owner
        return self._writer.submit(lambda index: index.jobs.start_many(new, owner=owner))

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
        """Start the job, or take over a dead owner's.

        Args:
            raw_hash: the document.
            intent: what for.
            request: how it is asked for.
            path_ref: its path as a reference.
            activate: whether a reconversion's version is to become the active one; None: unless it loses pages or text.
            patient: whether to wait while another process is at work on it.

        Returns:
            The claimed job in `conversion_pending`; None where it was finished while we waited.

        Raises:
            Busy: another process is, and the caller is not patient.
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
            self._writer.flush()
            raise_if(request.options.cancel)
            time.sleep(WAIT_SECONDS)

    def resume(self, job: Job, request: IngestRequest) -> Job | None:
        """Take over a job that nobody has, to go on with it.

        Returns:
            The claimed job in `conversion_pending`; None where somebody was first, or a version was stored already
            and the job has ended with it.
        """
        self._on_claim()
        claimed = self._take_over(job)
        if claimed is None or self._recovery.adopt(claimed):
            return None
        self.tell(claimed, request, taken_from=job.owner)
        return self._begin_again(claimed, owner_died=False)

    def is_busy(self, job: Job) -> bool:
        """Whether somebody else is at work on a job. One of our own is left over: this thread alone has the document."""
        return job.owner is not None and job.owner != self._artifacts.owner and self._artifacts.is_alive(job.owner)

    def tell(self, job: Job, request: IngestRequest, *, taken_from: str | None) -> None:
        """Tell of a claim."""
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
        return self._writer.call(lambda index: index.jobs.claim(job, owner=owner))

    def _begin_again(self, job: Job, *, owner_died: bool) -> Job:
        if owner_died:
            job = self._recovery.interrupted(job)
        if job.state in (_S.CONVERSION_FAILED, _S.SOURCE_STORED):
            return self._writer.call(lambda index: index.jobs.advance(job, _S.CONVERSION_PENDING))
        return job

    @contextmanager
    def held(self, job: Job) -> Iterator[None]:
        """Let go of a job that an unexpected error left open, so that the document can be taken in again."""
        try:
            yield
        except BaseException:
            self._let_go(job, self._index.jobs.release)
            raise

    @contextmanager
    def resumed(self, job: Job, *, before: Job) -> Iterator[None]:
        """As `held`, for a job that nobody asked to go on with. A try that this host stopped does not count.

        Args:
            job: the claim.
            before: the job as it was, and is to wait then.
        """
        try:
            yield
        except BaseException as error:
            is_stopped = isinstance(error, Cancelled)

            def as_before(now: Job) -> Job:
                is_counted = now.state is _S.CONVERSION_PENDING and now.attempts > before.attempts
                let_go = self._index.jobs.give_back if is_stopped and is_counted else self._index.jobs.release
                return let_go(now, waiting_reason=before.waiting_reason)

            self._let_go(job, as_before)
            raise

    def _let_go(self, job: Job, how: Callable[[Job], Job]) -> None:
        with suppress(OctavoError, SQLAlchemyError):  # the error that led here is the one to report
            now = self._index.jobs.get(job.job_id)
            if now.owner == self._artifacts.owner:
                how(now)
