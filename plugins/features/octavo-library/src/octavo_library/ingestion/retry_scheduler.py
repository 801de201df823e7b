"""What was left open goes on by itself: what was cut short and is owed, jobs whose tool is back (ENG-6, ENG-7).

Jobs that wait for one thing wait together: one of them is tried, after longer and longer pauses; the others follow as
soon as it went through. So thousands that wait for a program cost no more than one.
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
    """What came of a job that was taken up."""

    ENDED = auto()
    """It is final, or somebody else has it."""
    WAITS = auto()
    """It waits again."""
    LEFT = auto()
    """Nobody but a caller can take it up: its original is not to be had, or its password is not known."""


class JobResume(Protocol):
    """Takes one open job up."""

    def __call__(self, job_id: str, request: IngestRequest | None, /, *, cancel: threading.Event) -> ResumeResult:
        """Take it up.

        Args:
            job_id: the job.
            request: how it came in, where this process knows; None: as the index remembers it.
            cancel: set to stop; the job then waits as it did.
        """


@dataclass(frozen=True, slots=True)
class Cause:
    """What jobs wait for.

    Attributes:
        reason: the reason code; empty for what was cut short.
        tool: the plugin that could not work, where that is known.
    """

    reason: str
    tool: str | None = None


CUT_SHORT = Cause("")


@dataclass(slots=True)
class _Group:
    """Jobs with one cause.

    Attributes:
        due: when one of them is tried next.
        pause: seconds until the try after that, should it fail.
        jobs: each with how it came in.
    """

    due: float
    pause: float
    jobs: deque[tuple[str, IngestRequest | None]] = field(default_factory=deque)


class RetryScheduler:
    """Takes open jobs up, one at a time, from a thread of its own that lives while there are any. Thread-safe.

    Args:
        resume: takes one up.
        lacks: whether a tool is known to be unable to work, by a look that costs nothing.
        settings: how often.
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
        self._at_work: Cause | None = None
        self._thread: threading.Thread | None = None

    def add_interrupted(self, job: Job) -> None:
        """A dead owner's job, to be taken up once this opening has lasted, or `wait` asks for it."""
        self._add(CUT_SHORT, job.job_id, None, after=self._settings.grace)

    def add_waiting(self, job: Job, request: IngestRequest | None, *, tool: str | None = None) -> None:
        """A job was let go of until its cause is gone, or was found so."""
        self._add(Cause(str(job.waiting_reason), tool), job.job_id, request, after=self._settings.first)

    def wait_until_resumed(self, seconds: float) -> bool:
        """Begin what was cut short, and wait until nothing of it is left; False where that took longer."""
        with self._state:
            if CUT_SHORT in self._groups:
                self._groups[CUT_SHORT].due = self._clock()
                self._state.notify_all()
            return self._state.wait_for(
                lambda: CUT_SHORT not in self._groups and self._at_work != CUT_SHORT, timeout=seconds
            )

    def close(self) -> None:
        """Stop what is being taken up, and end. What was not finished is open, and goes on at the next opening."""
        self._cancel.set()
        with self._state:
            self._groups.clear()
            self._state.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

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
            result = self._one(job_id, request)
            with self._state:
                self._at_work = None
                self._settle(cause, group, result, (job_id, request))
                self._state.notify_all()

    def _take(self) -> tuple[Cause, _Group, tuple[str, IngestRequest | None]] | None:
        """Wait for the next job that is due; None at the end."""
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
                    self._at_work = cause
                    # It stays among the groups while one of it is tried: those that wait anew find its pause there.
                    return cause, group, group.jobs.popleft()
            return None

    def _one(self, job_id: str, request: IngestRequest | None) -> ResumeResult | None:
        """Take one up; None where the library itself stood in the way."""
        try:
            return self._resume(job_id, request, cancel=self._cancel)
        except (OctavoError, SQLAlchemyError, OSError) as error:
            _log.warning("job %s could not be taken up, and is left open: %s", job_id, error)
            return None

    def _settle(
        self, cause: Cause, group: _Group, result: ResumeResult | None, one: tuple[str, IngestRequest | None]
    ) -> None:
        if result is None:
            group.jobs.append(one)
        if result is ResumeResult.ENDED:
            group.due, group.pause = self._clock(), self._settings.first
        elif result is not ResumeResult.LEFT:
            group.due = self._clock() + group.pause
            group.pause = min(2 * group.pause, self._settings.longest)
        if not group.jobs:
            self._groups.pop(cause, None)
