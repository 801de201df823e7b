"""Work that outlasts a request: uploads, reconversions and retries, in threads of the server."""

from __future__ import annotations

import itertools
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal

from octavo_contracts import OctavoError
from octavo_library.storage import time_text

from .access import Grant
from .problems import NotFound, Refused, internal_problem, problem_of

AT_ONCE = 2
"""Tasks that run at the same time; a run of many documents has workers of its own."""
MOST_WAITING = 100
"""Tasks that may wait; more are refused."""
MOST_BYTES = 1_000_000_000
"""Bytes of uploads that may wait together; more are refused."""
MOST_KEPT = 300
"""Tasks that are remembered; the oldest finished ones are forgotten first."""

TaskKind = Literal["upload", "reconvert", "retry", "convert", "recognise"]
TaskState = Literal["waiting", "running", "finished", "failed", "cancelled"]
_log = logging.getLogger("octavo.dashboard")


@dataclass(frozen=True, kw_only=True)
class TaskResult:
    """The result of a task.

    Attributes:
        message: one sentence.
        document_id: the document, or None.
        is_failure: whether the document could not be converted.
    """

    message: str
    document_id: str | None = None
    is_failure: bool = False


@dataclass(frozen=True, kw_only=True)
class Task:
    """A task as it stands.

    Attributes:
        id: its id, which nobody can guess from another one's.
        kind: what it does.
        name: the file or document that it is about.
        grant: who may see it: requests with the same grant.
        state: how far it is.
        begun_at: when it was asked for, ISO 8601, UTC.
        message: the result, or why it failed.
        remedy: what to do about a failure.
        document_id: the document, once it is known.
        size: bytes that it holds in memory while it is open.
    """

    id: str
    kind: TaskKind
    name: str
    grant: Grant
    state: TaskState
    begun_at: str
    message: str = ""
    remedy: str = ""
    document_id: str | None = None
    size: int = 0

    @property
    def is_open(self) -> bool:
        """Whether it waits or runs."""
        return self.state in ("waiting", "running")


@dataclass
class _Entry:
    task: Task
    cancel: threading.Event = field(default_factory=threading.Event)


class BackgroundWork:
    """The tasks of a server. Thread-safe.

    Args:
        new_id: makes ids.
    """

    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="octavo-dashboard")
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._lock = threading.Lock()
        self._changes = itertools.count(1)
        self.change = 0
        """A number that grows with each change of a task."""

    def start(
        self,
        kind: TaskKind,
        name: str,
        grant: Grant,
        run: Callable[[threading.Event], TaskResult],
        *,
        document_id: str | None = None,
        size: int = 0,
    ) -> Task:
        """Start a task.

        Args:
            kind: what it does.
            name: the file or document that it is about.
            grant: who may see it.
            run: does the work, and stops when the event is set.
            document_id: the document, if it is known.
            size: bytes that it holds in memory.

        Raises:
            Refused: too many tasks wait, or they hold too many bytes.
        """
        task = Task(
            id=self._new_id(),
            kind=kind,
            name=name,
            grant=grant,
            state="waiting",
            begun_at=time_text(datetime.now(UTC)),
            document_id=document_id,
            size=size,
        )
        entry = _Entry(task)
        with self._lock:
            waiting = [one.task for one in self._entries.values() if one.task.is_open]
            if len(waiting) >= MOST_WAITING or (waiting and sum(one.size for one in waiting) + size > MOST_BYTES):
                raise Refused(503, "Too much work is waiting", reason="busy", remedy="Try again in a minute")
            self._entries[task.id] = entry
            self._forget()
        self.change = next(self._changes)
        self._threads.submit(self._run, entry, run)
        return task

    def tasks(self, grant: Grant) -> list[Task]:
        """The tasks of a grant, newest first."""
        with self._lock:
            return [one.task for one in reversed(self._entries.values()) if one.task.grant == grant]

    def get(self, task_id: str, grant: Grant) -> Task:
        """A task of a grant.

        Raises:
            NotFound: there is none, or it has another grant.
        """
        return self._entry(task_id, grant).task

    def cancel(self, task_id: str, grant: Grant) -> Task:
        """Stop a task; one that has ended stays as it is.

        Raises:
            NotFound: there is none, or it has another grant.
        """
        entry = self._entry(task_id, grant)
        entry.cancel.set()
        return entry.task

    def close(self) -> None:
        """Stop every task and wait for the threads."""
        with self._lock:
            for entry in self._entries.values():
                entry.cancel.set()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _entry(self, task_id: str, grant: Grant) -> _Entry:
        with self._lock:
            entry = self._entries.get(task_id)
        if entry is None or entry.task.grant != grant:
            raise NotFound("task")
        return entry

    def _forget(self) -> None:
        ended = [one.task.id for one in self._entries.values() if not one.task.is_open]
        for task_id in ended[: max(0, len(self._entries) - MOST_KEPT)]:
            del self._entries[task_id]

    def _run(self, entry: _Entry, run: Callable[[threading.Event], TaskResult]) -> None:
        if entry.cancel.is_set():
            self._change(entry, replace(entry.task, state="cancelled", message="Cancelled"))
            return
        self._change(entry, replace(entry.task, state="running"))
        try:
            result = run(entry.cancel)
        except OctavoError as error:
            problem = problem_of(error)
            state: TaskState = "cancelled" if entry.cancel.is_set() else "failed"
            ended = replace(entry.task, state=state, message=problem.title, remedy=problem.remedy)
        except Exception:  # noqa: BLE001 - dispatch: a bug in one task must not end the thread; the log has the details
            _log.exception("a task failed: %s", entry.task.kind)
            problem = internal_problem()
            ended = replace(entry.task, state="failed", message=problem.title, remedy=problem.remedy)
        else:
            ended = replace(
                entry.task,
                state="cancelled" if entry.cancel.is_set() else "failed" if result.is_failure else "finished",
                message=result.message,
                document_id=result.document_id or entry.task.document_id,
            )
        self._change(entry, ended)

    def _change(self, entry: _Entry, task: Task) -> None:
        with self._lock:
            entry.task = task
        self.change = next(self._changes)
