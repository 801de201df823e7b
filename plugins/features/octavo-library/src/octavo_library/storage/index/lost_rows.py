"""Re-inserts lost index rows from the records and files beside it; see `adoption`. Rows are only ever added."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import Connection, exists, insert, select
from sqlalchemy.exc import DataError, IntegrityError

from . import dialect
from .instance_ids import source_instance_id_for
from .repository import Repository
from .row_completion import UNKNOWN_POLICY, completed
from .schema import conversions, document_source_instances, documents, ingest_events, metadata
from .touched import LIBRARY, touch


class LostRowRepository(Repository):
    """Re-inserts lost rows into the index."""

    def lacks(self, document_id: str, versions: Collection[int]) -> bool:
        """Whether the index lacks the document or one of these versions."""
        with self._read() as connection:
            known = connection.scalar(select(exists().where(documents.c.document_id == document_id)))
            mine = select(conversions.c.version).where(conversions.c.document_id == document_id)
            return not known or not set(versions) <= set(connection.scalars(mine))

    def insert(self, rows: Mapping[str, Sequence[Mapping[str, Any]]], document_ids: Collection[str]) -> None:
        """Insert the rows that are missing; a row with a dangling reference or an invalid value is skipped.

        A document without a source instance gets one that only the library's owner sees (STO-5).

        Args:
            rows: rows by table name.
            document_ids: the documents of the rows.
        """
        with self._write() as connection:
            touch(connection, [LIBRARY, *document_ids])
            for table in metadata.sorted_tables:
                statement = dialect.insert_if_absent(table, database=connection.dialect.name)
                with_events = _documents_with_events(connection) if table is ingest_events else frozenset()
                for given in rows.get(table.name, ()):
                    row = completed(table, given, keep_numbers=False)
                    if row is None or row.get("document_id") in with_events:
                        continue
                    with suppress(IntegrityError, DataError), connection.begin_nested():
                        connection.execute(statement, row)
            for document_id in document_ids:
                _ensure_source_instance(connection, document_id, now=self._now())


def _documents_with_events(connection: Connection) -> frozenset[str | None]:
    """The documents with events: an event has no natural key that would reveal a duplicate."""
    return frozenset(connection.scalars(select(ingest_events.c.document_id).distinct()))


def _ensure_source_instance(connection: Connection, document_id: str, *, now: str) -> None:
    table = document_source_instances
    if connection.scalar(select(exists().where(table.c.document_id == document_id))):
        return
    instance = source_instance_id_for(document_id, policy=UNKNOWN_POLICY, surface="direct_upload", corpus_id=None)
    row = {
        "source_instance_id": instance,
        "document_id": document_id,
        "policy_context_json": UNKNOWN_POLICY.canonical(),
        "ingested_at": now,
        "ingestion_surface": "direct_upload",
    }
    connection.execute(insert(table), row)
