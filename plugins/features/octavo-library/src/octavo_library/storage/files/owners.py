"""Owner locks: each open library has one owner, alive as long as its process holds a lock file.

The kernel holds the lock (`flock`; a byte range on Windows) and releases it however the process ends. A process id with
its start time would do on one host, but not across containers that share a folder: ids repeat there, and each container
sees only its own processes.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
import stat
import sys
import weakref
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from octavo_sandbox.filesystem.durable import FILE_MODE, READ_ONLY, make_folder

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_NAME = re.compile(r"[a-z0-9]{1,24}-\d+-[0-9a-f]{8}")


def is_owner_name(name: str) -> bool:
    """Whether a name has the form that `Owner` generates; the sweep touches nothing else."""
    return _NAME.fullmatch(name) is not None


def new_owner_name() -> str:
    """A name that no owner had before: host, process id and eight random hex digits."""
    host = re.sub(r"[^a-z0-9]", "", socket.gethostname().lower())[:24] or "host"
    return f"{host}-{os.getpid()}-{secrets.token_hex(4)}"


class Owner:
    """Holder of one lock file, from construction to `close`. A forked copy holds no lock and removes nothing.

    Args:
        folder: the folder of this library's lock files.

    Attributes:
        name: host, process id and eight random hex digits. For people to read; liveness depends on the lock only.
    """

    def __init__(self, folder: Path) -> None:
        make_folder(folder)
        self.name = new_owner_name()
        self._path = _lock_path(folder, self.name)
        self._descriptor: int | None = _take(self._path)
        _owners.add(self)

    def close(self) -> None:
        """Release the lock and remove its file. Calling it again does nothing."""
        if self._descriptor is not None:
            _remove(self._path, self._descriptor)
            self._descriptor = None

    def disown(self) -> None:
        """In a forked child: close the inherited descriptor, which would hold the lock after the parent's death."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_owners: weakref.WeakSet[Owner] = weakref.WeakSet()
"""The owners of this process, for a forked child."""


def _after_fork() -> None:
    for owner in list(_owners):
        owner.disown()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def is_alive(folder: Path, name: str) -> bool:
    """Whether the owner of that name is alive. An owner without a lock file is dead: it creates the file first."""
    path = _lock_path(folder, name)
    try:
        try:
            descriptor = os.open(path, os.O_RDWR)
        except OSError as error:
            if error.errno not in READ_ONLY:
                raise
            descriptor = os.open(path, os.O_RDONLY)  # enough for `flock`, and all that a reader is allowed
    except FileNotFoundError:
        return False
    except PermissionError:
        return True  # another user's lock cannot be tested; assume that its owner is alive
    try:
        return not _try_lock(descriptor)
    finally:
        os.close(descriptor)


def remove_dead(folder: Path) -> None:
    """Remove the lock files that no process holds. Keep links, non-empty files and files without an owner's name."""
    for path in folder.glob("*.lock"):
        if not is_owner_name(path.stem):
            continue
        try:
            descriptor = os.open(path, os.O_RDWR | _NO_LINK | _NO_WAIT)
        except OSError:  # another process sweeps at the same time, or the file is a link
            continue
        facts = os.fstat(descriptor)
        if stat.S_ISREG(facts.st_mode) and not facts.st_size and _try_lock(descriptor):
            _remove(path, descriptor)
        else:
            os.close(descriptor)


def _lock_path(folder: Path, name: str) -> Path:
    return folder / f"{name}.lock"


def _take(path: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE)
        # A sweep may lock and remove the file between these two calls; the lock would be on an unlinked file then.
        if _try_lock(descriptor) and _is_at(descriptor, path):
            return descriptor
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _remove(path: Path, descriptor: int) -> None:
    if sys.platform == "win32":  # an open file cannot be removed there
        os.close(descriptor)
        with suppress(OSError):
            path.unlink()
    else:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
    else:
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
