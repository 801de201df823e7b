"""Monitors a worker while the host waits: deadline, memory, temporary files, output, cancellation by the caller."""

from __future__ import annotations

import contextlib
import math
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator

import psutil
from octavo_contracts import ContentTooLarge, ConversionTimeout, ConverterCrashed, MemoryExceeded

from .errors import Cancelled
from .limits import MIB, SandboxLimits
from .tempdirs import WorkerRoot

_LOOK_SECONDS = 0.25
_CANCEL_SECONDS = 0.05


class WorkerGone(Exception):
    """The worker has ended, although another process still holds its socket open."""


class ProcessTree:
    """A worker and the processes that it started.

    Args:
        pid: the process that the host started.
        may_fork: whether there can be more than one process. If not, the walk through all processes is skipped.
    """

    def __init__(self, pid: int, *, may_fork: bool) -> None:
        self._root = psutil.Process(pid)
        self._may_fork = may_fork

    def ended(self) -> bool:
        """True if the first process is dead, whether or not its parent has collected it."""
        try:
            return self._root.status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return True

    def processes(self) -> list[psutil.Process]:
        """Return all processes of the tree, each after its parent."""
        found = [self._root]
        if self._may_fork:
            for process in found:
                found += _children(process)
        return found

    def threads(self) -> int:
        """Total number of threads."""
        total = 0
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                total += process.num_threads()
        return total

    def resident_bytes(self) -> int:
        """Sum of the resident sizes; shared pages count once for each process."""
        total = 0
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                total += int(process.memory_info().rss)
        return total

    def open_files(self) -> Iterator[os.stat_result]:
        """Yield the `stat` of each file that the processes hold open; nothing if there is no /proc."""
        for process in self.processes():
            yield from _open_files(process.pid)

    def kill(self) -> None:
        """Kill all processes, the most recently started first."""
        for process in reversed(self.processes()):
            with contextlib.suppress(psutil.Error):
                process.kill()

    def kill_but(self, keep: int) -> None:
        """Kill the processes that a call left running, except the first process and `keep`."""
        for process in self.processes()[1:]:
            if process.pid != keep:
                with contextlib.suppress(psutil.Error):
                    process.kill()


class Monitor:
    """Enforces the limits of one call.

    Args:
        tree: the worker's processes.
        root: the worker's folder.
        limits: the limits of this call.
        printed: returns the total number of bytes that the worker has printed.
        cancel: the caller's cancellation event, or None.
        source_fd: the document's descriptor in the host, so that it is not counted as a temporary file.
    """

    def __init__(
        self,
        tree: ProcessTree,
        root: WorkerRoot,
        limits: SandboxLimits,
        *,
        printed: Callable[[], int],
        cancel: threading.Event | None,
        source_fd: int | None,
    ) -> None:
        self._tree = tree
        self._root = root
        self._limits = limits
        self._printed = printed
        self._cancel = cancel
        self._source = None if source_fd is None else _identity(os.fstat(source_fd))
        self._base = tree.resident_bytes()
        self._printed_before = printed()
        now = time.monotonic()
        self._deadline = now + limits.wall_seconds
        self._next_look = now + _LOOK_SECONDS
        self.peak_bytes = self._base
        """Largest resident size seen so far."""

    def poll(self) -> float:
        """Check the limits; return the seconds until the next check is due.

        Raises:
            OctavoError: a limit is exceeded, or the caller cancelled.
            WorkerGone: the worker has ended.
        """
        if self._cancel is not None and self._cancel.is_set():
            raise Cancelled("the call was cancelled")
        now = time.monotonic()
        if now >= self._deadline:
            raise ConversionTimeout(f"the tool did not finish within {self._limits.wall_seconds:g} s and was killed")
        self._check_output()
        if now >= self._next_look:
            self._check_processes()
            self.check_left()
            now = time.monotonic()
            self._next_look = now + _LOOK_SECONDS
        patience = math.inf if self._cancel is None else _CANCEL_SECONDS
        return max(0.0, min(self._deadline - now, self._next_look - now, patience))

    def check_left(self) -> None:
        """Check the number of threads, and the size of the worker's folder and of its open files that have no name.

        Raises:
            ConverterCrashed, ContentTooLarge: a limit is exceeded.
        """
        limits = self._limits
        # The system's own limit counts all threads of a user together and does not apply to root.
        if self._tree.threads() > limits.threads:
            raise ConverterCrashed(f"the tool ran more than {limits.threads} threads at once and was killed")
        used = self._root.usage(at_most=limits.temp_files)
        if used.entries > limits.temp_files:
            raise ContentTooLarge(f"the tool made more than {limits.temp_files} temporary files and was killed")
        if used.size + self._held_bytes() > limits.temp_bytes:
            raise ContentTooLarge(
                f"the tool wrote more than {limits.temp_bytes // MIB} MiB of temporary files and was killed"
            )

    def _check_output(self) -> None:
        if self._printed() - self._printed_before > self._limits.output_bytes:
            raise ConverterCrashed(f"the tool printed more than {self._limits.output_bytes} bytes and was killed")

    def _check_processes(self) -> None:
        if self._tree.ended():
            raise WorkerGone
        count = len(self._tree.processes())
        if count > self._limits.processes:
            raise ConverterCrashed(f"the tool ran more than {self._limits.processes} processes at once and was killed")
        used = self._tree.resident_bytes()
        self.peak_bytes = max(self.peak_bytes, used)
        if used - self._base > self._limits.memory_mb * MIB:
            raise MemoryExceeded(f"the tool used more than {self._limits.memory_mb} MiB of memory and was killed")

    def _held_bytes(self) -> int:
        """Bytes in files without a name that the worker holds open: unlinked files and memfds."""
        found = {_identity(file): file.st_blocks * 512 for file in self._tree.open_files() if not file.st_nlink}
        return sum(size for file, size in found.items() if file != self._source)

    def keeps_files(self) -> bool:
        """True if the worker still holds the document open, or a file without a name, which may be a copy of it.

        Call this after the worker's folder has been emptied: files held open there no longer have a name.
        """
        return any(not file.st_nlink or _identity(file) == self._source for file in self._tree.open_files())


def _children(parent: psutil.Process) -> list[psutil.Process]:
    """Children of a process; where the kernel lists them with the parent, this avoids reading all of /proc."""
    tasks = f"/proc/{parent.pid}/task"
    children: list[psutil.Process] = []
    try:
        for task in os.listdir(tasks):
            with open(f"{tasks}/{task}/children", "rb") as stream:
                for pid in stream.read().split():
                    with contextlib.suppress(psutil.NoSuchProcess):
                        children.append(psutil.Process(int(pid)))
    except OSError:
        with contextlib.suppress(psutil.NoSuchProcess):
            return parent.children()
    return children


def _open_files(pid: int) -> Iterator[os.stat_result]:
    folder = f"/proc/{pid}/fd"
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            with contextlib.suppress(OSError):
                facts = os.stat(f"{folder}/{name}")
                if stat.S_ISREG(facts.st_mode):
                    yield facts


def _identity(facts: os.stat_result) -> tuple[int, int]:
    return facts.st_dev, facts.st_ino
