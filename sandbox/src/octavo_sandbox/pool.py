"""A pool of workers: the one way in which a hook runs."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Self

from octavo_contracts import ErrorRecord, OctavoError, RetryableToolFailure, ToolUnavailable, UsageError

from .errors import Cancelled
from .framing import Frame
from .level import FULL, SandboxLevel
from .limits import SandboxLimits, SourceHandle, WorkerGroup, WorkerReply
from .redaction import known_names, redact
from .worker_process import Worker
from .worker_spawner import MODULES, WorkerSpawner

SHARED = WorkerGroup()
DEFAULT_LIMITS = SandboxLimits()

_CLOSE_SECONDS = 30.0
_CANCEL_SECONDS = 0.05
_IDLE_LANES = 4
"""Workers kept beyond two for each place: a document is inspected and converted in two lanes at least."""


class WorkerPool:
    """Runs functions in confined processes. Safe to share between threads; not across a fork.

    Workers start when needed, are kept for each lane, and are replaced after `recycle_after` calls, when they have
    grown or hold on to a file of their call, and whenever one is killed. Those of the lanes used last stay, idle,
    beside the busy ones. The pool ends with `close`, with its `with` block, or with the interpreter.

    Args:
        size: most calls at once; the number of cores this process may use by default.
        recycle_after: calls a worker serves.
        level: "best" takes the protections the system has, "require" refuses to run with less than Landlock and seccomp,
            "process" puts up none: a process of its own, its limits and its deadline remain.
        import_paths: folders that workers import from besides Python's own.
        temp: where temporary folders are made; the system's place by default.
        preload: modules that all workers have imported when they start, where the system lets workers be forked:
            trusted ones, which start no thread.
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
    ) -> None:
        if level not in ("best", "require", "process"):
            raise UsageError(f"{level!r} is no sandbox level; there are best, require and process")
        self._size = size if size is not None else usable_cores()
        if self._size < 1 or recycle_after < 1:
            raise UsageError("a worker pool needs room for one worker and one call")
        self._recycle_after = recycle_after
        self._required = level == "require"
        self._import_paths = tuple(import_paths)
        self._spawner = WorkerSpawner(
            import_paths=tuple(import_paths),
            temp=temp,
            confine=level != "process",
            modules=tuple(preload),
        )
        self._free = threading.Condition()
        self._busy = 0
        self._idle: list[Worker] = []
        self._imports: dict[WorkerGroup, set[str]] = {}
        self._weakest: SandboxLevel | None = None
        self._finalizer = weakref.finalize(self, self._spawner.close)

    @property
    def level(self) -> str:
        """The weakest level that a worker of this pool has reached; "none" where no worker can start.

        Starts a worker when there was none yet.
        """
        if self._weakest is None:
            try:
                worker, _ = self._take(SHARED, None)
            except OctavoError:
                return "none" if self._weakest is None else self._weakest.name
            self._give_back(worker)
        return "none" if self._weakest is None else self._weakest.name

    def probe(self) -> SandboxLevel:
        """What a worker reaches here, and why it does not reach more.

        Raises:
            ToolUnavailable: no worker can start, or it reaches less than the pool requires.
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
    ) -> WorkerReply:
        """Call `function(payload, source, context)` in a worker and wait for its bytes.

        Waits first for a free place and for a worker to start; the deadline counts from the moment the call is
        handed over. A worker that dies is not tried again here: the caller counts its deaths (ENG-7).

        Args:
            function: "module:function", importable in the worker.
            payload: opaque bytes.
            source: the document, or None.
            limits: of this call.
            lane: which workers may run it.
            cancel: set it to kill the call.
            sees_content: whether the function is given anything of a document; else its errors are kept as they are.

        Raises:
            Cancelled: `cancel` was set, or the pool was closed.
            RetryableToolFailure: the worker died.
            ConversionTimeout, MemoryExceeded, ContentTooLarge: a limit was passed.
            ConverterCrashed: the function raised an exception without a type of ours.
            ToolUnavailable: no worker can start, or the function cannot be imported.
            OctavoError: as the function raised it, with the document's words taken out of it: see `redaction`. What
                crossed from or about the worker carries its traceback as `worker_traceback`, or the end of its output
                as `worker_output`. Both may quote the document; they are for a debugger and for no log.
        """
        worker, cold = self._take(lane, cancel)
        try:
            frame, seen_mb = worker.call(function, payload, source=source, limits=limits, cancel=cancel)
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
        """Keep of an error that came out of a worker what no document can have put there."""
        names = known_names(frame.header.get("raised"))
        known = [*names, *map(str, lane.readable), lane.name.removeprefix("plugin:"), function]
        if source is not None:
            known += [source.name, str(source.size)]
        caller = function.partition(":")[0].partition(".")[0]
        redact(error, package=lane.package or caller, caller=caller, known=known, paths=self._import_paths)
        if source is not None and error.source == source.name:
            error.source = source.display or source.name

    def prepare(self) -> None:
        """Begin in the background with what every worker needs, ahead of the first call."""
        self._spawner.prepare()

    def warm(self, lane: WorkerGroup = SHARED, *, imports: Sequence[str] = ()) -> None:
        """Have a worker started in the background, ahead of need.

        Args:
            lane: for which lane.
            imports: modules it, and every later worker of the lane, imports before its first call.

        Raises:
            ToolUnavailable: the system refuses a process.
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
        """End all workers, running calls with `Cancelled`, and remove all temporary folders.

        Nothing happens in a forked copy: workers and folders are the first process's.
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
        """A settled worker of a lane in a place of its own, and whether it had to be started for this."""
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
        """The idle worker of a lane that was used last: its caches are warm, and the others may age."""
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
        """A new worker, after idle ones have made room for it."""
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
        """The idle worker to part with: one of a lane that has another, else the one not used for longest."""
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
                f"the sandbox reached {level.name!r}, but {FULL!r} is required: {'; '.join(level.missing)}",
                remedy="Run on a Linux kernel with Landlock and seccomp, or do not require the full sandbox",
            )

    def _give_back(self, worker: Worker) -> None:
        """Keep a worker for the next call, or replace it when its time has come."""
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
    """Cores this process may run on."""
    cores = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        cores = min(cores, len(os.sched_getaffinity(0)))
    return max(1, cores)


def probe_level() -> SandboxLevel:
    """What a worker reaches on this machine, for `octavo doctor`.

    Raises:
        ToolUnavailable: no worker can start.
    """
    with WorkerPool(size=1) as pool:
        return pool.probe()


def _reply(frame: Frame, *, seen_mb: float, cold: bool) -> WorkerReply | OctavoError:
    """A worker's answer; what it says of itself is used only after it was found to be of the right kind.

    Raises:
        RetryableToolFailure: it is malformed, so the worker is no longer to be trusted.
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
            raise ValueError("only the host cancels")
        vars(error)["worker_traceback"] = str(header["traceback"])
    except (KeyError, TypeError, ValueError) as malformed:
        wrong = type(malformed).__name__
        raise RetryableToolFailure(f"the worker sent a malformed answer ({wrong}) and was killed") from None
    return error
