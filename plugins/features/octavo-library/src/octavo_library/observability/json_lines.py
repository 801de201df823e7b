"""A JSON Lines file that many threads and processes append to, with rotation by size."""

from __future__ import annotations

import errno
import json
import os
import stat
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from octavo_sandbox.filesystem.durable import FILE_MODE

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_LINK | _NO_WAIT
"""Refuses to follow a link to a user's file, or to open a pipe, which would block the caller."""

_FIRST_LINE_BYTES = 1 << 20

_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


class JsonLines:
    """Appends objects to a file, one per line. The file is opened on the first write.

    Each line is written by one call to a file in append mode, so that lines of several processes do not mix. Files are
    private to the user. There is no fsync: a power cut may lose the last lines, but never a document.

    Args:
        path: the file, `NAME.jsonl`. Rotated files are `NAME.1.jsonl`, the newest, up to `NAME.KEEP.jsonl`.
        max_bytes: the file is rotated before a line would make it larger than this.
        keep: number of rotated files to keep; 0: a full file is deleted.
    """

    def __init__(self, path: Path, *, max_bytes: int, keep: int) -> None:
        self.path = path
        self._max_bytes = max_bytes
        self._keep = keep
        self._lock = threading.Lock()
        self._file: int | None = None

    def append(self, row: Mapping[str, Any]) -> None:
        """Append one object.

        Raises:
            OSError: the file cannot be written.
        """
        line = _encode(row).encode() + b"\n"
        with self._lock:
            descriptor = self._current()
            if os.fstat(descriptor).st_size + len(line) > self._max_bytes:
                self._put_aside()
                descriptor = self._current()
            os.write(descriptor, line)

    def close(self) -> None:
        """Close the file; the next line opens it again."""
        with self._lock:
            self._let_go()

    def _current(self) -> int:
        """The file at the path: another process may have rotated the one that is open here."""
        if self._file is not None and not _is_at(self._file, self.path):
            self._let_go()
        if self._file is None:
            self.path.parent.mkdir(mode=0o700, exist_ok=True)
            descriptor = os.open(self.path, _APPEND, FILE_MODE)
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                os.close(descriptor)
                raise OSError(errno.EINVAL, "not a regular file", str(self.path))
            self._file = descriptor
        return self._file

    def _put_aside(self) -> None:
        """Rotate: increment the number of every file and drop the last. One process rotates, the others find it done.

        If one of these names belongs to a file that is not a log of Octavo, nothing is moved, and the log keeps
        growing.
        """
        with _alone(self.path.with_suffix(".lock")):
            if self._file is None or not _is_at(self._file, self.path):
                return
            names = [self.path, *map(self._numbered, range(1, self._keep + 1))]
            if not all(_is_log(path) for path in names if os.path.lexists(path)):
                return
            self._let_go()
            with suppress(PermissionError):  # Windows cannot move a file that another process has open: it grows on
                for number in range(self._keep, 0, -1):
                    older = self._numbered(number - 1) if number > 1 else self.path
                    with suppress(FileNotFoundError):
                        os.replace(older, self._numbered(number))
                if not self._keep:
                    self.path.unlink(missing_ok=True)

    def _numbered(self, number: int) -> Path:
        return self.path.with_suffix(f".{number}{self.path.suffix}")

    def _let_go(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _is_log(path: Path) -> bool:
    """Whether a file is a log of Octavo: a regular file whose first line is a JSON object."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _NO_LINK | _NO_WAIT)
    except OSError:
        return False
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return False
        try:
            row = json.loads(stream.readline(_FIRST_LINE_BYTES))
        except (ValueError, RecursionError):
            return False
    return isinstance(row, dict)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold an inter-process lock, if the system has locks that are released when their process ends."""
    try:
        import fcntl
    except ImportError:  # Windows: renaming an open file fails there, which is sufficient as a lock
        yield
        return
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | _NO_LINK, FILE_MODE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
