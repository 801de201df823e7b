"""Confines this process with every protection that the system has, and verifies which of them hold."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterable
from pathlib import Path

from .level import SandboxLevel
from .linux import landlock, seccomp
from .readable_paths import DEVICES, readable_paths


def confine(*, temp: Path, subprocess: bool, readable: Iterable[Path], home: Path | None) -> SandboxLevel:
    """Confine this process irrevocably.

    Args:
        temp: the only folder below which the process may write.
        subprocess: whether it may start programs.
        readable: paths that it may read besides those of the system and of Python.
        home: the user's home folder.
    """
    if _threads() > 1:
        # Landlock applies to the calling thread and its children: an older thread would stay unconfined.
        return SandboxLevel(missing=("another thread was running before the worker was confined",))
    missing: list[str] = []
    paths = readable_paths(extra=readable, home=home, subprocess=subprocess)
    abi = _fence_files(temp, paths, missing)
    filtered = _filter_calls(missing, subprocess=subprocess)
    return SandboxLevel(landlock_abi=abi, seccomp=filtered, missing=tuple(missing))


def _threads() -> int:
    """Number of threads of this process, including those of native libraries where the system counts them."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return threading.active_count()


def _fence_files(temp: Path, paths: list[Path], missing: list[str]) -> int:
    try:
        abi = landlock.restrict(temp=temp, readable=paths, devices=DEVICES)
    except OSError as error:
        missing.append(f"Landlock is not available: {error.strerror}")
        return 0
    try:
        os.close(os.open("/", os.O_RDONLY | os.O_DIRECTORY))
    except PermissionError:
        return abi
    missing.append("Landlock was set but has no effect: the root folder can still be listed")
    return 0


def _filter_calls(missing: list[str], *, subprocess: bool) -> bool:
    architecture = seccomp.this_architecture()
    if architecture is None:
        missing.append("seccomp: there is no filter for this architecture")
        return False
    try:
        seccomp.install(seccomp.build(architecture, subprocess=subprocess, pid=os.getpid()))
    except OSError as error:
        missing.append(f"seccomp is not available: {error.strerror}")
        return False
    try:
        socket.socket(socket.AF_INET).close()
    except PermissionError:
        return True
    missing.append("seccomp was set but has no effect: a network socket can still be created")
    return False
