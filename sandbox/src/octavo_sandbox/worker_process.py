"""The host's view of a worker process: start, calls, termination, removal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from octavo_contracts import ContentTooLarge, ConversionTimeout, OctavoError, RetryableToolFailure, ToolUnavailable

from .channel import Channel
from .framing import BodyTooLarge, EndOfStream, Frame, FrameError, encode
from .level import SandboxLevel
from .limits import MIB, SandboxLimits, SourceHandle, WorkerGroup
from .monitor import Monitor, ProcessTree, WorkerGone
from .spawn import Spawned
from .tempdirs import WorkerRoot
from .worker_requests import HostFetch, RequestAnswerer

START_SECONDS = 120.0
"""Seconds within which a worker must start and finish the requested imports."""

_GROWTH = 256 * MIB
"""Resident size that a worker may keep above its size after the first call."""
_GUARDIAN_SECONDS = 5.0
_LAST_BREATH_SECONDS = 1.0


class Worker:
    """One worker process. Used by one thread at a time; any thread may call `kill`.

    Args:
        lane: the group that it was started for.
        root: its folder, removed with it.
        spawned: its process and channels.
        start: the first frame's header (see `worker.main`).
    """

    def __init__(self, lane: WorkerGroup, root: WorkerRoot, spawned: Spawned, *, start: dict[str, Any]) -> None:
        self.lane = lane
        self.calls = 0
        self.level: SandboxLevel | None = None
        self.imported: set[str] = set()
        """Modules that the worker was told to import in advance."""
        self._root = root
        self._process = spawned.process
        self._channel = Channel(spawned.sock, spawned.output)
        self._guarded: bool = start["guarded"]
        self._pid = self._process.pid
        self._tree = ProcessTree(self._process.pid, may_fork=True)
        self._monitor: Monitor | None = None
        self._settled_bytes = 0
        self._owed = 0
        self._lock = threading.RLock()
        self._buried = False
        self._post(start)

    @property
    def output(self) -> str:
        """The last part of the worker's output, for debug logs. It may quote the document."""
        return self._channel.tail

    @property
    def alive(self) -> bool:
        """True while its process runs."""
        return not self._tree.ended()

    @property
    def is_idle(self) -> bool:
        """True if no unread data is waiting; stale bytes would be taken for the next reply."""
        return self._owed > 0 or not self._channel.has_input

    def import_ahead(self, modules: Sequence[str]) -> None:
        """Send a request to import modules, without waiting for the answer."""
        new = [name for name in modules if name not in self.imported]
        if new:
            self.imported.update(new)
            self._post({"kind": "import", "modules": new})

    def await_ready(self) -> SandboxLevel:
        """Wait until the worker has started and finished the requested imports.

        Raises:
            ToolUnavailable: the worker did not start.
        """
        deadline = time.monotonic() + START_SECONDS
        while self._owed:
            try:
                frame = self._channel.receive(max_body=0, tick=lambda: self._start_poll(deadline))
                self._owed -= 1
                if frame.header["kind"] == "hello" and self.level is None:
                    self._greet(frame.header)
            except (FrameError, OSError, WorkerGone, ValueError) as error:
                how = self._end(breath=_LAST_BREATH_SECONDS)
                raise self._about(ToolUnavailable(f"a worker did not start: it {how}")) from error
        if self.level is None:
            raise ToolUnavailable("a worker did not start: it did not report its sandbox level")
        return self.level

    def call(
        self,
        function: str,
        payload: bytes,
        *,
        source: SourceHandle | None,
        limits: SandboxLimits,
        cancel: threading.Event | None,
        fetch: HostFetch | None = None,
        meanwhile: Callable[[], None] | None = None,
    ) -> tuple[Frame, float]:
        """Run a function in the worker; return its answer and the largest resident size that the host saw, MiB.

        Requests to the network that the function sends meanwhile are answered by `fetch`. `meanwhile` is called once, after the
        request is sent.

        Raises:
            OctavoError: the call failed; the worker must be killed now.
        """
        self.await_ready()
        fd = None if source is None else source.fd
        monitor = Monitor(
            self._tree, self._root, limits, printed=lambda: self._channel.drained, cancel=cancel, source_fd=fd
        )
        self._monitor = monitor
        self.calls += 1
        nonce = os.urandom(16).hex()
        try:
            monitor.poll()
            head = _call(function, nonce, limits, source) | {"fetches": fetch is not None}
            self._channel.send(encode(head, payload), tick=monitor.poll, fd=fd)
            if meanwhile is not None:
                meanwhile()
            frame = self._receive(monitor, limits, fetch, nonce=nonce)
            if frame.header["kind"] not in ("result", "error"):
                raise FrameError(f"unexpected frame kind {frame.header['kind']!r}")
            if frame.header.get("nonce") != nonce:
                raise FrameError("the answer belongs to another call")
            monitor.check_left()
        except OctavoError as error:
            raise self._about(error) from error.__cause__
        except BodyTooLarge as error:
            raise self._about(
                ContentTooLarge(f"the tool returned {error.size} bytes, more than {limits.result_bytes}")
            ) from error
        except (EndOfStream, OSError, WorkerGone) as error:
            raise self._about(self._verdict(function, breath=_LAST_BREATH_SECONDS)) from error
        except FrameError:
            raise self._about(self._verdict(function)) from None  # the message quotes the answer
        return frame, monitor.peak_bytes / MIB

    def _receive(self, monitor: Monitor, limits: SandboxLimits, fetch: HostFetch | None, *, nonce: str) -> Frame:
        """Return the next frame that is not a request to the network, and answer those that are."""

        def tick() -> float:
            self._channel.drain()
            return monitor.poll()

        answerer = RequestAnswerer(fetch, tick=tick) if fetch is not None else None
        while True:
            frame = self._channel.receive(max_body=limits.result_bytes, tick=monitor.poll)
            if answerer is None or frame.header["kind"] != "fetch" or frame.header.get("nonce") != nonce:
                return frame
            self._channel.send(encode(*answerer.answer(frame)), tick=monitor.poll)

    def clean_up(self) -> bool:
        """Prepare the worker for the next call; return False if it has changed or still holds data of this call."""
        if self.lane.subprocess:
            self._tree.kill_but(self._pid)
        resident = self._tree.resident_bytes()
        self._settled_bytes = self._settled_bytes or resident
        if resident - self._settled_bytes > _GROWTH or not self._root.renew():
            return False
        return self.is_idle and (self._monitor is None or not self._monitor.keeps_files())

    def end(self) -> None:
        """End only its processes: for a thread other than the one that waits for the worker, which then cleans up."""
        self._end()

    def kill(self) -> None:
        """End the worker and all processes it started, and remove its folder. Safe to call more than once."""
        with self._lock:
            if self._buried:
                return
            self._buried = True
            self._end()
            self._channel.close()
            self._root.remove()

    def _post(self, header: dict[str, Any]) -> None:
        """Send a small frame; `await_ready` reads the answer."""
        self._owed += 1
        try:
            self._channel.send(encode(header), tick=lambda: self._start_poll(time.monotonic() + 1))
        except OSError:
            return  # The worker is already dead; `await_ready` will report it.

    def _start_poll(self, deadline: float) -> float:
        left = deadline - time.monotonic()
        if left <= 0:
            raise ToolUnavailable(f"a worker did not start or import within {START_SECONDS:g} s")
        if self._tree.ended():
            raise WorkerGone
        return min(left, 0.25)

    def _greet(self, hello: dict[str, Any]) -> None:
        self.level = SandboxLevel.from_wire(hello.get("level"))
        self._pid = int(hello.get("pid", 0))
        may_fork = self.lane.subprocess or not self.level.seccomp
        self._tree = ProcessTree(self._process.pid, may_fork=may_fork)

    def _about(self, error: OctavoError) -> OctavoError:
        """Attach the worker's output to an error for which the worker is about to be killed."""
        self._channel.drain()
        vars(error)["worker_output"] = self._channel.tail
        return error

    def _verdict(self, function: str, *, breath: float = 0.0) -> OctavoError:
        """Determine why the channel broke: the worker died, used up its processor time, or sent invalid data."""
        how = self._end(breath=breath)
        if self._process.returncode == -signal.SIGXCPU:
            return ConversionTimeout("the tool used up its processor time")
        return RetryableToolFailure(f"the worker running {function} {how}")

    def _end(self, *, breath: float = 0.0) -> str:
        """End the process and all processes below it; return how it ended, as a predicate.

        Args:
            breath: seconds to wait for the process to finish dying, so that its own exit status is reported.
        """
        with self._lock:
            if self._process.returncode is None:
                deadline = time.monotonic() + breath
                while not (by_itself := self._tree.ended()) and time.monotonic() < deadline:
                    time.sleep(0.002)
                self._kill_group()
                if not by_itself:
                    return "was killed: it closed its channel or sent invalid data"
        code = self._process.returncode
        if code is not None and code < 0:
            return f"died of {signal.Signals(-code).name}"
        return f"exited with code {code}"

    def _kill_group(self) -> None:
        """Kill the process group before its first process is collected: until then the system does not reuse the ids."""
        if self._guarded:
            # The guardian finds even processes that left the group. A stopped or killed guardian is skipped.
            self._process.terminate()
            try:
                self._process.wait(timeout=_GUARDIAN_SECONDS)
                return
            except subprocess.TimeoutExpired:
                pass
        self._tree.kill()
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        except PermissionError:
            # macOS raises this for a group that has only dead processes.
            if sys.platform == "linux":
                raise
        self._process.wait()


def _call(function: str, nonce: str, limits: SandboxLimits, source: SourceHandle | None) -> dict[str, Any]:
    """Build a call's header. The nonce cannot be guessed, so no answer can be prepared before the call."""
    header: dict[str, Any] = {
        "kind": "call",
        "nonce": nonce,
        "function": function,
        "limits": limits.to_wire(),
        "wall_seconds": limits.wall_seconds,
    }
    if source is not None:
        header["source"] = {
            "name": source.name,
            "media_type": source.media_type,
            "size": source.size,
            "sha256": source.sha256,
        }
    return header
