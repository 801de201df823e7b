"""The suite's end of `octavo_conformance.call_server`: one server for each order of sets of strings, kept for later calls."""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import sys
import threading
from typing import Any

_ENDING_SECONDS = 10.0

_servers: dict[tuple[int, str, str], CallServer] = {}
_lock = threading.Lock()


class CallServer:
    """A process from which the processes of calls are forked.

    Args:
        environment: of the interpreter. What Python reads at its start holds for all calls: hash seed, locale, import paths.
    """

    def __init__(self, environment: dict[str, str]) -> None:
        self._near, far = socket.socketpair()
        with far:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "octavo_conformance.call_server", str(far.fileno())],
                pass_fds=[far.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=environment,
            )

    def call(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make a call in a process of its own.

        Args:
            request: {"task", "files", "environment", "folder", "import_paths", "seconds"}.

        Returns:
            {"code", "answer", "printed", "left"}: exit code or None if it did not end in time, what it answered and
            printed, and the command lines of the processes that it left.
        """
        near, far = socket.socketpair()
        with near:
            with far:
                socket.send_fds(self._near, [b"."], [far.fileno()])
            near.sendall(json.dumps(request).encode())
            near.shutdown(socket.SHUT_WR)
            with near.makefile("rb") as stream:
                told = stream.read()
        return json.loads(told) if told else {"code": 1, "answer": "", "printed": "it ended its parent", "left": []}

    @property
    def runs(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the process."""
        self._near.close()
        try:
            self._process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def call_server(environment: dict[str, str]) -> CallServer:
    """Return the server for this hash seed and these import paths; it ends with this process.

    Args:
        environment: of the interpreter, with PYTHONHASHSEED.
    """
    key = (os.getpid(), environment["PYTHONHASHSEED"], environment.get("PYTHONPATH", ""))
    with _lock:
        server = _servers.get(key)
        if server is None or not server.runs:
            server = _servers[key] = CallServer(environment)
        return server


@atexit.register
def _close_all() -> None:
    for (process, *_), server in _servers.items():
        if process == os.getpid():  # not in a forked copy
            server.close()
