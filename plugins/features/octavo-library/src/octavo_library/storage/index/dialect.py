"""All differences between databases: SQLite settings, locking, insert-if-absent, error codes."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from functools import cache, lru_cache
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from octavo_contracts import (
    LibraryDamaged,
    LibraryReadOnly,
    OctavoError,
    StorageError,
    StorageExhausted,
    ToolUnavailable,
)
from octavo_sandbox.filesystem.durable import FILE_MODE, free_space, has_no_room, write_failed
from sqlalchemy import (
    JSON,
    URL,
    BigInteger,
    ColumnElement,
    Connection,
    CursorResult,
    Dialect,
    Engine,
    Insert,
    Select,
    Table,
    Text,
    Update,
    and_,
    bindparam,
    cast,
    create_engine,
    event,
    false,
    func,
    literal_column,
    make_url,
    select,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError

from ..files import layout
from ..files.library_folder import refuse_foreign_index
from . import server
from .schema import content_hashes
from .sqlite_reader import SqliteReader

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

WRITES = "octavo_writes"
"""Execution option of a connection whose transactions write."""

_BUSY_MS = 60_000
_POOLED = 8
"""Connections to a file that are kept open: opening one reads the schema. The last one used is the first one taken, so that
only as many fill their caches as threads read at once."""
_LOG_SECONDS = 2.0
_PRAGMAS = (
    f"busy_timeout = {_BUSY_MS}",
    "journal_mode = WAL",
    # FULL flushes the log at each commit: what was reported as stored survives a power cut. It costs about
    # 0.14 ms a commit over NORMAL, which is small beside a conversion and shared by a batch (ENG-14).
    "synchronous = FULL",
    "fullfsync = ON",  # macOS: past the drive's cache; no effect elsewhere
    "foreign_keys = ON",
    # Keys are hashes: rows go to pages all over an index that soon outgrows the default cache of 2 MB, and are read and
    # rewritten for each group. At most 16 MB a connection, and as much log between two checkpoints: at 20,000
    # documents, this reads a third of what the defaults read.
    "cache_size = -16384",
    "wal_autocheckpoint = 4000",
    # Rollback data of a statement stays in memory: SQLite's temporary file for it has a name in the system's temporary
    # folder for a moment, and a process killed in that moment leaves it there.
    "temp_store = MEMORY",
)

prepared = lru_cache(maxsize=512)
"""Decorates a function that makes a statement: one that has been made is used again, and so is its key in SQLAlchemy's
cache. Making both takes several times as long as running most statements. What differs from call to call is a parameter."""

REBUILD = (
    "Run `octavo repair --rebuild-index`: it builds a new index from the artifacts beside it, which are intact, "
    "and moves the old index aside"
)
"""The remedy for a damaged index file."""

SNAPSHOT_NAME = "SELECT CAST(pg_current_snapshot() AS text)"
"""Names the snapshot of a PostgreSQL transaction: transactions with equal names see the same data."""

_PG_MIGRATION_LOCK = 0x6F637461  # "octa": an arbitrary number that other programs are unlikely to use


def library_url(root: str | os.PathLike[str]) -> URL:
    """The URL of a library's own SQLite index. Built from parts: a path may hold '?', '#' or odd bytes."""
    return URL.create("sqlite", database=os.path.join(os.path.abspath(root), layout.INDEX))


