"""The host's side of the fork server: requests forks of workers and collects their exit status."""

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
"""Seconds within which the fork server must answer, its own imports included."""
_LAST_BREATH_SECONDS = 1.0


class ForkServerGone(Exception):
    """The fork server has ended, and with it every worker that it forked; the message says how it ended."""


class ForkServerClient:
    """One fork server and the thread that starts it and waits for its end. Thread-safe.

    The server starts in the background, so the constructor returns at once.

    Args:
        import_paths: folders from which the server and its workers import, besides Python's own.
        modules: modules that the server imports in advance.
        idle_modules: modules that it imports after its first fork, while no request waits.
    """

    def __init__(
        self, *, import_paths: Sequence[str], modules: Sequence[str], idle_modules: Sequence[str] = ()
    ) -> None:
        self.made_for = (os.getpid(), tuple(import_paths), tuple(modules))
        """Who may share the server: process id, import paths and modules must be equal."""
        self.gone = False
        """True once a call has found the server ended."""
        self._lock = threading.Lock()
        self._sock, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._sock.settimeout(_ANSWER_SECONDS)
        start = {
            "host": os.getpid(),
            "import_paths": list(import_paths),
            "modules": list(modules),
            "idle_modules": list(idle_modules),
        }
        self._sock.send(json.dumps(start).encode())
        self._process: Future[subprocess.Popen[bytes]] = Future()
        # Linux kills the server when the thread that started it ends, so that thread waits for the server's end.
        threading.Thread(target=self._keep, name="octavo-fork-server", daemon=True).start()

    @property
    def failed(self) -> bool:
        """True if the server never started."""
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
        """Fork a worker process in its folder; it is not confined yet.

        Raises:
            ForkServerGone: the fork server has ended.
            ToolUnavailable: no Python executable is known, or the system refuses to create a process.
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
        """Collect the wait status of a worker; None while it runs.

        Raises:
            ForkServerGone: the fork server has ended.
        """
        status = self._ask({"kind": "reap", "pid": pid})["status"]
        return None if status is None else int(status)

    def close(self) -> None:
        """End the server. Workers that still run are killed with it."""
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
        """Describe how the server ended, as a predicate; kill a server that no longer answers."""
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
    """A child process of the fork server, with the part of the `subprocess.Popen` interface that the host uses.

    Args:
        fork_server: its parent.
        pid: its process id, which the system does not reuse before `poll` or `wait` has returned the exit code.
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
        """Send SIGTERM unless the process has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the process ends.

        Raises:
            subprocess.TimeoutExpired: it still runs.
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


def start_ahead(*, import_paths: Sequence[str], modules: Sequence[str], idle_modules: Sequence[str] = ()) -> None:
    """Start a fork server in advance for the first pool with these arguments, unless one is already waiting."""
    with _lists_lock:
        if not _ahead:
            _ahead.append(ForkServerClient(import_paths=import_paths, modules=modules, idle_modules=idle_modules))


@contextmanager
def shared_fork_server(
    *, import_paths: Sequence[str], modules: Sequence[str], idle_modules: Sequence[str] = ()
) -> Iterator[None]:
    """Share one fork server among all pools that are created in the block with the same arguments.

    For callers that create many pools in turn: starting the server is most of the cost of a new pool. Pools never share
    workers. A pool that outlives the block starts its own server for its next worker. A nested block with the same
    arguments uses the server of the outer block.
    """
    with _lists_lock:
        fork_server = None
        if _fitting((os.getpid(), tuple(import_paths), tuple(modules))) is None:
            fork_server = ForkServerClient(import_paths=import_paths, modules=modules, idle_modules=idle_modules)
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


def fork_server_for(
    *, import_paths: Sequence[str], modules: Sequence[str], idle_modules: Sequence[str] = ()
) -> ForkServerClient:
    """Return a matching fork server that is shared or was started in advance, else a new one. Release with `leave`."""
    wanted = (os.getpid(), tuple(import_paths), tuple(modules))
    with _lists_lock:
        if (shared := _fitting(wanted)) is not None:
            return shared
        for fork_server in _ahead:
            if fork_server.made_for == wanted:
                _ahead.remove(fork_server)
                return fork_server
    return ForkServerClient(import_paths=import_paths, modules=modules, idle_modules=idle_modules)


def _fitting(wanted: tuple[int, tuple[str, ...], tuple[str, ...]]) -> ForkServerClient | None:
    """Return the shared fork server with these arguments, if any. The caller must hold the lock."""
    alive = (fork_server for fork_server in _shared if not fork_server.gone and not fork_server.failed)
    return next((fork_server for fork_server in alive if fork_server.made_for == wanted), None)


def leave(fork_server: ForkServerClient) -> None:
    """Release a pool's fork server: end it, unless it is shared."""
    with _lists_lock:
        if fork_server in _shared:
            return
    fork_server.close()
