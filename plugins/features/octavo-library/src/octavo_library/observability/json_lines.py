"""A file of JSON lines that many threads and processes append to, and that is put aside when it grows too large."""

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

from octavo.filesystem.durable import FILE_MODE

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_LINK | _NO_WAIT
"""Never through a link to a file of the user's, nor into a pipe, which would stop the caller."""

_FIRST_LINE_BYTES = 1 << 20

_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


class JsonLines:
    """Appends objects to a file, one a line. Nothing is opened before the first.

    A line is written by one call to a file opened for appending, so that lines of several processes do not mix. Files
    are private to the user. There is no fsync: a power cut may take the last lines, and never a document.

    Args:
        path: the file, `NAME.jsonl`. Older ones are `NAME.1.jsonl`, the newest of them, up to `NAME.KEEP.jsonl`.
        max_bytes: a file that a line would make larger than this is put aside first.
        keep: how many older ones are kept; 0 deletes a full file.
    """

    def __init__(self, path: Path, *, max_bytes: int, keep: int) -> None:
        self.path = path
        self._max_bytes = max_bytes
        self._keep = keep
        self._lock = threading.Lock()
        self._file: int | None = None

    def append(self, row: Mapping[str, Any]) -> None:
        """Write one object.

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
        """The file that has the name now: another process may have put aside the one that is open here."""
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
        """Move every file one number up; the last one goes. One process does so, the others find it done.

        Where one of these names is that of a file which holds no lines of ours, all stay, and the log grows on.
        """
        with _alone(self.path.with_suffix(".lock")):
            if self._file is None or not _is_at(self._file, self.path):
                return
            names = [self.path, *map(self._numbered, range(1, self._keep + 1))]
            if not all(_is_log(path) for path in names if os.path.lexists(path)):
                return
            self._let_go()
            with suppress(PermissionError):  # Windows moves no file that another process has open: it grows on
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
    """Whether a file is a log of ours: a regular file whose first line is an object."""
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
    """Hold a lock among processes, where the system has locks that go with their process."""
    try:
        import fcntl
    except ImportError:  # Windows: a rename fails there while others have the file open, which is lock enough
        yield
        return
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | _NO_LINK, FILE_MODE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
