"""The host's side of the fork server: has workers forked, and learns how they ended."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from .framing import MAX_PACKET
from .spawn import Spawned, common_environment, folder_environment, start_interpreter

if TYPE_CHECKING:
    from .tempdirs import WorkerRoot

_ANSWER_SECONDS = 120.0
"""What the fork server may take to answer, its own imports included."""
_LAST_BREATH_SECONDS = 1.0


class ForkServerGone(Exception):
    """The fork server has ended, and with it every worker it forked; says how."""


class ForkServerClient:
    """One fork server, and the thread that keeps it. Safe to share between threads.

    It starts in the background: making one costs no time.

    Args:
        import_paths: folders that it and its workers import from besides Python's own.
        modules: what it imports ahead.
    """

    def __init__(self, *, import_paths: Sequence[str], modules: Sequence[str]) -> None:
        self.made_for = (os.getpid(), tuple(import_paths), tuple(modules))
        """What may use it: the process, and what is imported."""
        self.gone = False
        """Whether it was found to have ended."""
        self._lock = threading.Lock()
        self._sock, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._sock.settimeout(_ANSWER_SECONDS)
        start = {"host": os.getpid(), "import_paths": list(import_paths), "modules": list(modules)}
        self._sock.send(json.dumps(start).encode())
        self._process: Future[subprocess.Popen[bytes]] = Future()
        # Linux kills the server when the thread that started it ends, so that thread waits for the server's end.
        threading.Thread(target=self._keep, name="octavo-fork-server", daemon=True).start()

    @property
    def failed(self) -> bool:
        """Whether it never started."""
        return self._process.done() and self._process.exception() is not None

    def _keep(self) -> None:
        try:
            process = start_interpreter(
                "forkserver", self._theirs, output=subprocess.DEVNULL, cwd=os.sep, environment=common_environment()
            )
        except BaseException as error:  # noqa: BLE001 - it is raised where the server is waited for
            self._process.set_exception(error)
            return
        finally:
            self._theirs.close()
        self._process.set_result(process)
        process.wait()

    def fork(self, root: WorkerRoot) -> Spawned:
        """A worker process in its folder, not confined yet.

        Raises:
            ForkServerGone: the fork server has ended.
            ToolUnavailable: there is no Python to start, or the system refuses a process.
        """
        from octavo_contracts import ToolUnavailable

        server = self._process.result().pid
        ours, theirs = socket.socketpair()
        read_end, write_end = os.pipe()
        try:
            environment = {**common_environment(), **folder_environment(root)}
            request = {"kind": "fork", "environment": environment, "folder": str(root.call)}
            answer = self._ask(request, theirs.fileno(), write_end)
            if "pid" not in answer:
                raise ToolUnavailable(f"a worker process cannot be started: {answer['error']}")
        except BaseException:
            ours.close()
            os.close(read_end)
            raise
        finally:
            theirs.close()
            os.close(write_end)
        return Spawned(ForkedProcess(self, answer["pid"]), ours, read_end, server)

    def status_of(self, pid: int) -> int | None:
        """The wait status of a worker, collected; None while it runs.

        Raises:
            ForkServerGone: the fork server has ended.
        """
        status = self._ask({"kind": "reap", "pid": pid})["status"]
        return None if status is None else int(status)

    def close(self) -> None:
        """End the server. Workers that are left die with it."""
        if self._process.exception() is None:
            process = self._process.result()
            process.kill()
            process.wait()
        with self._lock:
            self._sock.close()

    def _ask(self, request: dict[str, Any], *fds: int) -> dict[str, Any]:
        with self._lock:
            try:
                socket.send_fds(self._sock, [json.dumps(request).encode()], fds)
                packet = self._sock.recv(MAX_PACKET)
            except OSError as error:
                raise ForkServerGone(self._ending()) from error
        if not packet:
            raise ForkServerGone(self._ending())
        answer: dict[str, Any] = json.loads(packet)
        return answer

    def _ending(self) -> str:
        """How it ended, as a predicate; one that answers no more is ended."""
        self.gone = True
        process = self._process.result()
        try:
            code = process.wait(timeout=_LAST_BREATH_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return "stopped answering and was killed"
        return f"died of {signal.Signals(-code).name}" if code < 0 else f"exited with code {code}"


class ForkedProcess:
    """A process that the fork server is the parent of, with as much of `subprocess.Popen` as a worker's host uses.

    Args:
        fork_server: its parent.
        pid: its number, which stays its own until its end has been learnt here.
    """

    def __init__(self, fork_server: ForkServerClient, pid: int) -> None:
        self._fork_server = fork_server
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        if self.returncode is None:
            try:
                status = self._fork_server.status_of(self.pid)
            except ForkServerGone:
                status = signal.SIGKILL.value
            self.returncode = None if status is None else os.waitstatus_to_exitcode(status)
        return self.returncode

    def terminate(self) -> None:
        """Send SIGTERM, unless it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end.

        Raises:
            subprocess.TimeoutExpired: it runs on.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        pause = 0.0005
        while (code := self.poll()) is None:
            if deadline is not None and time.monotonic() >= deadline:
                raise subprocess.TimeoutExpired([], timeout or 0.0)
            time.sleep(pause)
            pause = min(2 * pause, 0.02)
        return code


_ahead: list[ForkServerClient] = []
_shared: list[ForkServerClient] = []
_lists_lock = threading.Lock()


def start_ahead(*, import_paths: Sequence[str], modules: Sequence[str]) -> None:
    """Start a fork server for the first pool that wants its like, unless one waits for it already."""
    with _lists_lock:
        if not _ahead:
            _ahead.append(ForkServerClient(import_paths=import_paths, modules=modules))


@contextmanager
def shared_fork_server(*, import_paths: Sequence[str], modules: Sequence[str]) -> Iterator[None]:
    """Have one fork server for all pools that are made while the block runs and want its like.

    For who makes many pools, one after the other: starting the server is most of what a new pool costs. Pools share
    no worker by it. One that outlives the block gets a server of its own for its next worker. A block within another
    of the same kind has that one's.
    """
    with _lists_lock:
        fork_server = None
        if _fitting((os.getpid(), tuple(import_paths), tuple(modules))) is None:
            fork_server = ForkServerClient(import_paths=import_paths, modules=modules)
            _shared.append(fork_server)
    if fork_server is None:
        yield
        return
    try:
        yield
    finally:
        with _lists_lock:
            _shared.remove(fork_server)
        fork_server.close()


def fork_server_for(*, import_paths: Sequence[str], modules: Sequence[str]) -> ForkServerClient:
    """The fork server that is shared or was started ahead, where one fits, or a new one. To be left with `leave`."""
    wanted = (os.getpid(), tuple(import_paths), tuple(modules))
    with _lists_lock:
        if (shared := _fitting(wanted)) is not None:
            return shared
        for fork_server in _ahead:
            if fork_server.made_for == wanted:
                _ahead.remove(fork_server)
                return fork_server
    return ForkServerClient(import_paths=import_paths, modules=modules)


def _fitting(wanted: tuple[int, tuple[str, ...], tuple[str, ...]]) -> ForkServerClient | None:
    """The shared fork server of a kind. To be called with the lock held."""
    alive = (fork_server for fork_server in _shared if not fork_server.gone and not fork_server.failed)
    return next((fork_server for fork_server in alive if fork_server.made_for == wanted), None)


def leave(fork_server: ForkServerClient) -> None:
    """End a fork server that a pool needs no more; one that is shared goes on for the others."""
    with _lists_lock:
        if fork_server in _shared:
            return
    fork_server.close()
