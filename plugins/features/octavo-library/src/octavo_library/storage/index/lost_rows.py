"""Rows that the index lost, taken from what stands beside it. Rows are only ever added; see `octavo_library.storage.index.adoption`."""

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
    """Takes rows that the index lost."""

    def lacks(self, document_id: str, versions: Collection[int]) -> bool:
        """Whether the index knows no such document, or not all of these versions of it."""
        with self._read() as connection:
            known = connection.scalar(select(exists().where(documents.c.document_id == document_id)))
            mine = select(conversions.c.version).where(conversions.c.document_id == document_id)
            return not known or not set(versions) <= set(connection.scalars(mine))

    def insert(self, rows: Mapping[str, Sequence[Mapping[str, Any]]], document_ids: Collection[str]) -> None:
        """Insert rows that are not there; one that refers to nothing, or is none that a table takes, is left out.

        A document without a way in gets one that only the library's owner sees (STO-5).

        Args:
            rows: by table.
            document_ids: the documents that they are about.
        """
        with self._write() as connection:
            touch(connection, [LIBRARY, *document_ids])
            for table in metadata.sorted_tables:
                statement = dialect.insert_if_absent(table, database=connection.dialect.name)
                told = _told(connection) if table is ingest_events else frozenset()
                for given in rows.get(table.name, ()):
                    row = completed(table, given, keep_numbers=False)
                    if row is None or row.get("document_id") in told:
                        continue
                    with suppress(IntegrityError, DataError), connection.begin_nested():
                        connection.execute(statement, row)
            for document_id in document_ids:
                _see_to_a_way_in(connection, document_id, now=self._now())


def _told(connection: Connection) -> frozenset[str | None]:
    """The documents that have events: an event has no key by which it could be known again."""
    return frozenset(connection.scalars(select(ingest_events.c.document_id).distinct()))


def _see_to_a_way_in(connection: Connection, document_id: str, *, now: str) -> None:
    ways = document_source_instances
    if connection.scalar(select(exists().where(ways.c.document_id == document_id))):
        return
    way = source_instance_id_for(document_id, policy=UNKNOWN_POLICY, surface="direct_upload", corpus_id=None)
    row = {
        "source_instance_id": way,
        "document_id": document_id,
        "policy_context_json": UNKNOWN_POLICY.canonical(),
        "ingested_at": now,
        "ingestion_surface": "direct_upload",
    }
    connection.execute(insert(ways), row)
