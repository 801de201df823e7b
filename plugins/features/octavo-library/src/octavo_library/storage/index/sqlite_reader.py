"""Read-only connections to an SQLite file that cannot be written: on a read-only or full disk, or without permission.

SQLite reads a database with a write-ahead log only if it can create or open the `-shm` file beside it. If it cannot,
there are two other modes, each with a caveat:

| mode | used if | caveat |
|---|---|---|
| `mode=ro` | the `-shm` file exists or can be created | none: readers and writers lock each other out |
| `immutable=1` | there is no log, or it is empty | the log is ignored: if it had content, old data would be read |
| no locks, log index in memory | the log has content | a writer that starts meanwhile is not noticed |

The last two take no locks, so the reader records the state of the files, and compares it before and after every read.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from octavo_contracts import StorageError

_BUSY_MS = 60_000
_PROBE = "SELECT count(*) FROM sqlite_master"


@dataclass(frozen=True, slots=True)
class OpenMode:
    """How to open a file for reading.

    Attributes:
        options: the query part of SQLite's URI.
        locks: whether readers and writers lock each other out.
        heap_log: whether the log index is kept in memory, by `PRAGMA locking_mode = EXCLUSIVE`.
    """

    options: str
    locks: bool
    heap_log: bool = False


LOCKED = OpenMode("mode=ro", locks=True)
_WITHOUT_LOG = OpenMode("mode=ro&immutable=1", locks=False)
_WITH_LOG = OpenMode("mode=ro&vfs=unix-none", locks=False, heap_log=True)


class SqliteReader:
    """Opens one SQLite file for reading, and detects reads that may be inconsistent.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._way: OpenMode | None = None
        self._seen: tuple[object, ...] | None = None

    @property
    def way(self) -> OpenMode:
        """The current open mode of the file; determined on first use.

        Raises:
            sqlite3.Error: the file cannot be read in any mode.
            StorageError: an interrupted transaction must be rolled back first, which needs a writable disk.
        """
        if self._way is None:
            self._seen = self._look()
            self._way = self._find_way()
        return self._way

    @property
    def uri(self) -> str:
        """SQLite's URI of the file; see `way`."""
        return f"file:{quote(os.fsencode(self._path))}?{self.way.options}"

    def prepare(self, connection: sqlite3.Connection) -> None:
        """Prepare a connection to the file; call it before the first read."""
        if self.way.heap_log:
            connection.execute("PRAGMA main.locking_mode = EXCLUSIVE").close()

    def connect(self) -> sqlite3.Connection:
        """A read-only connection; the caller controls its transactions."""
        connection = sqlite3.connect(self.uri, uri=True, isolation_level=None, check_same_thread=False)
        try:
            self.prepare(connection)
            connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}").close()
        except BaseException:
            connection.close()
            raise
        return connection

    def has_changed(self) -> bool:
        """Whether the file was written since it was opened without locks; if so, close its connections."""
        if self._way is None or self._way.locks or self._look() == self._seen:
            return False
        self._way = None
        return True

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Raise after the block if the file was read without locks and was written meanwhile.

        Raises:
            StorageError: the file was written.
        """
        yield
        if self.has_changed():
            raise StorageError(
                f"another process wrote to {self._path} while it was read without locks", remedy="Run the command again"
            )

    def _look(self) -> tuple[object, ...]:
        return tuple(_state(Path(f"{self._path}{suffix}")) for suffix in ("", "-wal"))

    def _find_way(self) -> OpenMode:
        if _opens(self._path, LOCKED):
            return LOCKED
        if _size(Path(f"{self._path}-journal")):
            raise StorageError(
                f"{self._path} has an interrupted transaction that must be rolled back before it can be read",
                remedy="Open the library once with write access",
            )
        way = _WITH_LOG if _size(Path(f"{self._path}-wal")) else _WITHOUT_LOG
        _probe(self._path, way)
        return way


def _opens(path: Path, way: OpenMode) -> bool:
    try:
        _probe(path, way)
    except sqlite3.OperationalError:
        return False
    return True


def _probe(path: Path, way: OpenMode) -> None:
    connection = sqlite3.connect(f"file:{quote(os.fsencode(path))}?{way.options}", uri=True, isolation_level=None)
    try:
        if way.heap_log:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE").close()
        connection.execute(_PROBE).fetchone()
    finally:
        connection.close()


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
