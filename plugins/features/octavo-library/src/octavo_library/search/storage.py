"""The SQLite file of the chunk index: found or created, opened together with the library's index, replaced if unusable.

The file is derived data: it can be rebuilt from the library's artifacts at any time. It is separate from `index.sqlite`
because full-text search takes most of the cost of writing a document's rows (88 % where it was measured): ingestion
must not wait for it, share its write lock, or lose a document because of it. So ingestion never writes here. A search
first updates the file, in its own batches (ENG-14), and reads the library's index attached and read-only: the statement
that finds the words also decides, by the authoritative index, which version is active and who may see it, however far
the file lags behind.

Files are named `chunks-N.sqlite` in the folder `search`, and the highest N is used. A name is never reused: SQLite
deletes the `-wal` file by name when the last user closes a database, so a replacement of the same name could lose its
log to a process that still has the old file open.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from octavo_contracts import LibraryReadOnly, StorageError, StorageExhausted, ToolUnavailable
from octavo_sandbox.filesystem.durable import READ_ONLY, free_space, has_no_room, write_failed

from .cjk_segmentation import searchable
from .library_tables import LibraryTables, file_uri

FOLDER = "search"
SCHEMA = 2
"""Increase it with every change of the tables or of `searchable`: files of another schema are rebuilt."""

ROWS_PER_SET = 24
"""A chunk's row id is its set's number, shifted by this many bits, plus its position in the set."""

TOKENIZER = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
"""The tokenizer of SQLite's full-text search: all chunk indexes have the same words."""

_NAME = re.compile(r"chunks-(\d{20})\.sqlite")
_BUSY_MS = 60_000
_PRAGMAS = (
    f"busy_timeout = {_BUSY_MS}",
    "journal_mode = WAL",
    "synchronous = NORMAL",  # a power cut may lose the last batches, which are then indexed again
    "secure_delete = ON",  # purged content is overwritten, not only unlinked
    "cache_size = -32768",  # no mmap: a file truncated by another program would crash the process
    "temp_store = MEMORY",  # no temporary files, which a killed process could leave behind
)
_TABLES = f"""
CREATE TABLE facts(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE sets(
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    text_hash TEXT,
    config TEXT NOT NULL,
    UNIQUE(document_id, config)
);
CREATE TABLE chunks(
    id INTEGER PRIMARY KEY,
    chunk_id TEXT NOT NULL,
    page INTEGER,
    page_start INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    markdown_start INTEGER,
    markdown_end INTEGER,
    text TEXT NOT NULL
);
CREATE TABLE vectors(
    number INTEGER NOT NULL,
    model TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    done INTEGER NOT NULL,
    held INTEGER NOT NULL,
    purged INTEGER NOT NULL,
    PRIMARY KEY (number, model)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(
    text, content='', tokenize="{TOKENIZER}"
);
PRAGMA user_version = {SCHEMA};
"""
# `AUTOINCREMENT`: a set's number is never reused, so that no leftover can be taken for another document's.
# The table of words stores no content: `chunks.text` is displayed, and is needed to delete a row.
# A row of `vectors` outlives its set until the vectors are removed: see `octavo_library.search.vectors`.


class DamagedError(Exception):
    """The file is unusable: truncated, altered, of another schema or another library. Replace it."""


class Superseded(Exception):
    """Another process has replaced the file, or it was deleted. Open it again."""


