"""Works on the queued documents of a library, from any machine that has the library open (ENG-6).

The index is the only truth of what is done: a job is taken by a claim, its completion is fenced by that claim, and the
jobs of a dead process return to the queue.
"""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from octavo_contracts import TERMINAL_STATES, OctavoError
from sqlalchemy.exc import SQLAlchemyError

from ..storage import Job
from .engine import Engine
from .leases import LEASE_SECONDS
from .retry_scheduler import ResumeResult

POLL_SECONDS = 0.5
"""Interval of looking for queued jobs while there are none."""

LONGEST_PAUSE = 30.0
"""Longest pause after an error of the index or the store, in seconds."""

_log = logging.getLogger("octavo.ingestion")


@dataclass(slots=True)
class WorkerCounts:
    """What a worker did.

    Attributes:
        ended: jobs that it brought to an end.
        returned: jobs that it put back, because the index or the store failed or it was stopped.
        left: jobs that it could not begin: their bytes are not reachable from here, or they failed too often.
        taken_over: jobs of dead processes that it completed or returned to the queue.
    """

    ended: int = 0
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
        self._slots = slots
        self._look_after = look_after
        self._lock = threading.Lock()
        self.counts = WorkerCounts()

    def run(self, *, stop: threading.Event, until_empty: bool = False) -> WorkerCounts:
        """Work until `stop` is set.

        Args:
            stop: set it from another thread: running documents are cancelled and return to the queue.
            until_empty: end when no job is queued and none is taken by a live process.
        """
        self._engine.heartbeat.start()
        working = threading.Semaphore(2 * self._slots)
        looked = 0.0
        pause = POLL_SECONDS
        with ThreadPoolExecutor(max_workers=2 * self._slots, thread_name_prefix="octavo-queue") as pool:
            while not stop.is_set():
                try:
                    if time.monotonic() - looked >= self._look_after:
                        self.take_over_dead()
                        looked = time.monotonic()
                    # Wait for a free slot before the claim: a job claimed earlier would be withheld from other workers.
                    working.acquire()
                    working.release()
                    found = self._index.queue.take(owner=self._owner, limit=self._slots, seconds=LEASE_SECONDS)
                    pause = POLL_SECONDS
                    if not found:
                        counts = self._index.queue.counts() if until_empty else None
                        if counts is not None and counts.queued == counts.taken == 0:
                            break
                        stop.wait(POLL_SECONDS)
                except (OctavoError, SQLAlchemyError) as error:
                    _log.warning("cannot take documents from the queue, trying again: %s", error)
                    stop.wait(pause)
                    pause = min(2 * pause, LONGEST_PAUSE)
                    continue
                for job in found:
                    working.acquire()
                    pool.submit(self._work, job, stop).add_done_callback(lambda _: working.release())
        return self.counts

    def take_over_dead(self) -> int:
        """Complete the jobs whose versions dead processes had stored, and return their other jobs to the queue."""
        done = 0
        for owner in self._index.queue.owners():
            if owner == self._owner or self._engine.context.artifacts.is_alive(owner):
                continue
            for job in self._index.queue.of_owner(owner):
                mine = self._index.jobs.claim(job, owner=self._owner)
                if mine is None:
                    continue  # another worker was faster
                done += 1
                if not self._engine.recovery.adopt(mine):
                    self._index.queue.put_back(self._engine.recovery.interrupted(mine).job_id, owner=self._owner)
        with self._lock:
            self.counts.taken_over += done
        return done

    def _work(self, job: Job, stop: threading.Event) -> None:
        try:
            result = None if stop.is_set() else self._engine.resumer(job.job_id, None, cancel=stop)
        except (OctavoError, SQLAlchemyError, OSError) as error:
            _log.warning("job %s returns to the queue: %s", job.job_id, error)
            result = None
        try:
            self._settle(job, result)
        except (OctavoError, SQLAlchemyError) as error:
            # The claim expires with this process's lease; another worker then takes the job over.
            _log.warning("cannot return job %s to the queue: %s", job.job_id, error)

    def _settle(self, job: Job, result: ResumeResult | None) -> None:
        """Count the outcome, and let go of a job that did not end."""
        now = self._index.jobs.get(job.job_id)
        is_ended = now.state in TERMINAL_STATES
        is_put_back = False
        if not is_ended and result is ResumeResult.LEFT:
            self._index.queue.let_go(job.job_id, owner=self._owner)
        elif not is_ended and now.waiting_reason is None and now.owner in (None, self._owner):
            is_put_back = self._index.queue.put_back(job.job_id, owner=now.owner)
        with self._lock:
            self.counts.ended += is_ended
            self.counts.returned += is_put_back
            self.counts.left += not is_ended and result is ResumeResult.LEFT
