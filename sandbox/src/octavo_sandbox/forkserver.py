"""The program that workers are forked from: a fresh interpreter that has imported what every worker needs.

Starting an interpreter and importing the contract's models costs each worker some hundred milliseconds; forking one
that has done it costs a few. It has one thread, sees no document, imports no plugin and no engine, and answers its
host alone: a worker closes that channel before anything else. What confines a worker it does to itself, after the
fork, as if it had been started by itself.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import socket
import sys
import traceback
from contextlib import suppress
from typing import Any

from .framing import MAX_PACKET
from .linux import libc
from .worker_main import main as work


def main(channel: int) -> None:
    """Serve the host at the other end of a socket of packets, until it is gone.

    The first packet is {"host", "import_paths", "modules"}; each later one {"kind": "fork", "environment", "folder"}
    with two descriptors, a worker's channel and its output, or {"kind": "reap", "pid"}.

    Args:
        channel: the socket's descriptor.
    """
    os.set_inheritable(channel, False)
    with socket.socket(fileno=channel) as sock:
        start = json.loads(sock.recv(MAX_PACKET))
        libc.signal_at_parents_death(signal.SIGKILL, parent=start["host"])
        _prepare(start)
        while True:
            packet, fds, _, _ = socket.recv_fds(sock, MAX_PACKET, 2)
            if not packet:
                os._exit(0)
            request = json.loads(packet)
            answer = _fork(sock, request, fds) if request["kind"] == "fork" else _reap(request["pid"])
            sock.send(json.dumps(answer).encode())


def _prepare(start: dict[str, Any]) -> None:
    """Import ahead. What fails here fails again in the worker that needs it, and is told there."""
    gc.disable()  # imports make many objects and next to no garbage
    sys.dont_write_bytecode = True
    sys.path[:0] = [entry for entry in start["import_paths"] if entry not in sys.path]
    for name in start["modules"]:
        with suppress(Exception):
            importlib.import_module(name)
    # Objects that no collection looks at are pages that no worker has to copy.
    gc.freeze()
    gc.enable()


def _fork(sock: socket.socket, request: dict[str, Any], fds: list[int]) -> dict[str, Any]:
    """Fork a worker; its process id, or why the system refuses."""
    try:
        pid = os.fork()
    except OSError as error:
        return {"error": str(error)}
    else:
        if not pid:
            _become_worker(sock, request, *fds)
        return {"pid": pid}
    finally:
        for fd in fds:
            os.close(fd)


def _become_worker(sock: socket.socket, request: dict[str, Any], channel: int, output: int) -> None:
    """Leave everything of the parent behind and serve as a worker; never returns."""
    try:
        sock.close()
        os.setsid()
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
        os.environ.update(request["environment"])
        os.chdir(request["folder"])
        work(channel)
    except BaseException:  # noqa: BLE001 - whatever it is, the copy must not go on as a second fork server
        traceback.print_exc()
    finally:
        os._exit(1)


def _reap(pid: int) -> dict[str, Any]:
    """The wait status of a worker that has ended. Until it is asked for, its number is not given anew."""
    try:
        ended, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return {"status": signal.SIGKILL.value}
    return {"status": status if ended else None}