class Storage:
    """An open chunk index, with the library's index as the schema `library`.

    Args:
        folder: the folder of the file; created if it does not exist.
        library: the library's index.
        library_id: the library's own id; a file of another library is not used.

    Raises:
        DamagedError: the newest file is unusable; call `replace`.
        StorageError: the folder cannot be written.
    """

    def __init__(self, folder: Path, *, library: LibraryTables, library_id: str) -> None:
        with _file_errors(folder):
            folder.mkdir(mode=0o700, exist_ok=True)
            self._path = newest(folder) or _make(folder)
        with database_errors(self._path):
            self.connection = _connect(self._path, library)
        try:
            with database_errors(self._path):
                self._check(library_id)
        except BaseException:
            self.connection.close()
            raise

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    @property
    def number(self) -> str:
        """The unique number of the file: 20 digits, never reused."""
        return self._path.stem.removeprefix("chunks-")

    def check_current(self) -> None:
        """Raise if the file is no longer the one to use.

        Raises:
            Superseded: there is a newer file, or this one was deleted.
        """
        if newest(self._path.parent) != self._path:
            raise Superseded

    def close(self) -> None:
        """Close the file, even if it is damaged."""
        with suppress(sqlite3.Error):
            self.connection.close()

    def _check(self, library_id: str) -> None:
        connection = self.connection
        if not connection.execute("PRAGMA main.user_version").fetchone()[0]:
            with writing(connection):  # if two processes open a new file, one of them creates the tables
                if not connection.execute("SELECT 1 FROM main.sqlite_master").fetchone():
                    for statement in _TABLES.strip().split(";\n"):
                        connection.execute(statement)
                    connection.execute("INSERT INTO facts VALUES ('library_id', ?)", (library_id,))
        made = connection.execute("PRAGMA main.user_version").fetchone()[0]
        if made != SCHEMA:
            raise DamagedError(f"schema {made}, expected {SCHEMA}")
        (owner,) = connection.execute("SELECT value FROM facts WHERE key = 'library_id'").fetchone() or (None,)
        if owner != library_id:
            raise DamagedError("it belongs to another library")


def replace(folder: Path, damaged: Path | None) -> None:
    """Replace a damaged file by an empty one, unless another process already did.

    Raises:
        StorageError: the folder cannot be written.
    """
    with _file_errors(folder):
        if damaged is None or newest(folder) == damaged:
            _make(folder)
        if folder.is_symlink():  # the target may be another library's
            return
        for path in sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name))[:-1]:
            for old in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
                with suppress(FileNotFoundError, PermissionError):  # Windows keeps a file that a process has open
                    old.unlink()


def newest(folder: Path) -> Path | None:
    """The newest file, or None if there is none."""
    try:
        names = [name for name in os.listdir(folder) if _NAME.fullmatch(name)]
    except FileNotFoundError:
        return None
    return folder / max(names) if names else None


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """One write transaction: commits, or rolls back if the block raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # a full disk has already ended it
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Translate SQLite's errors into errors of the store.

    Raises:
        DamagedError: the file is corrupt or not a database.
        StorageError: the disk is full, not writable or failed; or another process held the lock too long.
        ToolUnavailable: this Python's SQLite was built without full-text search.
    """
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorname", "")
        if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            raise DamagedError(f"it is damaged: {error}") from error
        if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            raise StorageError(
                f"another process has locked the chunk index {path} for {_BUSY_MS // 1000} s",
                remedy="Wait for that process or end it, then search again",
            ) from error
        if code == "SQLITE_FULL" or (code.startswith("SQLITE_IOERR") and has_no_room(path)):
            raise StorageExhausted(f"the disk is full: {free_space(path)} beside the chunk index {path}") from error
        if code.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
            raise LibraryReadOnly(f"the chunk index {path} cannot be written: {error}") from error
        if code.startswith("SQLITE_IOERR"):
            raise StorageError(f"the chunk index {path} failed: {error}", remedy="Check the disk") from error
        if "no such module" in str(error):
            raise ToolUnavailable(
                "this Python's SQLite has no full-text search (FTS5)",
                remedy="Use a Python whose SQLite was built with FTS5, as those from python.org are",
            ) from error
        raise


def _make(folder: Path) -> Path:
    """Create an empty file with a unique name; the first process that opens it creates the tables."""
    last = newest(folder)
    number = max(time.time_ns(), int(_NAME.fullmatch(last.name)[1]) + 1) if last else time.time_ns()  # type: ignore[index]  # `newest` matched it
    path = folder / f"chunks-{number:020d}.sqlite"
    # SQLite gives its log files the mode of the database.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    return path


def _connect(path: Path, library: LibraryTables) -> sqlite3.Connection:
    connection = sqlite3.connect(file_uri(path, mode="rw"), uri=True, isolation_level=None, check_same_thread=False)
    try:
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        library.attach(connection)
        connection.create_function("searchable", 1, searchable, deterministic=True)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _file_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in READ_ONLY:
            raise LibraryReadOnly(
                f"the folder of the chunk index {folder} cannot be written: {error.strerror}",
                remedy="Make the library writable for you",
            ) from error
        remedy = "Free space, or make the library writable for you"
        raise write_failed(error, f"the folder of the chunk index {folder} cannot be written", remedy=remedy) from error
