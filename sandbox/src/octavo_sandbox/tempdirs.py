"""Temporary folders: one for a pool, one for each worker below it, emptied after every call.

    <temp>/octavo-<pid>-<start>-<random>/    a pool, locked while its host lives
        .lock                                held while the host lives; its content says whose the folder is
        worker-1/                            all that worker may write
            home/                            HOME
            call/                            TMPDIR and work_dir

A worker is not trusted with its own folder: nothing here follows a link, nor descends by recursion.
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

import psutil

_PREFIX = "octavo-"
_NAME = re.compile(r"octavo-(?P<pid>\d+)-(?P<start>\d+)-\w+")
_LOCK = ".lock"
_MARK = b"octavo pool 1\n"
"""Content of a pool's lock. A folder without it is not ours, whatever its name is: the place may be the user's own."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_BLOCK = 512
_SAME_START = 1.5
"""Seconds two readings of a process's start may differ by."""
_PATIENCE = 5.0
"""Seconds given to emptying a folder that a live worker may go on filling."""


class Usage(NamedTuple):
    """What a folder holds: bytes on disk, and entries below it."""

    size: int
    entries: int


class PoolRoot:
    """The folder of one pool, removed with it, and swept by a later host when this one dies first.

    Args:
        parent: where; the system's folder for temporary files by default.
    """

    def __init__(self, *, parent: Path | None = None) -> None:
        start = int(psutil.Process().create_time())
        self.path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-{start}-", dir=parent)).resolve()
        self._lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(self._lock, _MARK)  # once it is locked: a sweep never sees a marked folder without its lock

    def remove(self) -> None:
        """Remove it with all it holds."""
        remove(self.path)
        os.close(self._lock)


class WorkerRoot:
    """The folder of one worker.

    Args:
        path: it must not exist yet; its parent belongs to the host.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.home = path / "home"
        self.call = path / "call"
        for folder in (path, self.home, self.call):
            folder.mkdir(mode=0o700)

    def renew(self) -> bool:
        """Empty both folders, so that no call finds anything of the one before; whether all is as new again."""
        try:
            if set(os.listdir(self.path)) != {self.home.name, self.call.name}:
                return False
            for folder in (self.home, self.call):
                _empty(folder, patience=_PATIENCE)
        except OSError:
            # The worker put something else there, or goes on writing. It has forfeited its folder.
            return False
        return True

    def usage(self, *, at_most: int) -> Usage:
        """What lies below, the two folders of ours apart; counting ends past `at_most` entries."""
        return _measure(self.path, apart={str(self.home), str(self.call)}, at_most=at_most)

    def remove(self) -> None:
        """Remove it with all it holds. A worker that still writes must be dead first."""
        remove(self.path)


def remove(path: Path) -> None:
    """Remove a folder, however deep or odd; what cannot be removed is left for the next sweep."""
    with contextlib.suppress(OSError):
        _empty(path)
        path.rmdir()


def sweep_stale(*, parent: Path | None = None) -> list[Path]:
    """Remove the folders of hosts that died without doing so.

    A folder is stale when its lock carries our mark, no process of its number and start is alive, and nobody holds the
    lock: the lock sees hosts of other containers, the number those that have not locked theirs yet. A folder without the
    mark stays, for example one that an older version of Octavo left.

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
    """Remove a dead host's folder, by one descriptor from the look at its mark to its last file."""
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
    try:
        process = psutil.Process(pid)
        return abs(process.create_time() - start) < _SAME_START and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _lock_is_free(folder: int) -> bool:
    """Whether a folder has a lock of ours that nobody holds."""
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
    """Where a descent came from: the folder's name, its parent's identity, and the parent's folders yet to do."""

    name: str
    parent: tuple[int, int]
    todo: list[str]


def _empty(path: Path, *, patience: float = math.inf) -> None:
    """Remove all that is below a folder.

    Goes down and up again by one open descriptor, so neither a thousand levels nor a path too long for the system
    stops it, and no link can lead it elsewhere. A folder that is moved away meanwhile ends it.
    """
    _empty_open(_open_folder(path), path, patience=patience)


def _empty_open(here: int, path: Path, *, patience: float = math.inf) -> None:
    """As `_empty`, for an open folder, whose descriptor is closed; `path` is for messages."""
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
    """Remove what is no folder; the folders."""
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
        # The worker took its own rights away. Only reached where no fence keeps it from that.
        _give_rights(path, within=within)
        return os.open(path, _FOLDER, dir_fd=within)


def _give_rights(path: str | Path, *, within: int | None) -> None:
    """Give a folder back to its owner. Never by its name alone: a link put there meanwhile could lead to the user's."""
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
            # Too deep for a path, or closed to its owner: no tool needs that.
            entries = at_most + 1
    return Usage(size, entries)
