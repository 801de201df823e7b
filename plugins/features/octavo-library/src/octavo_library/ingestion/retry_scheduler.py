"""Background scheduler: resumes interrupted jobs, retries jobs that wait for a tool, runs follow-ups (ENG-6, ENG-7).

Jobs with the same cause form a group: one of them is retried with exponential backoff, and the others follow as soon as
it succeeds. So thousands of jobs that wait for one program cost no more than one.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Protocol

from octavo.settings.engine import WakeSettings
from octavo_contracts import OctavoError
from sqlalchemy.exc import SQLAlchemyError

from ..storage import Job
from .requests import IngestRequest

_log = logging.getLogger("octavo.ingestion")


class ResumeResult(Enum):
    """Outcome of resuming a job."""

    ENDED = auto()
    """The job has ended, or another process has it."""
    WAITS = auto()
    """The job waits again."""
    LEFT = auto()
    """Only a caller can resume the job: it was interrupted too often, or its password is unknown."""
    NOT_HERE = auto()
    """The job cannot be resumed on this machine: its original, its plugin or its profile is unavailable."""


class JobResume(Protocol):
    """Resumes one open job."""

    def __call__(self, job_id: str, request: IngestRequest | None, /, *, cancel: threading.Event) -> ResumeResult:
        """Resume the job.

        Args:
            job_id: the job.
            request: its request, if this process knows it; None: the request in the index.
            cancel: set to stop; the job then waits as before.
        """


@dataclass(frozen=True, slots=True)
class Cause:
    """The cause for which jobs wait.

    Attributes:
        reason: the reason code; empty for interrupted jobs.
        tool: the unavailable plugin, if known.
    """

    reason: str
    tool: str | None = None


CUT_SHORT = Cause("")
FOLLOW_UP = Cause("follow-up")
"""Nothing is missing: the job is a follow-up's, for which no result waits."""


@dataclass(slots=True)
class _Group:
    """Jobs with the same cause.

    Attributes:
        due: when one of them is retried next.
        pause: seconds until the retry after that, if it fails.
        jobs: each job id with its request.
    """

    due: float
    pause: float
    jobs: deque[tuple[str, IngestRequest | None]] = field(default_factory=deque)


class RetryScheduler:
    """Resumes open jobs, one at a time, in a background thread that runs while there are any. Thread-safe.

    Args:
        resume: resumes one job.
        lacks: whether a tool is known to be unavailable; a cheap check.
        settings: the intervals.
        clock: seconds; must not jump.
    """

    def __init__(
        self,
        resume: JobResume,
        *,
        lacks: Callable[[str], bool],
        settings: WakeSettings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._resume = resume
        self._lacks = lacks
        self._settings = settings
        self._clock = clock
        self._state = threading.Condition()
        self._cancel = threading.Event()
        self._groups: dict[Cause, _Group] = {}
        self._running: Cause | None = None
        self._thread: threading.Thread | None = None

    def add_interrupted(self, job: Job) -> None:
        """Schedule a dead owner's job: after the grace period, or when `wait_until_resumed` is called."""
        self._add(CUT_SHORT, job.job_id, None, after=self._settings.grace)

    def add_follow_up(self, job: Job) -> None:
        """Schedule the job of a follow-up, which is due at once."""
        self._add(FOLLOW_UP, job.job_id, None, after=0.0)

    def add_waiting(self, job: Job, request: IngestRequest | None, *, tool: str | None = None) -> None:
        """Schedule a job that waits until its cause is gone."""
        self._add(Cause(str(job.waiting_reason), tool), job.job_id, request, after=self._settings.first)

    def wait_until_resumed(self, seconds: float) -> bool:
        """Resume the interrupted jobs now and wait until none is left; False if that took longer."""
        with self._state:
            if CUT_SHORT in self._groups:
                self._groups[CUT_SHORT].due = self._clock()
                self._state.notify_all()
            return self._wait_for(CUT_SHORT, seconds)

    def wait_for_follow_ups(self, seconds: float) -> bool:
        """Wait until no job of a follow-up is left; False if that took longer."""
        with self._state:
            return self._wait_for(FOLLOW_UP, seconds)

    def close(self) -> None:
        """Cancel the running job and stop the thread. Unfinished jobs stay open until the library is next opened."""
        self._cancel.set()
        with self._state:
            self._groups.clear()
            self._state.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _wait_for(self, cause: Cause, seconds: float) -> bool:
        return self._state.wait_for(lambda: cause not in self._groups and self._running != cause, timeout=seconds)

    def _add(self, cause: Cause, job_id: str, request: IngestRequest | None, *, after: float) -> None:
        with self._state:
            if self._cancel.is_set():
                return
            group = self._groups.get(cause)
            if group is None:
                group = self._groups[cause] = _Group(self._clock() + after, self._settings.first)
            group.jobs.append((job_id, request))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="octavo-retries", daemon=True)
                self._thread.start()
            self._state.notify_all()

    def _work(self) -> None:
        while (taken := self._take()) is not None:
            cause, group, (job_id, request) = taken
            result = self._resume_one(job_id, request)
            with self._state:
                self._running = None
                self._reschedule(cause, group, result, (job_id, request))
                self._state.notify_all()

    def _take(self) -> tuple[Cause, _Group, tuple[str, IngestRequest | None]] | None:
        """Wait for the next job that is due; None after `close` or when no job is left."""
        with self._state:
            while not self._cancel.is_set():
                if not self._groups:
                    self._thread = None
                    return None
                cause, group = min(self._groups.items(), key=lambda item: item[1].due)
                left = group.due - self._clock()
                if left > 0:
                    self._state.wait(left)
                elif cause.tool is not None and self._lacks(cause.tool):
                    group.due = self._clock() + self._settings.first
                else:
                    self._running = cause
                    # The group stays registered while its job runs: jobs that are added meanwhile keep its backoff.
                    return cause, group, group.jobs.popleft()
            return None

    def _resume_one(self, job_id: str, request: IngestRequest | None) -> ResumeResult | None:
        """Resume one job; None if an error of the library prevented it."""
        try:
            return self._resume(job_id, request, cancel=self._cancel)
        except (OctavoError, SQLAlchemyError, OSError) as error:
            _log.warning("cannot resume job %s, which stays open: %s", job_id, error)
            return None

    def _reschedule(
        self, cause: Cause, group: _Group, result: ResumeResult | None, one: tuple[str, IngestRequest | None]
    ) -> None:
        if result is None:
            group.jobs.append(one)
        if result is ResumeResult.ENDED:
            group.due, group.pause = self._clock(), self._settings.first
        elif result not in (ResumeResult.LEFT, ResumeResult.NOT_HERE):
            group.due = self._clock() + group.pause
            group.pause = min(2 * group.pause, self._settings.longest)
        if not group.jobs:
            self._groups.pop(cause, None)
