"""Copies of some columns of the index in one state, for a reader that keeps them beside its own data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Select, select, text

from . import dialect
from .repository import Repository
from .schema import metadata


class TableState(NamedTuple):
    """What names a state of some tables on a server."""

    transactions: str
    """Which transactions are seen. Any that ends on the server changes it, also one of another database."""
    rows: str
    """Which rows there are, by the place and the transaction of each: alike where nothing in the tables has changed."""


class SnapshotReader(Repository):
    """The part of the index that says whether anything has changed, and what it is now."""

    def for_search(
        self, columns: dict[str, tuple[str, ...]], /, *, unless: TableState | None
    ) -> tuple[TableState, dict[str, Iterable[Sequence[object]]] | None]:
        """Rows of some tables, all as of one instant, and a name for that instant.

        On PostgreSQL only; of an index in SQLite a reader attaches the file.

        Args:
            columns: table → columns.
            unless: the name that the caller has already.

        Returns:
            The name, and table → rows; None for these where no row of the tables has changed since the caller's.
        """
        with self._database.read_server() as connection:
            transactions = str(connection.scalar(text(dialect.SNAPSHOT_NAME)))
            if unless is not None and transactions == unless.transactions:
                return unless, None
            # The server reads its rows for this, which is far less than to send them.
            rows = " ".join(str(connection.scalar(text(dialect.rows_name(table)))) for table in columns)
            found = TableState(transactions, rows)
            if unless is not None and rows == unless.rows:
                return found, None
            return found, {
                table: [tuple(row) for row in connection.execute(_query(table, wanted))]
                for table, wanted in columns.items()
            }


def _query(table: str, columns: tuple[str, ...]) -> Select[Any]:
    return select(*(metadata.tables[table].c[name] for name in columns))
