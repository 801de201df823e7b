"""The queued jobs that a worker could not begin, and leaves to other workers (ENG-6)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

FIRST_PAUSE = 60.0
"""Seconds until a worker tries a job again that it could not begin: a folder may have been mounted meanwhile."""

LONGEST_PAUSE = 900.0
"""Longest time between two tries, in seconds. It doubles with each try."""


class DeferredJobs:
    """The jobs that this worker could not begin, each with the time of its next try. Thread-safe.

    Args:
        clock: seconds; must not jump.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._due: dict[str, tuple[float, float]] = {}
        self._let_go: set[str] = set()

    def add(self, job_id: str) -> None:
        """A job is in the queue again; this worker does not take it for a while."""
        with self._lock:
            _, before = self._due.get(job_id, (0.0, 0.0))
            pause = min(2 * before or FIRST_PAUSE, LONGEST_PAUSE)
            self._due[job_id] = (self._clock() + pause, pause)

    def add_let_go(self, job_id: str) -> None:
        """A job is out of the queue: only a caller can continue it."""
        with self._lock:
            self._due.pop(job_id, None)
            self._let_go.add(job_id)

    def discard(self, job_id: str) -> None:
        """A job was begun."""
        with self._lock:
            self._due.pop(job_id, None)
            self._let_go.discard(job_id)

    def not_due(self) -> frozenset[str]:
        """The jobs in the queue that this worker does not take now."""
        with self._lock:
            now = self._clock()
            return frozenset(job_id for job_id, (due, _) in self._due.items() if due > now)

    def all(self) -> tuple[str, ...]:
        """Every job that this worker could not begin."""
        with self._lock:
            return (*self._due, *self._let_go)
