"""Copies of some columns of the index in one state, for a reader that keeps them beside its own data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Select, select, text

from . import dialect
from .database import Database
from .schema import metadata


class Snapshots(Database):
    """The part of the index that says whether anything has changed, and what it is now."""

    def search_snapshot(
        self, columns: dict[str, tuple[str, ...]], /, *, unless: str | None
    ) -> tuple[str, dict[str, Iterable[Sequence[object]]]] | None:
        """Rows of some tables, all as of one instant, and a name for that instant.

        On PostgreSQL only; of an index in SQLite a reader attaches the file.

        Args:
            columns: table → columns.
            unless: the name that the caller has already.

        Returns:
            None where nobody has committed anything since the caller's.
        """
        with self._translated(), self._reader.connect() as connection, connection.begin():
            # Which transactions this one sees. It changes when one ends, whatever that wrote.
            name = str(connection.scalar(text(dialect.SNAPSHOT_NAME)))
            if name == unless:
                return None
            return name, {
                table: [tuple(row) for row in connection.execute(_query(table, wanted))]
                for table, wanted in columns.items()
            }


def _query(table: str, columns: tuple[str, ...]) -> Select[Any]:
    return select(*(metadata.tables[table].c[name] for name in columns))
