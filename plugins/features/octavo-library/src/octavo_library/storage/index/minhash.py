"""MinHash sketches of texts: one query finds similar documents by them (STO-9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Text, cast, delete, insert, literal, or_, select

from . import dialect
from .disclosure import restricted
from .instance_ids import PolicyContext
from .repository import Repository
from .schema import document_sketches, documents, sketch_keys
from .versions import version_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Sketched:
    """A document's sketch.

    Attributes:
        document_id: the document.
        version: the version that was sketched.
        hashes: 16 hex digits each, ascending.
    """

    document_id: str
    version: int
    hashes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Unsketched:
    """A document whose active version has no sketch."""

    document_id: str
    raw_hash: str
    version: int


class SketchRepository(Repository):
    """Sketches, derived from the texts on request."""

    def unsketched(self, *, limit: int) -> tuple[Unsketched, ...]:
        """Documents whose active version has no sketch, by id; at most `limit`."""
        # The seed stores versions as texts ("v1"); compare in that form.
        same = (literal("v") + cast(document_sketches.c.version, Text)) == documents.c.active_conversion_version
        query = (
            select(documents.c.document_id, documents.c.content_hash, documents.c.active_conversion_version)
            .outerjoin(document_sketches, document_sketches.c.document_id == documents.c.document_id)
            .where(documents.c.active_conversion_version.is_not(None))
            .where(or_(document_sketches.c.document_id.is_(None), ~same))
            .order_by(documents.c.document_id)
            .limit(limit)
        )
        with self._read() as connection:
            return tuple(
                Unsketched(document_id=row.document_id, raw_hash=row.content_hash, version=version)
                for row in connection.execute(query)
                if (version := version_of(row.active_conversion_version)) is not None
            )

    def put(self, sketches: Sequence[Sketched], *, keys: int) -> None:
        """Store sketches, replacing earlier ones of the same documents.

        Args:
            sketches: at most one a document; a sketch without hashes matches nothing.
            keys: number of leading hashes to index as look-up keys.
        """
        if not sketches:
            return
        with self._write() as connection:
            many = dialect.many(connection.dialect.name)
            parameters = dialect.as_many(one.document_id for one in sketches)
            # A document may have been purged since it was sketched.
            known = set(
                connection.scalars(select(documents.c.document_id).where(documents.c.document_id.in_(many)), parameters)
            )
            for table in (document_sketches, sketch_keys):
                connection.execute(delete(table).where(table.c.document_id.in_(many)), parameters)
            rows = [one for one in sketches if one.document_id in known]
            if rows:
                connection.execute(
                    insert(document_sketches),
                    [
                        {"document_id": one.document_id, "version": one.version, "sketch": " ".join(one.hashes)}
                        for one in rows
                    ],
                )
            entries = [{"key": key, "document_id": one.document_id} for one in rows for key in one.hashes[:keys]]
            if entries:
                connection.execute(insert(sketch_keys), entries)

    def get(self, document_id: str) -> Sketched | None:
        """A document's sketch, or None if it has none."""
        table = document_sketches
        with self._read() as connection:
            row = connection.execute(select(table).where(table.c.document_id == document_id)).one_or_none()
        if row is None:
            return None
        return Sketched(document_id=row.document_id, version=row.version, hashes=tuple(row.sketch.split()))

    def sharing(self, keys: Sequence[str], *, policy: PolicyContext) -> tuple[Sketched, ...]:
        """The sketches with one of these keys, of documents ingested under the policy context (STO-5), by id."""
        table = document_sketches
        query = select(table).join_from(table, documents, table.c.document_id == documents.c.document_id)
        query = restricted(query, corpus_id=None, policy=policy).order_by(table.c.document_id)
        with self._read() as connection:
            found = select(sketch_keys.c.document_id).where(
                sketch_keys.c.key.in_(dialect.many(connection.dialect.name))
            )
            rows = connection.execute(query.where(table.c.document_id.in_(found)), dialect.as_many(keys))
            return tuple(
                Sketched(document_id=row.document_id, version=row.version, hashes=tuple(row.sketch.split()))
                for row in rows
            )
