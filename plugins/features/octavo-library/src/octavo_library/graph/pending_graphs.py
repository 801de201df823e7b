"""Documents whose graphs are to be given to the intake: a set that survives a crash, and the turn of one process at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from octavo_contracts import StorageError

_BUSY_SECONDS = 30.0
_TABLE = "CREATE TABLE IF NOT EXISTS pending (document_id TEXT PRIMARY KEY, number INTEGER NOT NULL)"
_ADD = """
INSERT INTO pending SELECT ?, coalesce(max(number), 0) + 1 FROM pending WHERE true
ON CONFLICT(document_id) DO UPDATE SET number = excluded.number
"""
"""A document that changes while its graph is delivered gets a new number, and so stays in the set."""

Entry = tuple[str, int]
"""A document and the number of its change."""


class PendingGraphs:
    """The set, in a file that several processes share. Thread-safe.

    Args:
        folder: gets the files; it is created.

    Raises:
        StorageError: the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "pending.sqlite"
        self._turn = folder / "turn.sqlite"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"the folder of the graph intake {folder} cannot be created: {error}") from error
        with self._open(self._file) as connection:
            connection.execute(_TABLE)

    def add(self, document_ids: Iterable[str]) -> None:
        """Add documents.

        Raises:
            StorageError: the set cannot be written.
        """
        with self._open(self._file) as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(_ADD, [(one,) for one in sorted(document_ids)])

    def first(self, limit: int) -> list[Entry]:
        """The documents that wait longest.

        Raises:
            StorageError: the set cannot be read.
        """
        query = "SELECT document_id, number FROM pending ORDER BY number, document_id LIMIT ?"
        with self._open(self._file) as connection:
            return [(str(one), int(number)) for one, number in connection.execute(query, (limit,))]

    def done(self, entries: Sequence[Entry]) -> None:
        """Remove documents, apart from those that changed again.

        Raises:
            StorageError: the set cannot be written.
        """
        with self._open(self._file) as connection, connection:
            connection.executemany("DELETE FROM pending WHERE document_id = ? AND number = ?", entries)

    def __len__(self) -> int:
        with self._open(self._file) as connection:
            return int(connection.execute("SELECT count(*) FROM pending").fetchone()[0])

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait until no other process delivers graphs, and keep others waiting.

        Raises:
            StorageError: another process delivers for longer than half a minute.
        """
        with self._open(self._turn) as connection, connection:
            connection.execute("BEGIN EXCLUSIVE")
            yield

    @contextmanager
    def _open(self, path: Path) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)) as connection:
                yield connection
        except sqlite3.Error as error:
            raise StorageError(f"the pending graphs in {path} cannot be read or written: {error}") from error
