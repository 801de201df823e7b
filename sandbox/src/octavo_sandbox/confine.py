"""Puts this process behind every fence the system has, and says which ones hold."""

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
    """Fence this process in for ever.

    Args:
        temp: the only folder it may write below.
        subprocess: whether it may start programs.
        readable: what it may read besides the system and Python.
        home: the user's home folder.
    """
    if _threads() > 1:
        # Landlock holds for the thread that asks and its children: an older thread would stand outside.
        return SandboxLevel(missing=("another thread was running before the worker was confined",))
    missing: list[str] = []
    paths = readable_paths(extra=readable, home=home, subprocess=subprocess)
    abi = _fence_files(temp, paths, missing)
    filtered = _filter_calls(missing, subprocess=subprocess)
    return SandboxLevel(landlock_abi=abi, seccomp=filtered, missing=tuple(missing))


def _threads() -> int:
    """Threads of this process, those of native libraries included where the system counts them."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return threading.active_count()


def _fence_files(temp: Path, paths: list[Path], missing: list[str]) -> int:
    try:
        abi = landlock.restrict(temp=temp, readable=paths, devices=DEVICES)
    except OSError as error:
        missing.append(f"Landlock is not there: {error.strerror}")
        return 0
    try:
        os.close(os.open("/", os.O_RDONLY | os.O_DIRECTORY))
    except PermissionError:
        return abi
    missing.append("Landlock was set but does not hold: the root folder can still be listed")
    return 0


def _filter_calls(missing: list[str], *, subprocess: bool) -> bool:
    architecture = seccomp.this_architecture()
    if architecture is None:
        missing.append("seccomp: no filter is written for this system")
        return False
    try:
        seccomp.install(seccomp.build(architecture, subprocess=subprocess, pid=os.getpid()))
    except OSError as error:
        missing.append(f"seccomp is not there: {error.strerror}")
        return False
    try:
        socket.socket(socket.AF_INET).close()
    except PermissionError:
        return True
    missing.append("seccomp was set but does not hold: a network socket can still be made")
    return False
