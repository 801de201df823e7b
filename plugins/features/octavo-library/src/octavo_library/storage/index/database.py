"""One connection discipline for every part of the index: a read sees one state, a write is one transaction."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from octavo_contracts import LibraryReadOnly, StorageError, UsageError
from sqlalchemy import URL, Connection, inspect, make_url, select, text
from sqlalchemy.exc import DBAPIError

from ..files.refusal import refusal
from . import dialect
from .damage import damage_behind, find_damage
from .schema import REVISION, documents, meta
from .sqlite_reader import SqliteReader
from .touched import take_touched

_LIBRARY_ID = "library_id"


def utc_now() -> datetime:
    """The time now, in UTC."""
    return datetime.now(UTC)


def time_text(moment: datetime) -> str:
    """A time as the index stores it: ISO 8601, UTC, microseconds, Z; always 27 characters."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Database:
    """The database of an opened index; repositories read and write through it.

    Writes of one process queue behind a lock, so that its threads do not spin on the database's; writers of
    several processes queue in the database (ENG-4).

    Args:
        url: `sqlite:///…`, as `library_url` makes it, or `postgresql+psycopg://…`.
        clock: gives the time, aware; for tests.
        read_only: why nothing is to be written: what every write is refused with. None: the index is writable.
        may_be_empty: whether an empty database is made an index. False where the library has documents already.

    Raises:
        LibraryDamaged: the database is empty and must not be.
        StorageError: it cannot be opened or written, is damaged, or was made by a newer Octavo.
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
        """Called after a transaction, by the thread that made it, with the ids of the documents that it changed."""
        self._clock = clock
        self._read_only = read_only
        self._may_be_empty = may_be_empty
        self._lock = threading.RLock()
        self._local = threading.local()
        place = make_url(url)
        is_file = read_only is not None and place.get_backend_name() == "sqlite"
        self._file = SqliteReader(Path(place.database or "")) if is_file else None
        self._engine = dialect.open_engine(url, reader=self._file)
        self._reader = dialect.reading(self._engine)
        try:
            with self.translated():
                self._bring_up_to_date()
        except BaseException as error:
            self.close()
            if damage := damage_behind(error, place):
                raise damage from error
            raise

    @property
    def url(self) -> URL:
        """Where the index is."""
        return self._engine.url

    @property
    def read_only(self) -> StorageError | None:
        """Why nothing is written to the index, or None."""
        return self._read_only

    def check_writable(self) -> None:
        """Raise where the library is open for reading alone: before work is done whose result could not be stored.

        Raises:
            StorageError: it is.
        """
        if self._read_only is not None:
            raise refusal(self._read_only)

    def check_undamaged(self) -> None:
        """Read every row, and raise where a value is not what belongs in its place; an index on a server is not looked at.

        Raises:
            LibraryDamaged: one is not: the error says which.
        """
        if damage := find_damage(self.url):
            raise damage

    def library_id(self) -> str:
        """The library's own id, made with it: stays when the library is moved, differs from every other's."""
        with self.read() as connection:
            return str(connection.scalar(select(meta.c.value).where(meta.c.key == _LIBRARY_ID)))

    def close(self) -> None:
        """Close every connection. SQLite then folds its log into the database."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Commit what this thread does inside as one transaction (ENG-14); other threads' writes wait.

        Each operation inside still takes effect whole or not at all: one that raises is undone alone, and the rest
        is committed if the block handles the error. Nothing is durable before the block ends.

        Raises:
            StorageError: the disk is full: nothing of the batch was kept, even if the block handled the error.
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
        """Make several operations one: where the block raises, none of them was made. Inside a batch too."""
        batch = self._batch
        if batch is None:
            with self.batch():
                yield
        else:
            with self.translated(), batch.part():
                yield

    @property
    def _batch(self) -> _Batch | None:
        """The batch that this thread is in."""
        batch: _Batch | None = getattr(self._local, "batch", None)
        return batch

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction; inside a batch a savepoint of it. Other threads' writes wait."""
        batch = self._batch
        if batch is None:
            with self._lock, self._transaction() as connection:
                yield connection
        else:
            with self.translated(), batch.part() as connection:
                yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection with one consistent view; inside a batch, the batch's own, which sees what it wrote."""
        batch = self._batch
        if batch is not None:
            with self.translated():
                yield batch.connection
        else:
            if self._file is not None and self._file.has_changed():
                self._engine.dispose()  # the next connection is opened as the files are now
            with self.translated(), self._whole(), self._reader.connect() as connection, connection.begin():
                yield connection

    def _whole(self) -> AbstractContextManager[None]:
        return self._file.whole() if self._file is not None else nullcontext()

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        self.check_writable()
        with self.translated(), self._engine.connect() as connection:
            connection.execution_options(**{dialect.WRITES: True})
            take_touched(connection)  # of a transaction that was undone
            with connection.begin():
                yield connection
            touched = take_touched(connection)
        if touched and self.on_commit is not None:
            self.on_commit(touched)

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Raise what a database says as errors of the store."""
        try:
            yield
        except DBAPIError as error:
            translated = dialect.storage_error(error, url=self._engine.url)
            if translated is None:
                raise
            raise translated from error
        except UnicodeEncodeError as error:
            # Bytes of a command line that are no UTF-8 arrive as lone surrogates, which no database takes.
            raise UsageError(f"{error.object[:80]!r} is not text in UTF-8") from error

    @contextmanager
    def read_server(self) -> Iterator[Connection]:
        """A connection with one consistent view of a database on a server, outside of any batch."""
        with self.translated(), self._reader.connect() as connection, connection.begin():
            yield connection

    def now(self) -> str:
        """The time as the index stores it."""
        return time_text(self._clock())

    def later(self, seconds: float) -> str:
        """The time in so many seconds, as the index stores it."""
        return time_text(self._clock() + timedelta(seconds=seconds))

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
                f"the index {self.url.database} has schema {revision}, has to be brought to {REVISION} to be read, "
                f"and cannot be written: {self._read_only.message}",
                remedy="Open the library once where it can be written",
            )
        if revision is not None and revision > REVISION:
            raise StorageError(
                f"the index {self.url.database} has schema {revision}, and this version of Octavo knows {REVISION}",
                remedy="Open it with the newer Octavo that made it",
            )
        from .migrations import upgrade  # alembic takes longer to import than an existing library to open

        with self.write() as connection:
            dialect.lock_for_migration(connection)
            if _revision(connection) != REVISION:  # another process may have done it meanwhile
                upgrade(connection)
                named = dialect.insert_if_absent(meta, database=connection.dialect.name)
                connection.execute(named, {"key": _LIBRARY_ID, "value": uuid.uuid4().hex})


@dataclass(slots=True)
class _Batch:
    """A transaction that several operations share, each a savepoint of it.

    Attributes:
        connection: the transaction's.
        lost: why the database undid the whole transaction: SQLite does so by itself when the disk is full.
    """

    connection: Connection
    lost: BaseException | None = None

    @contextmanager
    def part(self) -> Iterator[Connection]:
        """One operation: kept, or undone alone where it raises."""
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
    """Whether there is anything of an index."""
    return any(inspect(connection).has_table(table.name) for table in (meta, documents))


def _revision(connection: Connection) -> str | None:
    """The schema's revision, or None for an empty database. Zero-padded numbers: text order is their order."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return revision
