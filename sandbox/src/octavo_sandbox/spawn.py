"""Starts processes of our own: a clean environment, a session of its own, and only the descriptors it needs."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from octavo_contracts import ToolUnavailable

    from .tempdirs import WorkerRoot

# The worker's modules are imported below a name of their own: importing them as part of this package would import
# the package first, and with it pydantic, psutil and everything only the host needs.
_BOOTSTRAP = """\
import sys, types
package = types.ModuleType("_octavo_worker")
package.__path__ = [sys.argv[1]]
sys.modules["_octavo_worker"] = package
import importlib
importlib.import_module("_octavo_worker." + sys.argv[3]).main(int(sys.argv[2]))
"""

_PASSED_ON = ("PATH", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")

_SET = {
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    # The order of sets, and with it the output of some engines, must not change from worker to worker.
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    # OpenMP threads spin when they outnumber the cores; processes are what scales here.
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "HF_HUB_OFFLINE": "1",
    # onnxruntime 1.29 and newer keep a database of usage events open, and would send it if there were a network.
    "ORT_DISABLE_TELEMETRY": "1",
}


class Process(Protocol):
    """What the host asks of a worker's process; `subprocess.Popen` has it all."""

    pid: int
    returncode: int | None

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        ...

    def terminate(self) -> None:
        """Send SIGTERM, unless it has ended."""
        ...

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return the exit code; `subprocess.TimeoutExpired` where it runs on."""
        ...


class Spawned(NamedTuple):
    """A worker process, the host's ends of its channels, and the process whose death shall be the worker's."""

    process: Process
    sock: socket.socket
    output: int
    parent: int


def spawn(root: WorkerRoot) -> Spawned:
    """Start a worker process in its folder. Call it from a thread that lives as long as the worker shall.

    For systems where forking an interpreter is not safe; see `forkserver_client` for the others.

    Raises:
        ToolUnavailable: there is no Python to start, or the system refuses a process.
    """
    ours, theirs = socket.socketpair()
    read_end, write_end = os.pipe()
    try:
        process = start_interpreter(
            "worker_main",
            theirs,
            output=write_end,
            cwd=str(root.call),
            environment={**common_environment(), **folder_environment(root)},
        )
    except BaseException:
        ours.close()
        os.close(read_end)
        raise
    finally:
        theirs.close()
        os.close(write_end)
    return Spawned(process, ours, read_end, os.getpid())


def start_interpreter(
    program: str, channel: socket.socket, *, output: int, cwd: str, environment: dict[str, str]
) -> subprocess.Popen[bytes]:
    """Start Python with one of the modules beside this one, whose `main` gets the channel.

    `-s -P` and an environment made from nothing are what `-I` is, except that `-I` would ignore the hash seed. `-B`
    because the first modules are imported before the protections are up: byte code would be written beside the sources.

    Raises:
        ToolUnavailable: there is no Python to start, or the system refuses a process.
    """
    if not sys.executable:
        raise _unavailable(
            "workers cannot start: this Python does not know its own executable",
            remedy="Set sys.executable to a Python interpreter before the first conversion",
        )
    fd = channel.fileno()
    try:
        return subprocess.Popen(
            [sys.executable, "-B", "-s", "-P", "-c", _BOOTSTRAP, str(Path(__file__).parent), str(fd), program],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=cwd,
            env=environment,
            pass_fds=(fd,),
            start_new_session=True,
            umask=0o077,
        )
    except OSError as error:
        raise _unavailable(f"a worker process cannot be started: {error}") from error


def _unavailable(message: str, *, remedy: str | None = None) -> ToolUnavailable:
    # Imported here: this module is loaded to start a process while the contract's models are still to be imported.
    from octavo_contracts import ToolUnavailable

    return ToolUnavailable(message, remedy=remedy)


def common_environment() -> dict[str, str]:
    """All that workers know of the user's environment: next to nothing."""
    passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {"PATH": os.defpath, **passed, **_SET}


def folder_environment(root: WorkerRoot) -> dict[str, str]:
    """Where a worker's home and its temporary files are."""
    temp = str(root.call)
    return {"HOME": str(root.home), "TMPDIR": temp, "TEMP": temp, "TMP": temp}


def import_paths(extra: Iterable[Path]) -> list[str]:
    """Folders the worker needs to import what the host can, beyond those its Python has by itself.

    PYTHONPATH, and where Octavo itself lies. Neither the current folder nor the script's: they are often the
    user's documents, and what the worker imports from it may also read.
    """
    declared = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    homes = []
    for package in ("octavo", "octavo_contracts", "octavo_sandbox"):
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            homes.append(Path(spec.origin).parent.parent)
    every = [*extra, *map(Path, declared), *homes]
    return list(dict.fromkeys(os.path.abspath(path) for path in every))
