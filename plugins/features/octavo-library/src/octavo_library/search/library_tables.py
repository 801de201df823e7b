"""The library's index as the schema `library` of a chunk index connection: attached or copied.

The statement that finds the words also decides, by the authoritative index, which version is active and who may see it.
An SQLite index is attached read-only. An index on a server is copied into memory: only the columns of three tables that a
search needs, without any content of documents. Later searches copy the rows of the documents that changed since; each copy
is made from one snapshot.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import deque
from pathlib import Path
from typing import NamedTuple, Protocol
from urllib.parse import quote

from ..storage import Index
from ..storage.index.snapshots import CopiedRows
from ..storage.index.sqlite_reader import SqliteReader

_COPY = """
CREATE TABLE library.documents(
    document_id TEXT PRIMARY KEY, content_hash TEXT, title TEXT, active_conversion_version TEXT,
    normalized_text_hash TEXT, first_ingested_at TEXT
) WITHOUT ROWID;
CREATE TABLE library.document_corpus_memberships(
    document_id TEXT, corpus_id TEXT, PRIMARY KEY (document_id, corpus_id)
) WITHOUT ROWID;
CREATE TABLE library.document_source_instances(
    source_instance_id TEXT PRIMARY KEY, document_id TEXT, corpus_id TEXT, policy_context_json TEXT
) WITHOUT ROWID;
CREATE INDEX library.instances_of ON document_source_instances(document_id);
"""

COLUMNS = {
    "documents": (
        "document_id",
        "content_hash",
        "title",
        "active_conversion_version",
        "normalized_text_hash",
        "first_ingested_at",
    ),
    "document_corpus_memberships": ("document_id", "corpus_id"),
    "document_source_instances": ("source_instance_id", "document_id", "corpus_id", "policy_context_json"),
}
"""Table → columns that a search needs, in the order of the copy."""


MOST_CHANGES = 2_000
"""Changed documents up to which a search looks at these alone; beyond, one pass over all documents is faster."""

_AMONG = "(SELECT value FROM json_each(?))"
_SINCE = "SELECT document_id FROM library.document_changes WHERE number > ? LIMIT ?"


class Mark(NamedTuple):
    """A place in the log of changed documents.

    Attributes:
        attached: counts the files that were attached as the schema `library`.
        number: the number of the last change.
    """

    attached: int
    number: int


class LibraryTables(Protocol):
    """Read access of the chunk index to the library's index."""

    def attach(self, connection: sqlite3.Connection) -> None:
        """Provide it as the schema `library` of a connection."""

    def refresh(self, connection: sqlite3.Connection) -> None:
        """Update `library` from the index. Called outside any transaction."""

    def state(self, connection: sqlite3.Connection) -> int:
        """A number that changes whenever the content of `library` may have changed."""

    def mark(self, connection: sqlite3.Connection) -> Mark | None:
        """The present place in the log of changed documents; None without a log."""

    def changed(self, connection: sqlite3.Connection, since: Mark | None) -> list[str] | None:
        """Ids of the documents that changed since a place in the log; None if all documents have to be looked at."""


