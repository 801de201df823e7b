"""Starts worker processes with a clean environment, a session of their own, and only the descriptors they need."""

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

# The worker's modules are imported under a separate package name: importing them as part of this package would import
# the package first, and with it pydantic, psutil and everything else that only the host needs.
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
    # The order of sets, and so the output of some engines, must not differ between workers.
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    # OpenMP threads spin when there are more of them than cores; here, processes provide the parallelism.
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "HF_HUB_OFFLINE": "1",
    # onnxruntime 1.29 and newer keep a database of usage events open and would send it if there were a network.
    "ORT_DISABLE_TELEMETRY": "1",
    # pydantic would look through the metadata of every installed distribution for plugins of its own.
    "PYDANTIC_DISABLE_PLUGINS": "__all__",
}


class Process(Protocol):
    """The interface of a worker's process that the host uses; `subprocess.Popen` implements it."""

    pid: int
    returncode: int | None

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        ...

    def terminate(self) -> None:
        """Send SIGTERM unless the process has ended."""
        ...

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the process ends and return the exit code; `subprocess.TimeoutExpired` if it still runs."""
        ...


class Spawned(NamedTuple):
    """A worker process, the host's ends of its channels, and the process whose death kills the worker."""

    process: Process
    sock: socket.socket
    output: int
    parent: int


def spawn(root: WorkerRoot) -> Spawned:
    """Start a worker process in its folder. Call it from a thread that lives as long as the worker.

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

    `-s -P` and a new environment have the effect of `-I`, except that `-I` would ignore the hash seed. `-B` is needed
    because the first modules are imported before the worker is confined: byte code would be written beside the sources.

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
    # Imported here because this module must load quickly, before the contract's models, to start a process.
    from octavo_contracts import ToolUnavailable

    return ToolUnavailable(message, remedy=remedy)


def common_environment() -> dict[str, str]:
    """Environment of every worker; it has almost nothing of the user's environment."""
    passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {"PATH": os.defpath, **passed, **_SET}


def folder_environment(root: WorkerRoot) -> dict[str, str]:
    """Environment variables for a worker's home and temporary folders."""
    temp = str(root.call)
    return {"HOME": str(root.home), "TMPDIR": temp, "TEMP": temp, "TMP": temp}


def import_paths(extra: Iterable[Path]) -> list[str]:
    """Folders that the worker needs, beyond its Python's own, to import what the host can import.

    They are PYTHONPATH and Octavo's own location. The current folder and the script's folder are excluded: they often
    hold the user's documents, and a worker may read every folder from which it imports.
    """
    declared = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    homes = []
    for package in ("octavo", "octavo_contracts", "octavo_sandbox"):
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            homes.append(Path(spec.origin).parent.parent)
    every = [*extra, *map(Path, declared), *homes]
    return list(dict.fromkeys(os.path.abspath(path) for path in every))
