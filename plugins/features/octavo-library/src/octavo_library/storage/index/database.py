"""Connection handling for all repositories: a read sees one consistent state, a write is one transaction."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from octavo_contracts import LibraryReadOnly, StorageError, UsageError
from sqlalchemy import URL, Connection, inspect, make_url, select, text
from sqlalchemy.exc import DBAPIError

from ...text.times import time_text, utc_now
from ..files.refusal import refusal
from . import dialect, migrations
from .damage import damage_behind, find_damage
from .schema import REVISION, documents, meta
from .server import IndexMigrated, IndexNewer
from .sqlite_reader import SqliteReader
from .touched import take_touched
from .view import IndexView

_LIBRARY_ID = "library_id"
_SCHEMA = text("SELECT version_num FROM alembic_version")


class Database:
    """The database of an open index; repositories read and write through it.

    The writers of one process queue behind a lock, so that its threads do not spin on the database lock; writers in
    several processes queue in the database (ENG-4).

    Args:
        url: `sqlite:///…`, as `library_url` makes it, or `postgresql+psycopg://…`.
        clock: returns the current time, timezone-aware; for tests.
        read_only: why the index cannot be written; refused writes quote it. None: the index is writable.
        may_be_empty: whether an empty database may become an index. False if the library already has documents.

    Raises:
        LibraryDamaged: the database is empty and must not be.
        StorageError: the index cannot be opened or written, is damaged, or was made by a newer Octavo.
    """

    def __init__(
        self,
        url: str | URL,
        *,
        clock: Callable[[], datetime] = utc_now,
        read_only: StorageError | None = None,
        may_be_empty: bool = True,
    ) -> None:
        self.on_commit: Callable[[frozenset[str]], None] | None = None
        """Called after a transaction, by the thread that made it, with the ids of the changed documents."""
        self._clock = clock
        self._ahead = timedelta()
        self._follows_server = clock is utc_now
        self._read_only = read_only
        self._may_be_empty = may_be_empty
        self._lock = threading.RLock()
        self._local = threading.local()
        self._is_current = False
        place = make_url(url)
        is_file = read_only is not None and place.get_backend_name() == "sqlite"
        self._file = SqliteReader(Path(place.database or "")) if is_file else None
        self._engine = dialect.open_engine(url, reader=self._file)
        self._reader = dialect.reading(self._engine)
        try:
            with self.translated():
                self._bring_up_to_date()
                self._is_current = self._engine.dialect.name != "sqlite"
                self.read_clock()
        except BaseException as error:
            self.close()
            if damage := damage_behind(error, place):
                raise damage from error
            raise

    @property
    def url(self) -> URL:
        """The URL of the index."""
        return self._engine.url

    @property
    def read_only(self) -> StorageError | None:
        """Why the index cannot be written, or None."""
        return self._read_only

    def check_writable(self) -> None:
        """Raise if the library is read-only: call it before work whose result could not be stored.

        Raises:
            StorageError: the library is read-only.
        """
        if self._read_only is not None:
            raise refusal(self._read_only)

    def check_undamaged(self) -> None:
        """Read every row of an SQLite index and raise if a value is invalid; an index on a server is not checked.

        Raises:
            LibraryDamaged: a value is invalid; the error names it.
        """
        if damage := find_damage(self.url):
            raise damage

    def library_id(self) -> str:
        """The library's unique id, created with it; it stays the same when the library is moved."""
        with self.read() as connection:
            return str(connection.scalar(select(meta.c.value).where(meta.c.key == _LIBRARY_ID)))

    def close(self) -> None:
        """Close every connection. SQLite then merges its log into the database."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Commit the writes of this thread in the block as one transaction (ENG-14); other threads' writes wait.

        Each operation in the block still takes effect completely or not at all: an operation that raises is rolled back
        alone, and the rest is committed if the block handles the error. Nothing is durable before the block ends.

        Raises:
            StorageError: the disk is full: the whole batch was rolled back, even if the block handled the error.
        """
        with self._lock:
            if self._batch is not None:
                yield
                return
            with self._transaction() as connection:
                batch = self._local.batch = _Batch(connection)
                try:
                    yield
                finally:
                    self._local.batch = None
                if batch.lost is not None:
                    raise batch.lost

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Make several operations one: if the block raises, all of them are rolled back. Also inside a batch."""
        batch = self._batch
        if batch is None:
            with self.batch():
                yield
        else:
            with self.translated(), batch.part():
                yield

    @property
    def _batch(self) -> _Batch | None:
        """The current batch of this thread."""
        batch: _Batch | None = getattr(self._local, "batch", None)
        return batch

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction; inside a batch, a savepoint of it. Other threads' writes wait."""
        batch = self._batch
        if batch is None:
            with self._lock, self._transaction() as connection:
                yield connection
        else:
            with self.translated(), batch.part() as connection:
                yield connection

    def read(self) -> AbstractContextManager[Connection]:
        """A connection with one consistent view; inside a batch, the batch's connection, which sees its own writes."""
        view = self._view
        return view if view is not None and self._batch is None else self._read()

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        batch = self._batch
        if batch is not None:
            with self.translated():
                yield batch.connection
            return
        if self._file is not None and self._file.has_changed():
            self._engine.dispose()  # the next connection opens the changed files
        with self.translated(), self._whole(), self._reader.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def view(self) -> Iterator[None]:
        """Let the reads of this thread in the block share one connection, and so one state of the index.

        Each read would otherwise take a connection and begin a transaction of its own, which costs more than most reads.
        After a write of this thread, and after a failed read, the next read begins with a new state.
        """
        if self._view is not None or self._batch is not None or self._file is not None:
            yield  # a file that is read without locks is checked after each read
            return
        view = self._local.view = IndexView(self._reader, self.translated)
        try:
            yield
        finally:
            self._local.view = None
            view.end()

    @property
    def _view(self) -> IndexView | None:
        """The current view of this thread."""
        view: IndexView | None = getattr(self._local, "view", None)
        return view

    def _whole(self) -> AbstractContextManager[None]:
        return self._file.whole() if self._file is not None else nullcontext()

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        self.check_writable()
        if self._view is not None:
            self._view.end()
        with self.translated(), self._engine.connect() as connection:
            connection.execution_options(**{dialect.WRITES: True})
            take_touched(connection)  # drops the ids of a transaction that was rolled back
            with connection.begin():
                if self._is_current:
                    self._check_revision(connection)
                yield connection
            touched = take_touched(connection)
        if touched and self.on_commit is not None:
            self.on_commit(touched)

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Translate database errors into store errors."""
        try:
            yield
        except DBAPIError as error:
            translated = dialect.storage_error(error, url=self._engine.url)
            if translated is None:
                raise
            raise translated from error
        except UnicodeEncodeError as error:
            # Bytes of a command line that are not UTF-8 arrive as lone surrogates, which no database accepts.
            raise UsageError(f"{error.object[:80]!r} is not valid UTF-8 text") from error

    @contextmanager
    def read_server(self) -> Iterator[Connection]:
        """A connection with one consistent view of a database on a server, outside any batch."""
        with self.translated(), self._reader.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write_server(self) -> Iterator[Connection]:
        """A transaction on a server for data derived from the index. It does not wait for other writers of this process.

        Raises:
            IndexMigrated: a newer Octavo has migrated the index.
            StorageError: the library is read-only.
        """
        self.check_writable()
        with self.translated(), self._engine.connect() as connection, connection.begin():
            self._check_revision(connection)
            yield connection

    def now(self) -> str:
        """The current time as the index stores it: for a database on a server, by the server's clock."""
        return self.later(0.0)

    def later(self, seconds: float) -> str:
        """The time `seconds` from now, as the index stores it."""
        return time_text(self._clock() + self._ahead + timedelta(seconds=seconds))

    def read_clock(self) -> None:
        """Compare this machine's clock with that of the server: leases of several machines need one clock."""
        if self._engine.dialect.name == "sqlite" or not self._follows_server:
            return
        with self.read() as connection:
            before = self._clock()
            there: datetime = connection.execute(text("SELECT clock_timestamp()")).scalar_one()
            after = self._clock()
        self._ahead = there - (before + (after - before) / 2)

    def _check_revision(self, connection: Connection) -> None:
        """Refuse a write if a newer Octavo on another machine has migrated the index since it was opened here.

        A migration waits for the writes that have begun.

        Raises:
            IndexMigrated: it was migrated.
        """
        dialect.hold_off_migrations(connection)
        revision = str(connection.scalar(_SCHEMA))
        if revision > REVISION:
            raise IndexMigrated(
                f"the index {self.url.database} was migrated to schema {revision} while it was open here"
            )

    def _bring_up_to_date(self) -> None:
        with self.read() as connection:
            revision = _revision(connection)
            is_empty = revision is None and not self._may_be_empty and not _has_tables(connection)
        if revision == REVISION:
            return
        if is_empty:
            raise dialect.emptied(self._engine.url)
        if self._read_only is not None:
            raise LibraryReadOnly(
                f"the index {self.url.database} has schema {revision}, must be migrated to {REVISION}, and cannot be "
                f"written: {self._read_only.message}",
                remedy="Open the library once with write access",
            )
        if revision is not None and revision > REVISION:
            raise IndexNewer(
                f"the index {self.url.database} has schema {revision}; this version of Octavo supports {REVISION}"
            )
        with self.write() as connection:
            dialect.lock_for_migration(connection)
            revision = _revision(connection)
            if revision != REVISION:  # another process may have migrated meanwhile
                bring_up_to_date = migrations.create if revision is None else migrations.upgrade
                bring_up_to_date(connection)
                named = dialect.insert_if_absent(meta, database=connection.dialect.name)
                connection.execute(named, {"key": _LIBRARY_ID, "value": uuid.uuid4().hex})


@dataclass(slots=True)
class _Batch:
    """A transaction shared by several operations, each in its own savepoint.

    Attributes:
        connection: the connection of the transaction.
        lost: the error with which the database rolled back the whole transaction, as SQLite does when the disk is full.
    """

    connection: Connection
    lost: BaseException | None = None

    @contextmanager
    def part(self) -> Iterator[Connection]:
        """One operation: committed, or rolled back alone if it raises."""
        if self.lost is not None:
            raise self.lost
        savepoint = self.connection.begin_nested()
        try:
            yield self.connection
        except BaseException as error:
            try:
                savepoint.rollback()
            except DBAPIError:
                self.lost = error
            raise
        savepoint.commit()


def _has_tables(connection: Connection) -> bool:
    """Whether the database has tables of an index."""
    return any(inspect(connection).has_table(table.name) for table in (meta, documents))


def _revision(connection: Connection) -> str | None:
    """The schema revision, or None for an empty database. Revisions are zero-padded: text order is their order."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.scalar(_SCHEMA)
    return revision
