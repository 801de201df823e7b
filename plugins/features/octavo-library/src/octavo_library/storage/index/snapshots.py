"""Consistent snapshots of some columns of an index on a server, for a reader that keeps copies of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Select, select, text

from . import dialect
from .repository import Repository
from .schema import meta, metadata

MOST_COPIED = 20_000
"""Changed documents up to which their rows alone are copied; beyond, copying all rows is not much slower."""

_AT_ONCE: Final = 10_000
"""Rows that a server sends at once: a copy of all rows is larger than the memory should hold."""

_SINCE: Final = "changes_since"

_CHANGED: Final = text(
    "SELECT DISTINCT document_id FROM document_change_log WHERE transaction_id >= :oldest "
    "AND NOT pg_visible_in_snapshot(CAST(CAST(transaction_id AS text) AS xid8), CAST(:since AS pg_snapshot)) LIMIT :most"
)

Rows = Iterable[Sequence[object]]


@dataclass(frozen=True, kw_only=True, slots=True)
class CopiedRows:
    """What a snapshot has that the reader's copy has not.

    Attributes:
        changed: the documents whose rows have to be replaced; None: all rows have to be replaced.
        tables: table → rows, of these documents or of all. They can be read once, in this order.
    """

    changed: tuple[str, ...] | None
    tables: Iterable[tuple[str, Rows]]


class SnapshotReader(Repository):
    """Reads what has changed between two snapshots of tables that have a column `document_id`.

    On PostgreSQL only; for an index in SQLite, the reader attaches the file.
    """

    def for_search(
        self, columns: dict[str, tuple[str, ...]], receive: Callable[[CopiedRows], None], /, *, since: str | None
    ) -> str:
        """Give the rows of some tables that a reader does not have yet, all from one snapshot.

        Args:
            columns: table → columns.
            receive: called with the rows, unless no row has changed.
            since: the name of the snapshot that the caller has; None: none.

        Returns:
            The name of the snapshot that the caller has now. Any transaction that ends on the server changes it, also
            one in another database.
        """
        with self._database.read_server() as connection:
            name = snapshot_name(connection)
            if name == since:
                return name
            changed = None if since is None else changed_since(connection, since)
            if changed is None or changed:
                tables = ((table, _rows(connection, table, wanted, changed)) for table, wanted in columns.items())
                receive(CopiedRows(changed=changed, tables=tables))
            return name


def snapshot_name(connection: Connection) -> str:
    """The name of the snapshot that a transaction sees."""
    return str(connection.scalar(text(dialect.SNAPSHOT_NAME)))


def changed_since(connection: Connection, since: str) -> tuple[str, ...] | None:
    """The documents that changed since a snapshot; None where the log does not say, or where these are many."""
    kept_since = connection.scalar(select(meta.c.value).where(meta.c.key == _SINCE))
    oldest = int(since.partition(":")[0])  # xmin:xmax:…, all transactions before xmin are visible
    if kept_since is not None and int(kept_since) > oldest:
        return None
    found = connection.scalars(_CHANGED, {"oldest": oldest, "since": since, "most": MOST_COPIED + 1}).all()
    return None if len(found) > MOST_COPIED else tuple(found)


def _rows(connection: Connection, table: str, columns: tuple[str, ...], changed: tuple[str, ...] | None) -> Rows:
    """Rows of a table, of the changed documents or all."""
    places = metadata.tables[table].c
    query: Select[Any] = select(*(places[name] for name in columns))
    if changed is not None:
        query = query.where(places.document_id.in_(dialect.many(connection.dialect.name)))
        return (tuple(row) for row in connection.execute(query, dialect.as_many(changed)))
    stream = connection.execution_options(yield_per=_AT_ONCE)
    return (tuple(row) for row in stream.execute(query))