def open_engine(url: str | URL, *, reader: SqliteReader | None = None) -> Engine:
    """Create an engine with the settings needed for durability and for access by several processes.

    Args:
        url: of the index.
        reader: opens the index file read-only; None: the index is opened for writing.

    Raises:
        ToolUnavailable: the driver for PostgreSQL is not installed.
        UsageError: the URL of a server's database has unknown options.
        StorageError: the SQLite index file cannot be created.
    """
    if reader is not None:
        engine = create_engine(url, creator=reader.connect)
        event.listen(engine, "begin", _begin)
        return engine
    try:
        place = make_url(url)
        if place.get_backend_name() != "sqlite":
            engine = create_engine(url, pool_pre_ping=True)
        elif place.database and place.database != ":memory:":
            engine = create_engine(url, pool_size=_POOLED, pool_use_lifo=True)
        else:
            engine = create_engine(url)
    except ModuleNotFoundError as error:
        raise ToolUnavailable(
            f"the index is on PostgreSQL, and its driver {error.name} is not installed",
            remedy="pip install 'octavo-library[postgres]'",
        ) from error
    except ArgumentError:
        raise server.bad_options(make_url(url)) from None
    if engine.dialect.name == "sqlite":
        if engine.url.database and engine.url.database != ":memory:":
            refuse_foreign_index(Path(engine.url.database))
        _make_private(engine.url.database)
        event.listen(engine, "connect", _set_pragmas)
        event.listen(engine, "begin", _begin)
    else:
        server.check_options(engine)
        event.listen(engine, "connect", server.set_session)
        event.listen(engine, "begin", server.set_transaction)
    return engine


def reading(engine: Engine) -> Engine:
    """The same engine for read-only transactions: each sees one state, however many statements it has.

    SQLite does so anyway; on a server, each statement would see what was committed since the previous one.
    """
    return engine if engine.dialect.name == "sqlite" else engine.execution_options(isolation_level="REPEATABLE READ")


def _make_private(database: str | None) -> None:
    if database and database != ":memory:" and not os.path.exists(database):
        # SQLite gives its journal files the mode of the database, so this one call makes all of them private.
        try:
            os.close(os.open(database, os.O_RDWR | os.O_CREAT, FILE_MODE))
        except OSError as error:
            folder = os.path.dirname(database)
            remedy = f"Make {folder} writable for you"
            raise write_failed(error, f"the index {database} cannot be created", remedy=remedy) from error


def _set_pragmas(connection: Any, _record: object) -> None:
    # sqlite3 would open transactions at moments of its own choice; `_begin` opens them instead.
    connection.isolation_level = None
    try:
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}").close()
    except BaseException:
        connection.close()  # the pool does not own it yet and would not close it
        raise


