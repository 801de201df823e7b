"""Conversion versions: immutable, numbered, one of them active, and which was active when (STO-6, STO-19)."""

from __future__ import annotations

import json
from typing import Any

from octavo_contracts import UsageError
from sqlalchemy import Connection, Row, func, insert, select, update

from .database import Database
from .records import ConversionRecord
from .schema import activations, conversions, documents


class Versions(Database):
    """The part of the index that knows the conversions of a document."""

    def versions(self, document_id: str) -> tuple[ConversionRecord, ...]:
        """Every version of a document, the first first."""
        query = (
            select(conversions, documents.c.active_conversion_version)
            .join_from(conversions, documents, conversions.c.document_id == documents.c.document_id)
            .where(conversions.c.document_id == document_id)
            .order_by(conversions.c.version)
        )
        with self._read() as connection:
            return tuple(_record(row) for row in connection.execute(query))

    def highest_version(self, document_id: str) -> int:
        """The highest number ever given out for a document, 0 where none was; for `put_version(above=…)`."""
        query = select(func.max(conversions.c.version)).where(conversions.c.document_id == document_id)
        with self._read() as connection:
            return connection.scalar(query) or 0

    def activate(self, document_id: str, version: int, *, by: str = "system") -> None:
        """Make a version the active one: the rollback of STO-6. The others stay as they are.

        Raises:
            UsageError: the document has no such version.
        """
        query = select(conversions.c.version).where(conversions.c.document_id == document_id)
        with self._write() as connection:
            known = sorted(connection.scalars(query))
            if version not in known:
                raise UsageError(
                    f"document {document_id} has no version {version}",
                    remedy=f"Its versions: {', '.join(map(str, known)) or 'none'}",
                )
            activate_in(connection, document_id, version, by=by, now=self._now())

    def active_version(self, document_id: str, *, as_of: str | None = None) -> int | None:
        """The version that is, or at a time was, the active one (STO-19).

        Args:
            document_id: the document.
            as_of: a time as the index stores it; None for now.

        Returns:
            Its number, or None where none was active.
        """
        query = select(activations.c.version).where(activations.c.document_id == document_id)
        if as_of is not None:
            query = query.where(activations.c.at <= as_of)
        with self._read() as connection:
            return connection.scalar(query.order_by(activations.c.seq.desc()).limit(1))


def activate_in(connection: Connection, document_id: str, version: int, *, by: str, now: str) -> None:
    """Set the document's pointer and log it, inside the caller's transaction."""
    query = select(func.max(activations.c.seq)).where(activations.c.document_id == document_id)
    seq = (connection.scalar(query) or 0) + 1
    row = {"document_id": document_id, "seq": seq, "version": version, "activated_by": by, "at": now}
    connection.execute(insert(activations).values(row))
    pointer = update(documents).where(documents.c.document_id == document_id)
    connection.execute(pointer.values(active_conversion_version=version_text(version)))


def version_text(version: int) -> str:
    """The seed's spelling of a version in `documents`: "v1" (003 §12.2)."""
    return f"v{version}"


def version_of(text: str | None) -> int | None:
    """The number in the seed's spelling, or None for none."""
    return int(text[1:]) if text else None


def _record(row: Row[Any]) -> ConversionRecord:
    fields = dict(row._mapping)
    active = version_of(fields.pop("active_conversion_version"))
    flags = tuple(json.loads(fields.pop("flags_json")))
    return ConversionRecord(**fields, flags=flags, is_active=active == row.version)
