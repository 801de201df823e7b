"""The pool of workers in which every hook call runs."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, Self

from octavo_contracts import ErrorRecord, OctavoError, RetryableToolFailure, ToolUnavailable, UsageError

from .errors import Cancelled
from .framing import Frame
from .level import FULL, SandboxLevel
from .limits import SandboxLimits, SourceHandle, WorkerGroup, WorkerReply
from .redaction import known_names, redact
from .worker_process import Worker
from .worker_requests import HostFetch
from .worker_spawner import MODULES, WorkerSpawner

SHARED = WorkerGroup()
DEFAULT_LIMITS = SandboxLimits()

_CLOSE_SECONDS = 30.0
_CANCEL_SECONDS = 0.05
_IDLE_LANES = 4
"""Workers kept beyond two for each slot: a document is inspected and converted in at least two groups."""


class WorkerPool:
    """Runs functions in confined processes. Thread-safe; cannot be used across a fork.

    Workers start on demand and are kept per group. A worker is replaced after `recycle_after` calls, when its memory
    has grown, when it still holds a file of its call open, and when it is killed. Idle workers of the most recently
    used groups are kept beside the busy ones. The pool ends with `close`, with its `with` block, or with the interpreter.

    Args:
        size: maximum number of concurrent calls; default: the number of cores that this process may use.
        recycle_after: calls that a worker serves before it is replaced.
        level: "best" uses the protections that the system has; "require" refuses to run with less than Landlock and
            seccomp; "process" uses neither: the separate process, its limits and its deadline remain.
        import_paths: folders from which workers import, besides Python's own.
        temp: parent of the temporary folders; default: the system's temporary folder.
        preload: modules that all workers have already imported when they start, on systems where workers are forked.
            They must be trusted and start no thread.
        preload_when_idle: as `preload`, for modules that the first worker does not need: they are imported after its start,
            while no other worker is waited for.
    """

    def __init__(
        self,
        *,
        size: int | None = None,
        recycle_after: int = 200,
        level: Literal["best", "require", "process"] = "best",
        import_paths: Sequence[Path] = (),
        temp: Path | None = None,
        preload: Sequence[str] = MODULES,
        preload_when_idle: Sequence[str] = (),
    ) -> None:
        if level not in ("best", "require", "process"):
            raise UsageError(f"unknown sandbox level {level!r}; the levels are best, require and process")
        self._size = size if size is not None else usable_cores()
        if self._size < 1 or recycle_after < 1:
            raise UsageError("size and recycle_after of a worker pool must be at least 1")
        self._recycle_after = recycle_after
        self._required = level == "require"
        self._import_paths = tuple(import_paths)
        self._spawner = WorkerSpawner(
            import_paths=tuple(import_paths),
            temp=temp,
            confine=level != "process",
            modules=tuple(preload),
            idle_modules=tuple(preload_when_idle),
        )
        self._free = threading.Condition()
        self._busy = 0
        self._idle: list[Worker] = []
        self._imports: dict[WorkerGroup, set[str]] = {}
        self._chores: dict[Callable[[], object], bool] = {}
        """Function of `when_waiting` → whether it has run."""
        self._weakest: SandboxLevel | None = None
        self._finalizer = weakref.finalize(self, self._spawner.close)

    @property
    def level(self) -> str:
        """The weakest level that a worker of this pool has reached; "none" if no worker can start.

        Starts a worker if the pool has not started one yet.
        """
        if self._weakest is None:
            try:
                worker, _ = self._take(SHARED, None)
            except OctavoError:
                return "none" if self._weakest is None else self._weakest.name
            self._give_back(worker)
        return "none" if self._weakest is None else self._weakest.name

    def probe(self) -> SandboxLevel:
        """Start a worker and return its sandbox level, with the reasons for missing protections.

        Raises:
            ToolUnavailable: no worker can start, or its level is below the one that the pool requires.
        """
        worker, _ = self._take(SHARED, None)
        try:
            return worker.await_ready()
        finally:
            self._give_back(worker)

    def run(
        self,
        function: str,
        payload: bytes,
        *,
        source: SourceHandle | None = None,
        limits: SandboxLimits = DEFAULT_LIMITS,
        lane: WorkerGroup = SHARED,
        cancel: threading.Event | None = None,
        sees_content: bool = True,
        fetch: HostFetch | None = None,
    ) -> WorkerReply:
        """Call `function(payload, source, context)` in a worker and wait for its bytes.

        The call first waits for a free slot and for a worker to start; the deadline counts from dispatch to the worker.
        A call whose worker died is not retried here: the caller counts the deaths (ENG-7).

        Args:
            function: "module:function" that the worker can import.
            payload: opaque bytes.
            source: the document, or None.
            limits: the limits of this call.
            lane: the group of workers that may run the call.
            cancel: an event; set it to kill the call.
            sees_content: whether the function gets any content of a document. If not, its errors are not redacted.
            fetch: answers the requests that the function sends through `context.fetch`; None: the function has no
                `context.fetch`.

        Raises:
            Cancelled: `cancel` was set, or the pool was closed.
            RetryableToolFailure: the worker died.
            ConversionTimeout, MemoryExceeded, ContentTooLarge: a limit was exceeded.
            ConverterCrashed: the function raised an exception that is not an `OctavoError`.
            ToolUnavailable: no worker can start, or the function cannot be imported.
            OctavoError: the error that the function raised, without the document's words: see `redaction`. An error from
                the worker has its traceback as `worker_traceback`; an error about the worker has the last part of its
                output as `worker_output`. Both may quote the document: use them in a debugger, never in a log.
        """
        worker, cold = self._take(lane, cancel)
        try:
            frame, seen_mb = worker.call(
                function, payload, source=source, limits=limits, cancel=cancel, fetch=fetch, meanwhile=self._do_chores
            )
            reply = _reply(frame, seen_mb=seen_mb, cold=cold)
            if isinstance(reply, OctavoError) and sees_content:
                self._without_words(reply, frame, lane, function=function, source=source)
        except BaseException as error:
            self._drop(worker)
            if self._spawner.closed and isinstance(error, RetryableToolFailure | ToolUnavailable):
                raise Cancelled("the worker pool was closed during the call") from error
            raise
        self._give_back(worker)
        if isinstance(reply, OctavoError):
            raise reply
        return reply

    def _without_words(
        self, error: OctavoError, frame: Frame, lane: WorkerGroup, *, function: str, source: SourceHandle | None
    ) -> None:
        """Redact a worker's error: keep only the parts that cannot come from a document."""
        names = known_names(frame.header.get("raised"))
        known = [*names, *map(str, lane.readable), lane.name.removeprefix("plugin:"), function]
        if source is not None:
            known += [source.name, str(source.size)]
        caller = function.partition(":")[0].partition(".")[0]
        redact(error, package=lane.package or caller, caller=caller, known=known, paths=self._import_paths)
        if source is not None and error.source == source.name:
            error.source = source.display or source.name

    def when_waiting(self, chore: Callable[[], object]) -> None:
        """Run a function in the thread of the next call, once its request is sent and before its answer is awaited.

        This is for what the host needs after the call, such as imports: host and worker then work at the same time. A function
        runs once in a pool; what it raises is ignored. The host does not watch the call while it runs, so it must be short.
        """
        with self._free:
            self._chores.setdefault(chore, False)

    def _do_chores(self) -> None:
        with self._free:
            due = [chore for chore, is_done in self._chores.items() if not is_done]
            self._chores.update(dict.fromkeys(due, True))
        for chore in due:
            with suppress(Exception):  # code that needs the effect of a chore reports the failure itself
                chore()

    def prepare(self) -> None:
        """Start preparing what every worker needs in the background, before the first call."""
        self._spawner.prepare()

    def warm(self, lane: WorkerGroup = SHARED, *, imports: Sequence[str] = ()) -> None:
        """Start a worker in the background before it is needed.

        Args:
            lane: the worker's group.
            imports: modules that this and every later worker of the group imports before its first call.

        Raises:
            ToolUnavailable: the system refuses to create a process.
        """
        self._spawner.check_usable()
        with self._free:
            wanted = self._imports.setdefault(lane, set())
            wanted.update(imports)
            ready = [worker for worker in self._idle if worker.lane == lane]
            for worker in ready:
                worker.import_ahead(sorted(wanted))
        if not ready:
            worker = self._start(lane)
            with self._free:
                self._idle.append(worker)

    def close(self) -> None:
        """End all workers and remove all temporary folders; running calls raise `Cancelled`.

        Has no effect in a forked copy: workers and folders belong to the original process.
        """
        if not self._finalizer.alive or self._spawner.is_copy:
            return
        self._spawner.end_all()
        with self._free:
            self._idle.clear()
            self._free.notify_all()
            self._free.wait_for(lambda: self._busy == 0, timeout=_CLOSE_SECONDS)
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _take(self, lane: WorkerGroup, cancel: threading.Event | None) -> tuple[Worker, bool]:
        """Take a slot and a ready worker of a group; also return whether the worker had to be started."""
        self._spawner.check_usable()
        self._wait_for_place(cancel)
        worker: Worker | None = None
        try:
            worker = self._pick(lane)
            cold = worker is None
            if worker is None:
                worker = self._start(lane)
            self._note_level(worker.await_ready())
        except BaseException as error:
            self._drop(worker)
            if self._spawner.closed and isinstance(error, OctavoError):
                raise Cancelled("the worker pool was closed during the call") from error
            raise
        return worker, cold

    def _wait_for_place(self, cancel: threading.Event | None) -> None:
        patience = None if cancel is None else _CANCEL_SECONDS
        with self._free:
            while self._busy >= self._size:
                self._free.wait(patience)
                if self._spawner.closed or (cancel is not None and cancel.is_set()):
                    raise Cancelled("the call was cancelled before it began")
            self._busy += 1

    def _pick(self, lane: WorkerGroup) -> Worker | None:
        """Return the most recently used idle worker of a group: its caches are warm, and the others can expire."""
        while True:
            with self._free:
                worker = next((idle for idle in reversed(self._idle) if idle.lane == lane), None)
                if worker is None:
                    return None
                self._idle.remove(worker)
            if worker.alive and worker.is_idle:
                return worker
            self._spawner.discard(worker)

    def _start(self, lane: WorkerGroup) -> Worker:
        """Start a worker, after ending idle workers to make room."""
        while self._spawner.live >= 2 * self._size + _IDLE_LANES:
            with self._free:
                if not self._idle:
                    break
                spare = self._least_missed()
                self._idle.remove(spare)
            self._spawner.discard(spare)
        worker = self._spawner.start(lane)
        worker.import_ahead(sorted(self._imports.get(lane, ())))
        return worker

    def _least_missed(self) -> Worker:
        """Choose the idle worker to end: one of a group that has another, else the least recently used."""
        later: list[WorkerGroup] = [idle.lane for idle in self._idle]
        for idle in self._idle:
            later.remove(idle.lane)
            if idle.lane in later:
                return idle
        return self._idle[0]

    def _note_level(self, level: SandboxLevel) -> None:
        if self._weakest is None or level.protections < self._weakest.protections:
            self._weakest = level
        if self._required and level.name != FULL:
            raise ToolUnavailable(
                f"sandbox level {level.name!r} is below the required level {FULL!r}: {'; '.join(level.missing)}",
                remedy="Run on a Linux kernel with Landlock and seccomp, or do not require the full sandbox",
            )

    def _give_back(self, worker: Worker) -> None:
        """Keep a worker for the next call, or replace it if it is due."""
        if self._spawner.closed or worker.calls >= self._recycle_after or not worker.clean_up():
            self._drop(worker)
            return
        with self._free:
            self._idle.append(worker)
            self._busy -= 1
            self._free.notify()

    def _drop(self, worker: Worker | None) -> None:
        try:
            if worker is not None:
                self._spawner.discard(worker)
        finally:
            with self._free:
                self._busy -= 1
                self._free.notify_all()