def _begin(connection: Connection) -> None:
    # A writer takes the lock at once: a read lock that is upgraded later fails with SQLITE_BUSY without waiting.
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def empty_log(url: URL) -> bool:
    """Move the write-ahead log of an SQLite index into the database, so that the log holds no earlier content of its rows.

    Returns:
        False where a reader of an older state, or an error of the file, prevents it: the next checkpoint does it then.
    """
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return True
    try:
        with closing(sqlite3.connect(url.database, timeout=_LOG_SECONDS, isolation_level=None)) as connection:
            (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.Error:
        return False
    return not busy


def lock_for_migration(connection: Connection) -> None:
    """Let only one process migrate at a time. In SQLite, the write transaction is that lock already."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_PG_MIGRATION_LOCK})")


def hold_off_migrations(connection: Connection) -> None:
    """Let a migration wait until this transaction of a server ends. Transactions do not wait for each other."""
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock_shared({_PG_MIGRATION_LOCK})")


@cache
def insert_if_absent(table: Table, *, database: str) -> sqlite.Insert | postgresql.Insert:
    """An INSERT that skips rows whose key exists. Both databases use the same syntax; standard SQL has none.

    Args:
        table: the table.
        database: the dialect's name, as `Connection.dialect.name`.
    """
    return insert_into(table, database=database).on_conflict_do_nothing()


def insert_into(table: Table, *, database: str) -> sqlite.Insert | postgresql.Insert:
    """An INSERT that supports an ON CONFLICT clause and reports the number of inserted rows.

    By default, SQLAlchemy asks a driver for that number only for UPDATE and DELETE.
    """
    made: sqlite.Insert | postgresql.Insert
    if database == "postgresql":
        from sqlalchemy.dialects import postgresql  # a library whose index is a file does not wait for its import

        made = postgresql.insert(table)
    else:
        made = sqlite.insert(table)
    return made.execution_options(preserve_rowcount=True)


def execute_many(
    connection: Connection, statement: Insert | Update, rows: Sequence[Mapping[str, Any]]
) -> CursorResult[Any]:
    """As `Connection.execute`, without SQLAlchemy's work per row: with many rows, that work is half of the time.

    Args:
        connection: in a transaction that writes.
        statement: built once and reused, because the compiled statement is cached by it.
        rows: at least one, all with the same keys; values are strings, numbers and None.
    """
    text, order = _with_places(connection.dialect, statement, tuple(rows[0]))
    return connection.exec_driver_sql(text, list(map(order, rows)))


@lru_cache(maxsize=256)
def _with_places(
    dialect: Dialect, statement: Insert | Update, keys: tuple[str, ...]
) -> tuple[str, Callable[[Mapping[str, Any]], Any]]:
    """The text of a statement, and a function that makes driver parameters from a row: values in order, or by name."""
    compiled = statement.compile(dialect=dialect, column_keys=keys)
    fixed = {name: value for name, value in compiled.params.items() if name not in keys}
    if not compiled.positiontup:
        return compiled.string, lambda row: {**fixed, **row}
    pick = itemgetter(*compiled.positiontup)
    return compiled.string, (lambda row: pick({**fixed, **row})) if fixed else pick


def many(database: str) -> Select[tuple[str]]:
    """A subquery of the strings in the parameter `many`, for `column.in_`; see `as_many`.

    One parameter for any number of values: no limit is exceeded, and the statement is compiled once.
    """
    parameter = bindparam("many", type_=Text)
    if database == "postgresql":
        return select(func.json_array_elements_text(cast(parameter, JSON)).column_valued("value"))
    return select(func.json_each(parameter).table_valued("value").c.value)


def as_many(values: Iterable[str]) -> dict[str, str]:
    """The parameter for the subquery `many`."""
    return {"many": json.dumps(list(values))}


def part_has_hash(value: str, *, database: str) -> ColumnElement[bool]:
    """Condition that a page or chunk in `content_hashes` has a hash.

    Args:
        value: the hash; a string that is no SHA-256 in hex is no part's.
        database: the dialect's name. On PostgreSQL the index is one of the first eight bytes of each hash.
    """
    if not layout.is_hash(value):
        return false()
    same = content_hashes.c.hash == value
    if database != "postgresql":
        return same
    first = literal_column("CAST(CAST('x' || left(content_hashes.hash, 16) AS bit(64)) AS bigint)", type_=BigInteger)
    return and_(first == int.from_bytes(bytes.fromhex(value[:16]), "big", signed=True), same)


def emptied(url: URL) -> LibraryDamaged:
    """The error for an empty database used as the index of a library with documents."""
    is_file = url.get_backend_name() == "sqlite"
    return LibraryDamaged(
        f"the index {url.database} is empty, but the library has documents",
        remedy=REBUILD if is_file else "Name the database that the library was made with, or restore it from a backup",
    )


def is_conflict(error: BaseException) -> bool:
    """Whether a transaction failed because of another executor's concurrent one; it may be retried unchanged."""
    cause = error.__cause__ if isinstance(error, server.IndexBusy) else error
    return isinstance(cause, DBAPIError) and getattr(cause.orig, "sqlstate", None) in server.CONFLICTS


def storage_error(error: DBAPIError, *, url: URL) -> OctavoError | None:
    """Translate a database error, mostly to a `StorageError`; None for an error that is a bug in Octavo."""
    cause = error.orig
    if url.get_backend_name() != "sqlite":
        return server.server_error(error, url=url)
    place = url.database or ""
    code = getattr(cause, "sqlite_errorname", None) or ""
    if code == "SQLITE_FULL" or (code.startswith("SQLITE_IOERR") and has_no_room(Path(place))):
        return StorageExhausted(f"the disk is full: {free_space(Path(place).parent)} beside the index {place}")
    if code.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return LibraryReadOnly(f"the index {place} cannot be written: {cause}", remedy="Make it writable for you")
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StorageError(
            f"another process has locked the index {place} for {_BUSY_MS // 1000} s",
            remedy="Wait for that process or end it, then run the command again",
        )
    if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return LibraryDamaged(f"the index {place} is damaged: {cause}", remedy=REBUILD)
    if code.startswith("SQLITE_IOERR"):
        return StorageError(f"the index {place} failed: {cause}", remedy="Check the disk")
    return None
