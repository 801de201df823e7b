"""A view of the index: several reads of one thread in one transaction."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError


class IndexView:
    """Reads of one thread that share a connection, opened by the first of them.

    Each read is a `with` block of the view. It has no generator: a page of a document has twenty reads, most of which take
    less time than the generators of a read on its own.

    Args:
        engine: for reading transactions.
        translated: context in which a database error becomes a store error.
    """

    def __init__(self, engine: Engine, translated: Callable[[], AbstractContextManager[None]]) -> None:
        self._engine = engine
        self._translated = translated
        self._connection: Connection | None = None

    def __enter__(self) -> Connection:
        """The connection, for one read."""
        if self._connection is None:
            with self._translated():
                self._connection = self._opened()
        return self._connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, DBAPIError):
            self.end()  # on a server, a transaction with a failed statement refuses every further one
        if isinstance(error, (DBAPIError, UnicodeEncodeError)):
            with self._translated():
                raise error

    def _opened(self) -> Connection:
        connection = self._engine.connect()
        try:
            connection.begin()
        except BaseException:
            connection.close()
            raise
        return connection

    def end(self) -> None:
        """Close the connection; the next read begins with a new state."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
