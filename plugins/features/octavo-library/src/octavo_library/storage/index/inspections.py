"""Inspections of documents, one of each: type, findings and classification of its bytes (CLS-7)."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, delete, insert, select

from . import dialect
from .instance_ids import document_id_for
from .repository import Repository
from .schema import document_inspections
from .stored_inspection import StoredInspection


class InspectionRepository(Repository):
    """The inspections of documents."""

    def get(self, raw_hash: str) -> StoredInspection | None:
        """The inspection of these bytes, or None."""
        table = document_inspections
        query = select(table.c.request_key, table.c.inspection_json)
        with self._read() as connection:
            row = connection.execute(query.where(table.c.document_id == document_id_for(raw_hash))).first()
        return StoredInspection(key=row.request_key, inspection_json=row.inspection_json) if row is not None else None


def store_in(connection: Connection, inspections: Mapping[str, StoredInspection]) -> None:
    """Store inspections by document id inside the caller's transaction; earlier ones are replaced."""
    table = document_inspections
    gone = delete(table).where(table.c.document_id.in_(dialect.many(connection.dialect.name)))
    connection.execute(gone, dialect.as_many(inspections))
    rows = [
        {"document_id": document_id, "request_key": one.key, "inspection_json": one.inspection_json}
        for document_id, one in inspections.items()
    ]
    dialect.execute_many(connection, insert(table), rows)
