"""Temporary folders: one for a pool, one for each worker below it, emptied after every call.

    <temp>/octavo-<pid>-<start>-<random>/    a pool, locked while its host lives
        .lock                                held while the host lives; its content identifies the folder's owner
        worker-1/                            the only folder that this worker may write
            home/                            HOME
            call/                            TMPDIR and work_dir

A worker is not trusted with its own folder: the functions here neither follow links nor recurse.
"""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import re
import stat
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

_PREFIX = "octavo-"
_NAME = re.compile(r"octavo-(?P<pid>\d+)-(?P<start>\d+)-\w+")
_LOCK = ".lock"
_MARK = b"octavo pool 1\n"
"""Content of a pool's lock file. A folder without it is never removed, whatever its name: it may be the user's."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_BLOCK = 512
_SAME_START = 1.5
"""Seconds by which two readings of a process's start time may differ."""
_PATIENCE = 5.0
"""Maximum seconds for emptying a folder that a live worker may still be filling."""


class Usage(NamedTuple):
    """Bytes on disk and number of entries below a folder."""

    size: int
    entries: int


class PoolRoot:
    """The folder of one pool: removed with the pool, or by a later host if this host dies first.

    Args:
        parent: its parent folder; default: the system's temporary folder.
    """

    def __init__(self, *, parent: Path | None = None) -> None:
        import psutil

        start = int(psutil.Process().create_time())
        self.path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-{start}-", dir=parent)).resolve()
        self._lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(self._lock, _MARK)  # after locking: a sweep never sees a marked folder that is not locked

    def remove(self) -> None:
        """Remove the folder with its content."""
        remove(self.path)
        os.close(self._lock)


class WorkerRoot:
    """The folder of one worker.

    Args:
        path: the folder to create; its parent belongs to the host.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.home = path / "home"
        self.call = path / "call"
        for folder in (path, self.home, self.call):
            folder.mkdir(mode=0o700)

    def renew(self) -> bool:
        """Empty both folders, so that no call finds files of an earlier one; return whether that succeeded."""
        try:
            if set(os.listdir(self.path)) != {self.home.name, self.call.name}:
                return False
            for folder in (self.home, self.call):
                _empty(folder, patience=_PATIENCE)
        except OSError:
            # The worker replaced a folder or is still writing: its folder cannot be used again.
            return False
        return True

    def usage(self, *, at_most: int) -> Usage:
        """Usage below the folder, without its two own folders; counting stops after `at_most` entries."""
        return _measure(self.path, apart={str(self.home), str(self.call)}, at_most=at_most)

    def remove(self) -> None:
        """Remove the folder with its content. The worker must be dead."""
        remove(self.path)


def remove(path: Path) -> None:
    """Remove a folder of any depth and content; leave what cannot be removed for the next sweep."""
    with contextlib.suppress(OSError):
        _empty(path)
        path.rmdir()


def sweep_stale(*, parent: Path | None = None) -> list[Path]:
    """Remove the folders of hosts that died before they could remove them.

    A folder is stale if its lock file has Octavo's mark, no process with its process id and start time is alive, and
    the lock is free. The lock detects hosts in other containers; the process id detects hosts that have not locked their
    folder yet. A folder without the mark is kept, for example one that an older version of Octavo left.

    Returns:
        The folders removed.
    """
    gone: list[Path] = []
    for path in (parent or Path(tempfile.gettempdir())).glob(f"{_PREFIX}*"):
        name = _NAME.fullmatch(path.name)
        if name is None or _alive(int(name["pid"]), start=int(name["start"])):
            continue
        with contextlib.suppress(OSError):
            if _remove_stale(path):
                gone.append(path)
    return gone


def _remove_stale(path: Path) -> bool:
    """Remove a dead host's folder, using one descriptor from checking the mark to removing the last file."""
    folder = os.open(path, _FOLDER)
    try:
        if os.fstat(folder).st_uid != os.geteuid() or not _lock_is_free(folder):
            return False
        _empty_open(os.dup(folder), path)
        if not os.path.samestat(os.fstat(folder), path.lstat()):
            return False
    finally:
        os.close(folder)
    path.rmdir()
    return True


