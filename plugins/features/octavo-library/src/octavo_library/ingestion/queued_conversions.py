"""Converts documents that a worker took from the queue; their ends are committed in groups (ENG-6, ENG-14).

The thread that converted a document takes the next one while the commit is pending. Events, the processing log and the
follow-ups come after the commit. A document's lock is held until then.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import Enum, auto

from octavo_contracts import TERMINAL_STATES, IllegalTransition, IngestionState, OctavoError, UsageError
from octavo_sandbox import Cancelled
from octavo_sandbox.errors import raise_if
from sqlalchemy.exc import SQLAlchemyError

from ..storage import document_id_for
from ..storage.index.queue import QUEUED
from ..storage.index.refusals import refusal_of
from .completions import Committing
from .engine import Engine
from .queue_log import log_end
from .queued_jobs import TakenJob, is_workers, not_begun_here, shown_document
from .requests import ProcessedDocument

_log = logging.getLogger("octavo.ingestion")


class JobEnd(Enum):
    """What became of a job that a worker had taken."""

    ENDED = auto()
    """It is in a final state, and its document has a version."""
    FAILED = auto()
    """It is in a final state, and its document failed."""
    RETURNED = auto()
    """It is in the queue again."""
    DEFERRED = auto()
    """It is in the queue again, for a worker that has its bytes, its plugin and its profile."""
    LEFT = auto()
    """It is out of the queue: only a caller can continue it."""
    ELSEWHERE = auto()
    """It waits for a tool, or another process has it."""
    STRAY = auto()
    """An error left it with this process, or may have done so."""


def end_of(state: IngestionState) -> JobEnd:
    """What became of a job in a final state."""
    return JobEnd.FAILED if state is IngestionState.HARD_FAILED else JobEnd.ENDED


OnEnd = Callable[[str, JobEnd], None]
"""Called with the id of a job that is no longer held, and what became of it."""


class _Unreachable(Exception):
    """The document cannot be opened on this machine."""


class _Defect(Exception):
    """The conversion ended in an error of Octavo, which has been logged."""


@dataclass(frozen=True, slots=True)
class _Converted:
    """A converted document whose completion is being committed."""

    taken: TakenJob
    made: Committing
    since: float


class QueuedConversions:
    """Converts the begun jobs of one worker.

    Args:
        engine: the engine of the open library.
        pool: converts; also runs follow-ups.
        ends: one thread that handles what is committed.
        stop: set to end: documents in work return to the queue.
        on_end: called for each job.
    """

    def __init__(
        self,
        engine: Engine,
        pool: ThreadPoolExecutor,
        ends: ThreadPoolExecutor,
        *,
        stop: threading.Event,
        on_end: OnEnd,
    ) -> None:
        self._engine = engine
        self._pool = pool
        self._ends = ends
        self._stop = stop
        self._on_end = on_end
        self._lock = threading.Lock()
        self._committed: list[_Converted] = []

    def convert(self, taken: TakenJob, *, on_converted: Callable[[], None]) -> None:
        """Convert a document, and hand its completion to the writer; errors are logged.

        Args:
            taken: the job and its request.
            on_converted: called when this thread is free again.
        """
        since = time.monotonic()
        locks = self._engine.document_locks
        made: Committing | None = None
        try:
            locks.acquire(taken.raw_hash, cancel=self._stop)
            try:
                made = self._convert(taken)
            finally:
                if made is None:
                    locks.release(taken.raw_hash)
            if made is None:
                self._follow(taken, has_attachments=True)
        except (Cancelled, _Unreachable, OctavoError, SQLAlchemyError, OSError) as error:
            self._let_go(taken, error)
        except Exception:  # noqa: BLE001 - a defect, which must not keep the job: it is logged, and not tried again here
            _log.exception("%s is taken out of the queue; `octavo submit` queues it again", shown_document(taken.job))
            self._let_go(taken, _Defect())
        if made is not None:
            converted = _Converted(taken, made, since)
            made.committed.add_done_callback(lambda _: self._on_commit(converted))
        on_converted()

    def _convert(self, taken: TakenJob) -> Committing | None:
        """Convert and store a document; None if it is complete already, because it has several versions."""
        raise_if(self._stop)
        request = replace(taken.request, options=replace(taken.request.options, cancel=self._stop))
        self._engine.claims.tell(taken.job, request, taken_from=None)
        try:
            source = self._engine.taken_jobs.open(taken)
        except OctavoError as error:
            raise _Unreachable(error.message) from error
        with source:
            return self._engine.ingestor.convert_taken(
                taken.job, source, request, path_ref=taken.path_ref, above=taken.above
            )

    # -- after the commit -----------------------------------------------------------------------------------------

    def _on_commit(self, converted: _Converted) -> None:
        """Called on the writer's thread: what follows is done on another one, for all that were committed together."""
        with self._lock:
            self._committed.append(converted)
            is_first = len(self._committed) == 1
        if is_first:
            self._ends.submit(self._end_all)

    def _end_all(self) -> None:
        with self._lock:
            found, self._committed = self._committed, []
        logs: list[str] = []
        for converted in found:
            try:
                job = converted.made.committed.result()
            except (Cancelled, OctavoError, SQLAlchemyError) as error:
                if refusal_of(error) is not None:
                    self._pool.submit(self._settle, converted, error)  # the document's lock is held until then
                    continue
                self._engine.document_locks.release(converted.taken.raw_hash)
                self._let_go(converted.taken, error)
                continue
            self._engine.document_locks.release(converted.taken.raw_hash)
            pending = converted.made.pending
            self._engine.completer.tell(pending, job, seconds=time.monotonic() - converted.since)
            if pending.completed is None:
                self._on_end(converted.taken.job.job_id, JobEnd.ELSEWHERE)
                continue
            logs.append(converted.taken.raw_hash)
            log_end(job)
            if job.state is IngestionState.HARD_FAILED:
                self._on_end(job.job_id, JobEnd.FAILED)
            else:
                self._follow(converted.taken, has_attachments=bool(pending.completed.attachments))
        try:
            self._engine.completer.write_logs(logs)
        except (OctavoError, SQLAlchemyError) as error:
            _log.warning("cannot write the processing logs of %d documents: %s", len(logs), error)

    def _settle(self, converted: _Converted, error: Exception) -> None:
        """Repeat a commit that the index refused, or fail its document; `_end_all` handles the outcome."""
        self._on_commit(replace(converted, made=self._engine.completer.settle_submitted(converted.made, error)))

    def _follow(self, taken: TakenJob, *, has_attachments: bool) -> None:
        """Run the follow-ups that are due, then note the end."""
        document = ProcessedDocument(
            document_id=document_id_for(taken.raw_hash), reused=False, has_attachments=has_attachments
        )
        if self._engine.follow_ups.is_due(document, taken.request):
            self._pool.submit(self._run_follow_ups, taken, document)
        else:
            self._on_end(taken.job.job_id, JobEnd.ENDED)

    def _run_follow_ups(self, taken: TakenJob, document: ProcessedDocument) -> None:
        request = replace(taken.request, options=replace(taken.request.options, cancel=self._stop))
        try:
            self._engine.follow_ups.run(document, request, job=taken.job)
        except (Cancelled, SQLAlchemyError) as error:  # their jobs are open, and are resumed
            _log.warning("the follow-ups of job %s were cut short: %r", taken.job.job_id, error)
        finally:
            self._on_end(taken.job.job_id, JobEnd.ENDED)

    # -- what did not end -----------------------------------------------------------------------------------------

    def _let_go(self, taken: TakenJob, error: BaseException) -> None:
        shown = shown_document(taken.job)
        is_deferred = isinstance(error, _Unreachable | UsageError) and is_workers(taken.job)
        if is_deferred:
            _log.warning("%s stays in the queue for another worker: %s", shown, error)
        elif not isinstance(error, Cancelled | IllegalTransition | _Defect):
            _log.warning("%s was not completed: %s", shown, error)
        try:
            end = self._release(taken, error, is_deferred=is_deferred)
        except (OctavoError, SQLAlchemyError) as failure:
            _log.warning("cannot return %s to the queue yet: %s", shown, failure)
            end = JobEnd.STRAY
        self._on_end(taken.job.job_id, end)

    def _release(self, taken: TakenJob, error: BaseException, *, is_deferred: bool) -> JobEnd:
        """Return a job to the queue, or leave it to a caller; an attempt that was cancelled or not made does not count."""
        jobs, was_begun = self._engine.index.jobs, not isinstance(error, _Unreachable | UsageError)
        is_left = isinstance(error, _Defect) or not (was_begun or is_deferred)
        now = jobs.get(taken.job.job_id)
        if now.state in TERMINAL_STATES:  # by this process, if only the answer to its commit was lost
            return JobEnd.ELSEWHERE if isinstance(error, IllegalTransition | UsageError) else end_of(now.state)
        if (now.owner, now.claims) != (taken.job.owner, taken.job.claims):
            return JobEnd.ELSEWHERE
        was_made = was_begun and not isinstance(error, Cancelled | _Defect)
        if is_deferred and self._engine.index.queue.defer(now, error=not_begun_here(error)):
            return JobEnd.DEFERRED
        let_go = jobs.release if was_made or now.state is not IngestionState.CONVERSION_PENDING else jobs.give_back
        let_go(now, waiting_reason=None if is_left else QUEUED)
        return JobEnd.LEFT if is_left else JobEnd.RETURNED