class AttachedTables:
    """An SQLite index.

    Args:
        index: its file.
        reader: opens it if it cannot be written, or None.
    """

    def __init__(self, index: Path, *, reader: SqliteReader | None = None) -> None:
        self._index = index
        self._reader = reader
        self._attached = 0

    def attach(self, connection: sqlite3.Connection) -> None:
        """As `LibraryTables`."""
        uri = file_uri(self._index, mode="ro") if self._reader is None else self._reader.uri
        if self._reader is not None and self._reader.way.heap_log:
            # An attached database takes on the last mode that was set for all; the chunk index must keep its own.
            own = connection.execute("PRAGMA main.locking_mode").fetchone()[0]
            connection.execute("PRAGMA locking_mode = EXCLUSIVE").close()
            connection.execute(f"PRAGMA main.locking_mode = {own}").close()
        connection.execute("ATTACH DATABASE ? AS library", (uri,))
        self._attached += 1

    def refresh(self, connection: sqlite3.Connection) -> None:
        """As `LibraryTables`. An attached index is current, unless it is read without locks and was written."""
        if self._reader is not None and self._reader.has_changed():
            connection.execute("DETACH DATABASE library")
            self.attach(connection)

    def state(self, connection: sqlite3.Connection) -> int:
        """As `LibraryTables`."""
        return int(connection.execute("PRAGMA library.data_version").fetchone()[0])

    def mark(self, connection: sqlite3.Connection) -> Mark:
        """As `LibraryTables`."""
        (newest,) = connection.execute("SELECT max(number) FROM library.document_changes").fetchone()
        return Mark(self._attached, newest or 0)

    def changed(self, connection: sqlite3.Connection, since: Mark | None) -> list[str] | None:
        """As `LibraryTables`. A deletion leaves no id: all documents have to be looked at."""
        if since is None or since.attached != self._attached:
            return None
        rows = connection.execute(_SINCE, (since.number, MOST_CHANGES + 1)).fetchall()
        ids = [document_id for (document_id,) in rows]
        return None if len(ids) > MOST_CHANGES or "" in ids else ids


class CopiedTables:
    """An index on a server.

    Args:
        index: the source of the snapshots.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self._copied: str | None = None
        self._attached = self._number = 0
        self._log: deque[tuple[int, str]] = deque(maxlen=MOST_CHANGES + 1)
        self._whole = 0  # the number of the last change that replaced all rows

    def attach(self, connection: sqlite3.Connection) -> None:
        """As `LibraryTables`."""
        connection.execute("ATTACH DATABASE ':memory:' AS library")
        for statement in _COPY.strip().split(";\n"):
            connection.execute(statement)
        self._attached += 1
        self._copied = None
        self.refresh(connection)

    def refresh(self, connection: sqlite3.Connection) -> None:
        """As `LibraryTables`."""
        since, self._copied = self._copied, None  # a copy that fails is made again as a whole
        self._copied = self._index.snapshots.for_search(
            COLUMNS, lambda copied: self._take_over(connection, copied), since=since
        )

    def _take_over(self, connection: sqlite3.Connection, copied: CopiedRows) -> None:
        changed = None if copied.changed is None else json.dumps(copied.changed)
        connection.execute("BEGIN")
        try:
            for table, rows in copied.tables:
                if changed is None:
                    connection.execute(f"DELETE FROM library.{table}")
                else:
                    connection.execute(f"DELETE FROM library.{table} WHERE document_id IN {_AMONG}", (changed,))
                marks = ", ".join("?" * len(COLUMNS[table]))
                connection.executemany(f"INSERT INTO library.{table} VALUES ({marks})", rows)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
        self._number += 1
        if copied.changed is None:
            self._whole = self._number
            self._log.clear()
        else:
            self._log.extend((self._number, document_id) for document_id in copied.changed)

    def state(self, connection: sqlite3.Connection) -> int:
        """As `LibraryTables`."""
        return self._number

    def mark(self, connection: sqlite3.Connection) -> Mark:
        """As `LibraryTables`."""
        return Mark(self._attached, self._number)

    def changed(self, connection: sqlite3.Connection, since: Mark | None) -> list[str] | None:
        """As `LibraryTables`."""
        if since is None or since.attached != self._attached or since.number < self._whole:
            return None
        ids = {document_id for number, document_id in self._log if number > since.number}
        is_complete = len(self._log) <= MOST_CHANGES or self._log[0][0] <= since.number
        return list(ids) if is_complete else None


def tables_of(index: Index) -> LibraryTables:
    """Read access to a library's index for the chunk index."""
    if index.url.get_backend_name() == "sqlite":
        path = Path(index.url.database or "")
        return AttachedTables(path, reader=SqliteReader(path) if index.read_only is not None else None)
    return CopiedTables(index)


def file_uri(path: Path, *, mode: str) -> str:
    """A path as SQLite's URI, for any name, including names that are not UTF-8."""
    return f"file:{quote(os.fsencode(path))}?mode={mode}"
