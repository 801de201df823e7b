"""Consistent snapshots of some index columns, for a reader that keeps copies of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Select, select, text

from . import dialect
from .repository import Repository
from .schema import metadata


class TableState(NamedTuple):
    """Identifies a state of some tables on a server."""

    transactions: str
    """The visible transactions. Any transaction that ends on the server changes it, also one in another database."""
    rows: str
    """The rows, by place and transaction: equal if nothing in the tables has changed."""


class SnapshotReader(Repository):
    """Reads snapshots of tables, if they have changed."""

    def for_search(
        self, columns: dict[str, tuple[str, ...]], /, *, unless: TableState | None
    ) -> tuple[TableState, dict[str, Iterable[Sequence[object]]] | None]:
        """Rows of some tables, all from one snapshot, and the state that identifies it.

        On PostgreSQL only; for an index in SQLite, the reader attaches the file.

        Args:
            columns: table → columns.
            unless: the state that the caller already has.

        Returns:
            The state, and table → rows; None instead of these if no row has changed since the caller's state.
        """
        with self._database.read_server() as connection:
            transactions = str(connection.scalar(text(dialect.SNAPSHOT_NAME)))
            if unless is not None and transactions == unless.transactions:
                return unless, None
            # The server reads its rows for this, which costs far less than sending them.
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
