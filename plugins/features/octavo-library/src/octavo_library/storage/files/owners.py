"""Who is writing: one owner an opened library, alive for as long as its process holds a lock file.

The lock is the kernel's (`flock`; a byte range on Windows): it goes when the process goes, however it goes. A
process id with its start time would tell as much on one host, but not across containers that share a folder, where
ids repeat and each sees only its own processes.
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

from octavo.filesystem.durable import FILE_MODE, READ_ONLY, make_folder

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_NAME = re.compile(r"[a-z0-9]{1,24}-\d+-[0-9a-f]{8}")


def is_owner_name(name: str) -> bool:
    """Whether a name is one that `Owner` makes; the sweep touches nothing else."""
    return _NAME.fullmatch(name) is not None


class Owner:
    """The holder of one lock file, from construction to `close`. A forked copy holds nothing and removes nothing.

    Args:
        folder: where the lock files of this library are.

    Attributes:
        name: host, process id and eight random digits. For people to read; the lock is what counts.
    """

    def __init__(self, folder: Path) -> None:
        make_folder(folder)
        host = re.sub(r"[^a-z0-9]", "", socket.gethostname().lower())[:24] or "host"
        self.name = f"{host}-{os.getpid()}-{secrets.token_hex(4)}"
        self._path = _lock_path(folder, self.name)
        self._descriptor: int | None = _take(self._path)
        _owners.add(self)

    def close(self) -> None:
        """Let go of the lock and remove its file. Calling it again does nothing."""
        if self._descriptor is not None:
            _remove(self._path, self._descriptor)
            self._descriptor = None

    def disown(self) -> None:
        """In a forked child: close the inherited descriptor, which would keep the lock when the parent dies."""
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
"""Those of this process, for a child that is forked from it."""


def _after_fork() -> None:
    for owner in list(_owners):
        owner.disown()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def is_alive(folder: Path, name: str) -> bool:
    """Whether the owner of that name still runs. One without a lock file does not: it takes the lock first."""
    path = _lock_path(folder, name)
    try:
        try:
            descriptor = os.open(path, os.O_RDWR)
        except OSError as error:
            if error.errno not in READ_ONLY:
                raise
            descriptor = os.open(path, os.O_RDONLY)  # enough for `flock`, and all that a reader may do
    except FileNotFoundError:
        return False
    except PermissionError:
        return True  # another user's: what cannot be told is left alone
    try:
        return not _try_lock(descriptor)
    finally:
        os.close(descriptor)


def remove_dead(folder: Path) -> None:
    """Remove the lock files that nobody holds. What is not named as an owner's, holds something or is a link stays."""
    for path in folder.glob("*.lock"):
        if not is_owner_name(path.stem):
            continue
        try:
            descriptor = os.open(path, os.O_RDWR | _NO_LINK | _NO_WAIT)
        except OSError:  # another process sweeps at the same time, or it is a link
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
        # A sweep may take and remove the file between these two calls; then the lock is on a file without a name.
        if _try_lock(descriptor) and _is_at(descriptor, path):
            return descriptor
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _remove(path: Path, descriptor: int) -> None:
    if sys.platform == "win32":  # an open file has no removable name there
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
