"""Conversions in the background, whose results wait until they are fetched."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import anyio

from .access import Grant
from .background_work import BackgroundWork, Task, TaskResult, TaskState
from .conversion_messages import ConvertResponse, TaskMeta, TaskStatus
from .problems import NotFound, Refused

MOST_RESULTS = 100
"""Results that are kept; the oldest are forgotten first."""
MOST_RESULT_BYTES = 200_000_000
"""Bytes of all results that are kept."""
LONGEST_WAIT = 30.0
"""Longest time that a request waits for the end of a task, in seconds."""
_INTERVAL = 0.05

_STATUS: dict[TaskState, Literal["pending", "started", "success", "failure"]] = {
    "waiting": "pending",
    "running": "started",
    "finished": "success",
    "failed": "failure",
    "cancelled": "failure",
}

Convert = Callable[[threading.Event], ConvertResponse]
"""Converts a document; ends when the event is set."""


@dataclass
class _Result:
    """The answer of a task, once there is one."""

    answer: bytes | None = None


class ConversionTasks:
    """The conversions of a server. Thread-safe.

    Args:
        work: runs them.
    """

    def __init__(self, work: BackgroundWork) -> None:
        self._work = work
        self._results: OrderedDict[str, _Result] = OrderedDict()
        self._lock = threading.Lock()

    def start(self, name: str, grant: Grant, convert: Convert, *, size: int) -> TaskStatus:
        """Start a conversion.

        Args:
            name: the name of the document.
            grant: who may see it.
            convert: converts the document.
            size: bytes that it holds in memory.

        Raises:
            Refused: too much work waits.
        """
        result = _Result()

        def run(cancel: threading.Event) -> TaskResult:
            made = convert(cancel)
            is_failure = made.status == "failure"
            result.answer = made.model_dump_json().encode()
            why = made.errors[0].error_message if made.errors else "The document could not be converted"
            return TaskResult(message=why if is_failure else "Converted", is_failure=is_failure)

        task = self._work.start("convert", name, grant, run, size=size)
        with self._lock:
            self._results[task.id] = result
            self._forget()
        return _status(task)

    async def status(self, task_id: str, grant: Grant, *, wait: float) -> TaskStatus:
        """How far a conversion is.

        Args:
            task_id: the task.
            grant: of the request.
            wait: seconds to wait for its end, at most `LONGEST_WAIT`.

        Raises:
            Refused: there is no such task, or it has another grant.
        """
        with anyio.move_on_after(min(wait, LONGEST_WAIT)):
            while self._task(task_id, grant).is_open:
                await anyio.sleep(_INTERVAL)
        return _status(self._task(task_id, grant))

    def result(self, task_id: str, grant: Grant) -> bytes:
        """The answer of a conversion that has ended, as JSON.

        Raises:
            Refused: there is no such task, it has not ended, or its answer is no longer kept.
        """
        task = self._task(task_id, grant)
        with self._lock:
            result = self._results.get(task_id)
            self._forget()
        if result is None or result.answer is None:
            remedy = "Poll its status" if task.is_open else "Convert the document again"
            raise Refused(404, "Task result not found", reason="not_found", remedy=remedy)
        return result.answer

    def _task(self, task_id: str, grant: Grant) -> Task:
        try:
            task = self._work.get(task_id, grant)
        except NotFound:
            task = None
        if task is None or task.kind != "convert":
            raise Refused(404, "Task not found", reason="not_found")
        return task

    def _forget(self) -> None:
        held = sum(len(one.answer or b"") for one in self._results.values())
        while len(self._results) > 1 and (len(self._results) > MOST_RESULTS or held > MOST_RESULT_BYTES):
            _, oldest = self._results.popitem(last=False)
            held -= len(oldest.answer or b"")


def _status(task: Task) -> TaskStatus:
    is_failed = task.state in ("failed", "cancelled")
    is_done = task.state == "finished"
    return TaskStatus(
        task_id=task.id,
        task_status=_STATUS[task.state],
        task_meta=TaskMeta(num_processed=is_failed or is_done, num_succeeded=is_done, num_failed=is_failed),
        error_message=task.message if is_failed else None,
    )
