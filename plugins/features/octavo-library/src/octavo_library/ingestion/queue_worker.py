"""Works on the queued documents of a library, from any machine that has the library open (ENG-6).

The index is the only truth of what is done: a job is taken by a claim, its completion is fenced by that claim, and the
jobs of a dead process return to the queue. Jobs are taken together, and their completions are committed in groups.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from octavo_contracts import TERMINAL_STATES, IllegalTransition, OctavoError
from sqlalchemy.exc import SQLAlchemyError

from ..storage import Job
from ..storage.index.queue import QUEUED
from ..storage.index.server import IndexMigrated
from .deferred_jobs import DeferredJobs
from .engine import Engine
from .events import JobRecovered
from .leases import LEASE_SECONDS
from .outage_log import OutageLog
from .queue_log import log_end, log_taken_over
from .queue_pace import QueuePace
from .queued_conversions import JobEnd, QueuedConversions, end_of
from .queued_jobs import is_workers, shown_document
from .retry_scheduler import ResumeResult
from .version_sweep import VersionSweep

POLL_SECONDS = 0.5
"""Interval of looking for queued jobs while there are none."""

LONGEST_PAUSE = 30.0
"""Longest pause after an error of the index or the store, in seconds."""

COMMIT_SECONDS = 1.0
"""Longest time that a converted document waits for others to be committed with it."""

_QUERY = 500
"""Jobs that are looked up in one query."""

_TOO_OFTEN = "its workers ended too often while they converted it; `octavo submit` queues it again"

_log = logging.getLogger("octavo.ingestion")


@dataclass(slots=True)
class WorkerCounts:
    """What a worker did.

    Attributes:
        ended: jobs that it brought to an end, those of failed documents included.
        failed: jobs among them whose document failed.
        returned: jobs that it put back, because the index or the store failed or it was stopped.
        left: jobs that it could not begin and that no other worker has ended since. They stay in the queue if their bytes,
            plugin or profile are not here; a job whose workers ended too often is out of it, until it is submitted again.
        taken_over: jobs of dead processes that it completed or returned to the queue.
    """

    ended: int = 0
    failed: int = 0
    returned: int = 0
    left: int = 0
    taken_over: int = 0


class QueueWorker:
    """Takes queued jobs and converts their documents until it is stopped.

    Args:
        engine: the engine of the open library.
        slots: documents converted in parallel.
        look_after: seconds between two looks for dead processes.
    """

    def __init__(self, engine: Engine, *, slots: int, look_after: float) -> None:
        self._engine = engine
        self._index = engine.index
        self._owner = engine.context.artifacts.owner
        # Two threads per slot: while one stores its document, that of the other is converted.
        self._threads = 2 * slots
        self._look_after = look_after
        self._sweep = VersionSweep(engine.context.artifacts, engine.index, interval=look_after)
        self._pace = QueuePace(slots)
        self._room = threading.Condition()
        self._waiting = 0
        self._held: set[str] = set()
        self._has_strays = False
        self._deferred = DeferredJobs()
        self._outage = OutageLog(_log, "take documents from the queue")
        self.counts = WorkerCounts()

    def run(self, *, stop: threading.Event, until_empty: bool = False) -> WorkerCounts:
        """Work until `stop` is set.

        Args:
            stop: set it from another thread: running documents are cancelled and return to the queue.
            until_empty: end when no job is queued that this worker can begin, and none is taken by a live process.

        Raises:
            IndexMigrated: a newer Octavo migrated the index. Documents in work go to others when the lease ends.
        """
        self._engine.heartbeat.start()
        commits = self._engine.commits
        before, medium = commits.policy, self._engine.settings.commits.medium
        commits.policy = replace(medium, seconds=min(medium.seconds, COMMIT_SECONDS))
        try:
            with (
                ThreadPoolExecutor(max_workers=self._threads, thread_name_prefix="octavo-queue") as pool,
                ThreadPoolExecutor(max_workers=1, thread_name_prefix="octavo-queue-end") as ends,
            ):
                conversions = QueuedConversions(self._engine, pool, ends, stop=stop, on_end=self._on_end)
                try:
                    self._take_all(pool, conversions, stop=stop, until_empty=until_empty)
                finally:
                    self._wait_for_held()
        finally:
            commits.policy = before
        if self._has_strays:
            self._return_strays()
        self.counts.left = self._count_left()
        return self.counts

    def _take_all(
        self, pool: ThreadPoolExecutor, conversions: QueuedConversions, *, stop: threading.Event, until_empty: bool
    ) -> None:
        looked = 0.0
        pause = POLL_SECONDS
        while not stop.is_set():
            try:
                if time.monotonic() - looked >= self._look_after:
                    self.take_over_dead()
                    self._engine.completer.fenced.sweep()
                    self._sweep.sweep()
                    self._index.hosts.mark(self._owner, kind="worker")
                    looked = time.monotonic()
                if self._has_strays:
                    self._return_strays()
                # Wait for a free thread before the claim: a job claimed earlier would be withheld from other workers.
                if not self._wait_for_room():
                    continue
                others = self._deferred.not_due()
                found = self._index.queue.take(
                    owner=self._owner, limit=self._pace.limit(), seconds=LEASE_SECONDS, but_not=others
                )
                self._outage.succeeded()
                if not found:
                    counts = self._index.queue.counts(but_not=others) if until_empty else None
                    if counts is not None and counts.queued == counts.taken == 0:
                        return
                    stop.wait(POLL_SECONDS)
                    continue
                with self._room:
                    self._held.update(job.job_id for job in found)
                    self._waiting += len(found)
                try:
                    begun = self._engine.taken_jobs.prepare(found)
                except BaseException:
                    self._let_go_of(found)
                    raise
                pause = POLL_SECONDS
            except IndexMigrated:
                raise
            except (OctavoError, SQLAlchemyError) as error:
                # The answer to a claim may have been lost: what this process owns without knowing it is returned.
                self._has_strays = True
                self._outage.failed(error)
                stop.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                continue
            alone = [job for job in found if job.job_id not in begun and self._is_suspect(job)]
            for job in found:
                if job.job_id in begun:
                    pool.submit(conversions.convert, begun[job.job_id], on_converted=self._converted)
                elif job not in alone:
                    pool.submit(self._resume, job, stop)
            for at, job in enumerate(alone):
                self._wait_for_others({one.job_id for one in alone[at:]})
                self._resume(job, stop)

    def _is_suspect(self, job: Job) -> bool:
        """Whether the last attempt of a job is next.

        It is made without any other document in work: if the process dies, the death counts against this document alone.
        """
        return 0 < self._engine.settings.retries.tries - 1 <= job.attempts

    def _wait_for_others(self, job_ids: set[str]) -> None:
        """Wait until this worker has no other jobs than these."""
        with self._room:
            while self._held - job_ids:
                self._engine.commits.flush()
                self._room.wait(POLL_SECONDS)

    def take_over_dead(self) -> int:
        """Complete the jobs whose versions dead processes had stored, and return their other jobs to the queue."""
        done = 0
        for owner in self._index.queue.owners():
            if owner == self._owner or self._engine.context.artifacts.is_alive(owner):
                continue
            for job in self._index.queue.of_owner(owner):
                if self._take_over(job):
                    done += 1
                    log_taken_over(job)
        with self._room:
            self.counts.taken_over += done
        return done

    # -- what this process owns without working on it -------------------------------------------------------------

    def _take_over(self, job: Job) -> bool:
        """Complete a job from its stored version, or return it to the queue; False if another worker was faster."""
        mine = self._index.jobs.claim(job, owner=self._owner)
        if mine is None:
            return False
        try:
            is_finished = self._engine.recovery.adopt(mine)
            if not is_finished:
                self._index.queue.put_back(self._engine.recovery.interrupted(mine).job_id, owner=self._owner)
        except IllegalTransition:
            return False
        except BaseException:
            self._has_strays = True
            raise
        recovered = JobRecovered(run_id=job.run_id, job_id=job.job_id, raw_hash=job.raw_hash, finished=is_finished)
        self._engine.events.emit(recovered)
        return True

    def _return_strays(self) -> None:
        """Return the jobs that this process owns and does not work on; an error has left them.

        A document whose lock is held is in work on another thread of this process.
        """
        self._has_strays = False
        locks = self._engine.document_locks
        try:
            for job in self._index.queue.of_owner(self._owner):
                if self._is_held(job.job_id) or job.raw_hash is None or not locks.try_acquire(job.raw_hash):
                    continue
                try:
                    if not self._is_held(job.job_id) and self._take_over(job):
                        with self._room:
                            self.counts.returned += 1
                finally:
                    locks.release(job.raw_hash)
        except (OctavoError, SQLAlchemyError) as error:
            self._has_strays = True
            self._outage.failed(error)

    def _is_held(self, job_id: str) -> bool:
        with self._room:
            return job_id in self._held

    # -- threads --------------------------------------------------------------------------------------------------

    def _wait_for_room(self) -> bool:
        """Wait until a thread is free; False if that takes long, so that the caller looks after other things."""
        with self._room:
            return self._room.wait_for(lambda: self._waiting < self._threads, timeout=POLL_SECONDS)

    def _wait_for_held(self) -> None:
        """Wait until all taken jobs have ended or were let go."""
        self._wait_for_others(set())

    def _converted(self) -> None:
        """A thread is free again. If no document is left to convert, those that wait for their group are committed."""
        self._pace.note()
        with self._room:
            self._waiting -= 1
            is_last = self._waiting == 0
            self._room.notify_all()
        if is_last:
            self._engine.commits.flush()

    def _on_end(self, job_id: str, end: JobEnd) -> None:
        with self._room:
            self._held.discard(job_id)
            self._has_strays = self._has_strays or end is JobEnd.STRAY
            self.counts.ended += end in (JobEnd.ENDED, JobEnd.FAILED)
            self.counts.failed += end is JobEnd.FAILED
            self.counts.returned += end is JobEnd.RETURNED
            if end is JobEnd.DEFERRED:
                self._deferred.add(job_id)
            elif end is JobEnd.LEFT:
                self._deferred.add_let_go(job_id)
            elif end is not JobEnd.STRAY:
                self._deferred.discard(job_id)
            self._room.notify_all()

    def _count_left(self) -> int:
        """How many of the jobs that this worker could not begin are still open and without a worker."""
        job_ids = self._deferred.all()
        try:
            jobs = [
                job for first in range(0, len(job_ids), _QUERY) for job in self._open(job_ids[first : first + _QUERY])
            ]
        except (OctavoError, SQLAlchemyError) as error:
            _log.warning("cannot look up the documents that this worker could not begin: %s", error)
            return len(job_ids)
        return len(jobs)

    def _open(self, job_ids: Sequence[str]) -> list[Job]:
        found = self._index.queue.get_many(job_ids).values()
        return [job for job in found if job.owner is None and job.state not in TERMINAL_STATES]

    def _let_go_of(self, jobs: tuple[Job, ...]) -> None:
        with self._room:
            self._held.difference_update(job.job_id for job in jobs)
            self._waiting -= len(jobs)

    # -- jobs that had an owner before ----------------------------------------------------------------------------

    def _resume(self, job: Job, stop: threading.Event) -> None:
        result, end = None, JobEnd.STRAY
        try:
            result = None if stop.is_set() else self._engine.resumer(job.job_id, None, cancel=stop)
        except (OctavoError, SQLAlchemyError, OSError) as error:
            _log.warning("%s returns to the queue: %s", shown_document(job), error)
        try:
            end = self._settle(job, result)
        except (OctavoError, SQLAlchemyError) as error:
            _log.warning("cannot return %s to the queue yet: %s", shown_document(job), error)
        finally:
            self._converted()
            self._on_end(job.job_id, end)

    def _settle(self, job: Job, result: ResumeResult | None) -> JobEnd:
        """Let go of a job that did not end."""
        now = self._index.jobs.get(job.job_id)
        if now.state in TERMINAL_STATES:
            log_end(now)
            return end_of(now.state)
        if result is ResumeResult.NOT_HERE and is_workers(job):
            is_queued = now.waiting_reason == QUEUED or self._index.queue.put_back(job.job_id, owner=now.owner)
            return JobEnd.DEFERRED if is_queued else JobEnd.ELSEWHERE
        if result in (ResumeResult.LEFT, ResumeResult.NOT_HERE):
            self._index.queue.let_go(job.job_id, owner=self._owner)
            if is_workers(job):
                _log.warning("%s is taken out of the queue: %s", shown_document(job), _TOO_OFTEN)
            return JobEnd.LEFT
        if now.waiting_reason is None and now.owner in (None, self._owner):
            return JobEnd.RETURNED if self._index.queue.put_back(job.job_id, owner=now.owner) else JobEnd.ELSEWHERE
        return JobEnd.RETURNED if now.waiting_reason == QUEUED else JobEnd.ELSEWHERE
