"""The program that workers are forked from: a fresh interpreter that has imported what every worker needs.

Starting an interpreter and importing the contract's models costs each worker some hundred milliseconds; forking a
process that has done so costs a few. The fork server has one thread, sees no document, imports no plugin and no
engine, and answers only its host: a worker closes that channel before anything else. A worker confines itself after
the fork, exactly as a worker started from a new interpreter does.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from .framing import MAX_PACKET
from .linux import libc
from .worker_main import main as work


def main(channel: int) -> None:
    """Serve the host at the other end of a packet socket until the host ends.

    The first packet is {"host", "import_paths", "modules", "idle_modules"}; each later one {"kind": "fork", "environment",
    "folder"} with two descriptors, a worker's channel and its output, or {"kind": "reap", "pid"}.

    Args:
        channel: the socket's descriptor.
    """
    os.set_inheritable(channel, False)
    with socket.socket(fileno=channel) as sock:
        start = json.loads(sock.recv(MAX_PACKET))
        libc.signal_at_parents_death(signal.SIGKILL, parent=start["host"])
        sys.dont_write_bytecode = True
        sys.path[:0] = [entry for entry in start["import_paths"] if entry not in sys.path]
        _import(start["modules"])
        idle_modules: list[str] = []
        while True:
            while idle_modules and not select.select([sock], [], [], 0)[0]:
                _import([idle_modules.pop(0)])
            packet, fds, _, _ = socket.recv_fds(sock, MAX_PACKET, 2)
            if not packet:
                os._exit(0)
            request = json.loads(packet)
            answer = _fork(sock, request, fds) if request["kind"] == "fork" else _reap(request["pid"])
            sock.send(json.dumps(answer).encode())
            if request["kind"] == "fork":
                # The first worker does not wait for them.
                idle_modules += start.pop("idle_modules", [])


def _import(modules: Sequence[str]) -> None:
    """Import modules in advance. A failed import is ignored: the worker that needs the module reports it."""
    gc.disable()  # imports create many objects and almost no garbage
    for name in modules:
        with suppress(Exception):
            importlib.import_module(name)
    # The collector skips frozen objects, so workers need not copy the pages that hold them.
    gc.freeze()
    gc.enable()


def _fork(sock: socket.socket, request: dict[str, Any], fds: list[int]) -> dict[str, Any]:
    """Fork a worker and return its process id, or the reason why the system refused."""
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
    """Drop everything inherited from the parent and serve as a worker; never returns."""
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
    """Wait status of a worker that has ended. The system does not reuse its process id before this call."""
    try:
        ended, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return {"status": signal.SIGKILL.value}
    return {"status": status if ended else None}