def _alive(pid: int, *, start: int) -> bool:
    import psutil  # imported here: a library that is only read starts no worker, and rarely finds a folder of one

    try:
        process = psutil.Process(pid)
        return abs(process.create_time() - start) < _SAME_START and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _lock_is_free(folder: int) -> bool:
    """True if a folder has an Octavo lock file and the lock is free."""
    try:
        lock = os.open(_LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        return False
    try:
        if not stat.S_ISREG(os.fstat(lock).st_mode) or os.read(lock, len(_MARK) + 1) != _MARK:
            return False
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock)
    return True


class _Level(NamedTuple):
    """One level of a descent: the folder's name, its parent's identity, and the parent's remaining folders."""

    name: str
    parent: tuple[int, int]
    todo: list[str]


def _empty(path: Path, *, patience: float = math.inf) -> None:
    """Remove everything below a folder.

    Descends and ascends with one open descriptor. So neither a thousand levels nor a path too long for the system
    stops it, and no link can redirect it. It stops if a folder is moved away meanwhile.
    """
    _empty_open(_open_folder(path), path, patience=patience)


def _empty_open(here: int, path: Path, *, patience: float = math.inf) -> None:
    """Do the work of `_empty` for an open folder and close its descriptor; `path` is for messages."""
    deadline = time.monotonic() + patience
    trail: list[_Level] = []
    try:
        todo = _unlink_files(here)
        while todo or trail:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{path} fills as fast as it is emptied")
            if todo:
                name = todo.pop()
                below = _open_folder(name, within=here)
                trail.append(_Level(name, _identity(here), todo))
                here = _replaced(here, below)
                todo = _unlink_files(here)
            else:
                name, parent, todo = trail.pop()
                here = _replaced(here, _open_folder("..", within=here))
                if _identity(here) != parent:
                    raise OSError(f"a folder below {path} was moved while it was emptied")
                os.rmdir(name, dir_fd=here)
    finally:
        os.close(here)


def _unlink_files(folder: int) -> list[str]:
    """Remove everything that is not a folder; return the names of the folders."""
    folders = []
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):
            if stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
                folders.append(name)
            else:
                os.unlink(name, dir_fd=folder)
    return folders


def _identity(folder: int) -> tuple[int, int]:
    facts = os.fstat(folder)
    return facts.st_dev, facts.st_ino


def _replaced(old: int, new: int) -> int:
    os.close(old)
    return new


def _open_folder(path: str | Path, *, within: int | None = None) -> int:
    try:
        return os.open(path, _FOLDER, dir_fd=within)
    except PermissionError:
        # The worker removed its own permissions. This happens only where no protection prevents it.
        _give_rights(path, within=within)
        return os.open(path, _FOLDER, dir_fd=within)


def _give_rights(path: str | Path, *, within: int | None) -> None:
    """Give the owner access to a folder. Never by name alone: a link created meanwhile could lead to a user's folder."""
    if hasattr(os, "O_PATH"):
        place = os.open(path, os.O_PATH | _FOLDER, dir_fd=within)
        try:
            os.chmod(f"/proc/self/fd/{place}", 0o700)
        finally:
            os.close(place)
    else:  # macOS changes the rights of a link itself
        os.chmod(path, 0o700, dir_fd=within, follow_symlinks=False)


def _measure(folder: Path, *, apart: set[str], at_most: int) -> Usage:
    size = entries = 0
    queue = [str(folder)]
    while queue and entries <= at_most:
        try:
            with os.scandir(queue.pop()) as found:
                for entry in found:
                    if entry.path in apart and entry.is_dir(follow_symlinks=False):
                        queue.append(entry.path)
                        continue
                    entries += 1
                    size += entry.stat(follow_symlinks=False).st_blocks * _BLOCK
                    if entries > at_most:
                        break
                    if entry.is_dir(follow_symlinks=False):
                        queue.append(entry.path)
        except FileNotFoundError:
            continue
        except OSError:
            # Too deep for a path, or not accessible to its owner: no tool needs such a folder.
            entries = at_most + 1
    return Usage(size, entries)
