"""`python -m octavo_conformance.call_server FD`: answers calls, each in a process forked from this one.

Starting an interpreter and importing the contract for each call would take more processor time than most calls. This
process has imported both and nothing of a plugin. At the other end of the socket FD is the suite, which sends one
end of a connection for each call.

Two processes are forked for a call. The second takes the surroundings that the suite asks for, and becomes the one in which
the plugin runs. The first waits for it, adopts what it leaves behind, and kills that.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from octavo_sandbox.linux import libc
from octavo_sandbox.parent_death import descendants

from .elsewhere import run

_LOOK_MS = 5
_END_SECONDS = 0.2
"""Seconds that processes have to end by themselves after the call: the watcher of sockets does so within milliseconds."""


def main() -> None:
    """Answer until the suite closes its end.

    It returns in the forked processes too, once in each, so that the interpreter ends as after any program: with the
    plugin's threads and exit handlers.
    """
    gc.freeze()  # the collector does not touch these objects, so the forked processes need not copy them
    with socket.socket(fileno=int(sys.argv[1])) as suite:
        while (connection := _next_call(suite)) is not None:
            if os.fork() == 0:
                suite.close()
                _answer(connection)
                return
            connection.close()


def _next_call(suite: socket.socket) -> socket.socket | None:
    """Return the connection of the next call, or None if there will be none."""
    _collect()
    said, fds, _, _ = socket.recv_fds(suite, 1, 1)
    return socket.socket(fileno=fds[0]) if said else None


def _answer(connection: socket.socket) -> None:
    """Make a call and send what became of it; in the call's own process: take the surroundings and call."""
    os.setsid()
    if sys.platform == "linux":
        libc.prctl(libc.PR_SET_CHILD_SUBREAPER, 1)
    with connection.makefile("rb") as stream:
        request = json.loads(stream.read())
    # Files, not pipes: a process that the plugin leaves behind would keep a pipe open. The folder is named because the
    # module would remember the default one, which the call has a different one of.
    with (
        tempfile.TemporaryFile(dir=request["files"]) as answer,
        tempfile.TemporaryFile(dir=request["files"]) as printed,
    ):
        child = os.fork()
        if child == 0:
            connection.close()
            _take_surroundings(request, printed)
            run(request["task"], answer)
            return
        code = _wait(child, connection, seconds=request["seconds"])
        left = _end_descendants(in_time=code is not None)
        answer.seek(0)
        printed.seek(0)
        told = {
            "code": code,
            "answer": answer.read().decode(errors="replace"),
            "printed": printed.read().decode(errors="replace"),
            "left": left,
        }
    with connection, suppress(BrokenPipeError):
        connection.sendall(json.dumps(told).encode())


def _take_surroundings(request: dict[str, Any], printed: IO[bytes]) -> None:
    """Take environment, current folder, import paths and streams as a new interpreter would."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    for stream in (1, 2):
        os.dup2(printed.fileno(), stream)
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    os.chdir(request["folder"])
    sys.path[0:1] = [request["folder"], *request["import_paths"]]


def _wait(child: int, connection: socket.socket, *, seconds: float) -> int | None:
    """Return the exit code of a child; None if it did not end in time, or if the suite has hung up."""
    until = time.monotonic() + seconds
    hangup = select.poll()
    hangup.register(connection, 0)
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if hangup.poll(_LOOK_MS):
            break
    return None


def _end_descendants(*, in_time: bool) -> list[str]:
    """End the processes below this one.

    Args:
        in_time: whether the call's own process has ended, so that these are what it left.

    Returns:
        The command lines of those that do not end by themselves.
    """
    if not Path("/proc/self/stat").exists():
        return []
    if in_time:
        _until(lambda: not _reaped(), seconds=_END_SECONDS)
    left = {number: _command(number) for number in _reaped()}
    while running := _reaped():
        for number in running:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        time.sleep(_LOOK_MS / 1000)
    return list(left.values()) if in_time else []


def _reaped() -> list[int]:
    """Return the processes below this one, without those that have ended."""
    _collect()
    return list(descendants(os.getpid()))


def _collect() -> None:
    """Collect the exit status of each child that has ended: until then it is still listed as a process."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _until(holds: Callable[[], bool], *, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(_LOOK_MS / 1000)


def _command(number: int) -> str:
    command = b""
    with suppress(OSError):
        command = Path(f"/proc/{number}/cmdline").read_bytes()
    return command.replace(b"\x00", b" ").decode(errors="replace").strip()[:120] or "a process without a command line"


if __name__ == "__main__":
    main()
