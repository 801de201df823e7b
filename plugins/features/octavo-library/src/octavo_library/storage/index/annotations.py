"""Annotations of documents: bookmarks, highlights and notes (STO-17)."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any, Literal

from octavo_contracts import Span, UsageError
from sqlalchemy import Row, Select, bindparam, delete, insert, select, update

from . import dialect, direct_read
from .instance_ids import PolicyContext
from .remark_policy import check_documents, context_of, visible_to
from .repository import Repository
from .schema import document_annotations
from .touched import touch

AnnotationKind = Literal["bookmark", "highlight", "note"]


_TABLE = document_annotations


@dataclass(frozen=True, kw_only=True, slots=True)
class NewAnnotation:
    """A new annotation.

    Attributes:
        kind: `bookmark`, `highlight` or `note`.
        body: what the user wrote.
        version: the version whose canonical text `span` counts in; None without a span.
        page: the page, from 1, or None.
        span: the place in that text, or None for the page or the whole document.
        quote: the text at that place.
        before: the text before it, to tell equal quotes apart.
        after: the text after it.
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
    """An annotation as stored in the index; its place is the one that the user marked."""

    annotation_id: str
    document_id: str
    created_at: str
    updated_at: str


class AnnotationRepository(Repository):
    """Annotations of documents (STO-17).

    `policy` is always the policy context of the user; None: the library's owner.
    """

    def add(self, document_id: str, new: NewAnnotation, *, policy: PolicyContext | None = None) -> StoredAnnotation:
        """Store an annotation.

        Raises:
            UsageError: the document does not exist.
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
            check_documents(connection, document_id)
            touch(connection, [document_id])
            row["policy_context_json"] = context_of(connection, document_id, policy)
            connection.execute(insert(_TABLE), row)
        return stored

    def of_document(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[StoredAnnotation, ...]:
        """A document's annotations, oldest first."""
        with self._read() as connection:
            rows = direct_read.rows(connection, _of_document(policy), {"document": document_id})
            return tuple(_annotation(row) for row in rows)

    def update(self, document_id: str, annotation_id: str, *, body: str, policy: PolicyContext | None = None) -> None:
        """Replace the body of an annotation.

        Raises:
            UsageError: the document has no such annotation.
        """
        change = update(_TABLE).where(_mine(document_id, annotation_id), visible_to(policy, _TABLE))
        with self._write() as connection:
            touch(connection, [document_id])
            done = connection.execute(change.values(body=body, updated_at=self._now()))
            _check_found(done.rowcount, document_id, annotation_id)

    def remove(self, document_id: str, annotation_id: str, *, policy: PolicyContext | None = None) -> None:
        """Delete an annotation.

        Raises:
            UsageError: the document has no such annotation.
        """
        with self._write() as connection:
            touch(connection, [document_id])
            done = connection.execute(
                delete(_TABLE).where(_mine(document_id, annotation_id), visible_to(policy, _TABLE))
            )
            _check_found(done.rowcount, document_id, annotation_id)


def _mine(document_id: str, annotation_id: str) -> Any:
    return (_TABLE.c.document_id == document_id) & (_TABLE.c.annotation_id == annotation_id)


def _check_found(count: int, document_id: str, annotation_id: str) -> None:
    if count != 1:
        raise UsageError(f"document {document_id} has no annotation {annotation_id!r}")


_ANNOTATION_COLUMNS = tuple(column for column in _TABLE.c if column.name != "policy_context_json")


@dialect.prepared
def _of_document(policy: PolicyContext | None) -> Select[Any]:
    mine = (_TABLE.c.document_id == bindparam("document"), visible_to(policy, _TABLE))
    return select(*_ANNOTATION_COLUMNS).where(*mine).order_by(_TABLE.c.created_at, _TABLE.c.annotation_id)


def _annotation(row: Row[*tuple[Any, ...]]) -> StoredAnnotation:
    fields = dict(row._mapping)
    start, end = fields.pop("text_start"), fields.pop("text_end")
    fields |= {"before": fields.pop("quote_before"), "after": fields.pop("quote_after")}
    return StoredAnnotation(**fields, span=None if start is None else Span(start=start, end=end))