def usable_cores() -> int:
    """Number of cores that this process may run on."""
    cores = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        cores = min(cores, len(os.sched_getaffinity(0)))
    return max(1, cores)


def probe_level() -> SandboxLevel:
    """Return the sandbox level of a worker on this machine, for `octavo doctor`.

    Raises:
        ToolUnavailable: no worker can start.
    """
    with WorkerPool(size=1) as pool:
        return pool.probe()


def _reply(frame: Frame, *, seen_mb: float, cold: bool) -> WorkerReply | OctavoError:
    """Read a worker's answer; every value in it is checked for its type before use.

    Raises:
        RetryableToolFailure: the answer is malformed, so the worker can no longer be trusted.
    """
    header = frame.header
    try:
        if header["kind"] == "result":
            own_mb = min(float(header["peak_rss_mb"]), 1e9)
            return WorkerReply(
                payload=frame.body,
                duration_ms=min(max(float(header["duration_ms"]), 0.0), 1e12),
                peak_rss_mb=max(seen_mb, own_mb),
                cold=cold,
            )
        error = ErrorRecord.read(header["record"]).to_error()
        if isinstance(error, Cancelled):
            raise ValueError("only the host may cancel")
        vars(error)["worker_traceback"] = str(header["traceback"])
    except (KeyError, TypeError, ValueError) as malformed:
        wrong = type(malformed).__name__
        raise RetryableToolFailure(f"the worker sent a malformed answer ({wrong}) and was killed") from None
    return error
