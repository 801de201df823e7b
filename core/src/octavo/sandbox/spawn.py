"""Starts a worker process: a clean environment, its own session, and only the descriptors it needs."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from octavo_contracts import ToolUnavailable

from .temp import WorkerRoot

# The worker's modules are imported below a name of their own: importing them as part of this package would import
# the package first, and with it pydantic, psutil and everything only the host needs.
_BOOTSTRAP = """\
import sys, types
package = types.ModuleType("_octavo_worker")
package.__path__ = [sys.argv[1]]
sys.modules["_octavo_worker"] = package
from _octavo_worker.worker import main
main(int(sys.argv[2]))
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


class Spawned(NamedTuple):
    """A worker process and the host's ends of its channels."""

    process: subprocess.Popen[bytes]
    sock: socket.socket
    output: int


def spawn(root: WorkerRoot) -> Spawned:
    """Start a worker process in its folder. Call it from a thread that lives as long as the worker shall.

    `-s -P` and an environment made from nothing are what `-I` is, except that `-I` would ignore the hash seed.

    Raises:
        ToolUnavailable: there is no Python to start, or the system refuses a process.
    """
    if not sys.executable:
        raise ToolUnavailable(
            "workers can not start: this Python does not know its own executable",
            remedy="Set sys.executable to a Python interpreter before the first conversion",
        )
    ours, theirs = socket.socketpair()
    read_end, write_end = os.pipe()
    try:
        process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-c", _BOOTSTRAP, str(Path(__file__).parent), str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=write_end,
            stderr=write_end,
            cwd=root.call,
            env=environment(root),
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
            umask=0o077,
        )
    except OSError as error:
        ours.close()
        os.close(read_end)
        raise ToolUnavailable(f"a worker process can not be started: {error}") from error
    finally:
        theirs.close()
        os.close(write_end)
    return Spawned(process, ours, read_end)


def environment(root: WorkerRoot) -> dict[str, str]:
    """All a worker knows of the user's environment: next to nothing."""
    passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    temp = str(root.call)
    return {"PATH": os.defpath, **passed, **_SET, "HOME": str(root.home), "TMPDIR": temp, "TEMP": temp, "TMP": temp}


def import_paths(extra: Iterable[Path]) -> list[str]:
    """Folders the worker needs to import what the host can, beyond those its Python has by itself.

    PYTHONPATH, and where Octavo itself lies. Neither the current folder nor the script's: they are often the
    user's documents, and what the worker imports from it may also read.
    """
    declared = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    homes = []
    for package in ("octavo", "octavo_contracts"):
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            homes.append(Path(spec.origin).parent.parent)
    every = [*extra, *map(Path, declared), *homes]
    return list(dict.fromkeys(os.path.abspath(path) for path in every))
