"""What users add to documents: annotations (STO-17), and links between two of them (STO-9)."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any, Literal

from octavo_contracts import Span, UsageError
from sqlalchemy import Row, delete, insert, or_, select, update

from . import dialect
from .database import Database
from .schema import document_annotations, document_links, documents
from .touched import touch

AnnotationKind = Literal["bookmark", "highlight", "note"]
LinkKind = Literal["revises", "related_to"]

_TABLE = document_annotations


@dataclass(frozen=True, kw_only=True, slots=True)
class NewAnnotation:
    """An annotation to store.

    Attributes:
        kind: `bookmark`, `highlight` or `note`.
        body: what the user wrote.
        version: the version whose canonical text `span` counts in; None without a span.
        page: the page, from 1, or None.
        span: the place in that text, or None for the page or the whole document.
        quote: the text at that place.
        before: what stands before it there, to tell equal places apart.
        after: what stands after it.
        made_by: the user.
    """

    kind: AnnotationKind
    body: str = ""
    version: int | None = None
    page: int | None = None
    span: Span | None = None
    quote: str | None = None
    before: str | None = None
    after: str | None = None
    made_by: str = "user"


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredAnnotation(NewAnnotation):
    """An annotation as it stands in the index; its place is where the user made it."""

    annotation_id: str
    document_id: str
    created_at: str
    updated_at: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """What a user said of two documents.

    Attributes:
        document_id: the one; for `revises` the newer.
        other_id: the other.
        kind: `revises`, or `related_to`, which holds both ways.
        made_by: the user.
        at: when.
    """

    document_id: str
    other_id: str
    kind: LinkKind
    made_by: str
    at: str


class Remarks(Database):
    """The part of the index that keeps what users say of documents."""

    def add_annotation(self, document_id: str, new: NewAnnotation) -> StoredAnnotation:
        """Store an annotation.

        Raises:
            UsageError: there is no such document.
        """
        now = self._now()
        fields = {name: getattr(new, name) for name in NewAnnotation.__dataclass_fields__}
        stored = StoredAnnotation(
            **fields, annotation_id=uuid.uuid4().hex, document_id=document_id, created_at=now, updated_at=now
        )
        row = {name: getattr(stored, name) for name in StoredAnnotation.__dataclass_fields__}
        span = row.pop("span")
        row |= {"text_start": span.start if span else None, "text_end": span.end if span else None}
        row |= {"quote_before": row.pop("before"), "quote_after": row.pop("after")}
        with self._write() as connection:
            self._check_documents(connection, document_id)
            touch(connection, [document_id])
            connection.execute(insert(_TABLE), row)
        return stored

    def annotations(self, document_id: str) -> tuple[StoredAnnotation, ...]:
        """A document's annotations, the first first."""
        query = select(_TABLE).where(_TABLE.c.document_id == document_id)
        with self._read() as connection:
            rows = connection.execute(query.order_by(_TABLE.c.created_at, _TABLE.c.annotation_id))
            return tuple(_annotation(row) for row in rows)

    def change_annotation(self, document_id: str, annotation_id: str, *, body: str) -> None:
        """Replace what the user wrote.

        Raises:
            UsageError: the document has no such annotation.
        """
        change = update(_TABLE).where(_mine(document_id, annotation_id))
        with self._write() as connection:
            touch(connection, [document_id])
            done = connection.execute(change.values(body=body, updated_at=self._now()))
            _check_found(done.rowcount, document_id, annotation_id)

    def remove_annotation(self, document_id: str, annotation_id: str) -> None:
        """Delete an annotation.

        Raises:
            UsageError: the document has no such annotation.
        """
        with self._write() as connection:
            touch(connection, [document_id])
            done = connection.execute(delete(_TABLE).where(_mine(document_id, annotation_id)))
            _check_found(done.rowcount, document_id, annotation_id)

    def add_link(self, document_id: str, other_id: str, *, kind: LinkKind, by: str) -> None:
        """Link two documents; the same link again changes nothing.

        Raises:
            UsageError: one of them does not exist, or they are the same.
        """
        if document_id == other_id:
            raise UsageError("a document is not linked to itself", remedy="Give another document")
        one, other = _ends(document_id, other_id, kind)
        with self._write() as connection:
            self._check_documents(connection, one, other)
            touch(connection, [one])
            row = {"document_id": one, "other_id": other, "kind": kind, "made_by": by, "at": self._now()}
            connection.execute(dialect.insert_if_absent(document_links, database=connection.dialect.name), row)

    def remove_link(self, document_id: str, other_id: str, *, kind: LinkKind) -> bool:
        """Take a link back; returns whether it was there."""
        one, other = _ends(document_id, other_id, kind)
        table = document_links
        here = (table.c.document_id == one) & (table.c.other_id == other) & (table.c.kind == kind)
        with self._write() as connection:
            touch(connection, [one])
            return connection.execute(delete(table).where(here)).rowcount == 1

    def links(self, document_id: str) -> tuple[Link, ...]:
        """Links from and to a document, the first first."""
        table = document_links
        query = select(table).where(or_(table.c.document_id == document_id, table.c.other_id == document_id))
        with self._read() as connection:
            rows = connection.execute(query.order_by(table.c.at, table.c.document_id, table.c.other_id, table.c.kind))
            return tuple(Link(**row._mapping) for row in rows)

    @staticmethod
    def _check_documents(connection: Any, *document_ids: str) -> None:
        known = set(
            connection.scalars(select(documents.c.document_id).where(documents.c.document_id.in_(document_ids)))
        )
        for document_id in document_ids:
            if document_id not in known:
                raise UsageError(f"there is no document {document_id!r} in this library")


def _ends(document_id: str, other_id: str, kind: LinkKind) -> tuple[str, str]:
    """`related_to` has no direction: the smaller id stands first, so that it is stored once."""
    if kind == "related_to" and other_id < document_id:
        return other_id, document_id
    return document_id, other_id


def _mine(document_id: str, annotation_id: str) -> Any:
    return (_TABLE.c.document_id == document_id) & (_TABLE.c.annotation_id == annotation_id)


def _check_found(count: int, document_id: str, annotation_id: str) -> None:
    if count != 1:
        raise UsageError(f"document {document_id} has no annotation {annotation_id!r}")


def _annotation(row: Row[*tuple[Any, ...]]) -> StoredAnnotation:
    fields = dict(row._mapping)
    start, end = fields.pop("text_start"), fields.pop("text_end")
    fields |= {"before": fields.pop("quote_before"), "after": fields.pop("quote_after")}
    return StoredAnnotation(**fields, span=None if start is None else Span(start=start, end=end))
