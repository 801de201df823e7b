"""What users say of documents: annotations (STO-17), types (CLS-6), and links between two of them (STO-9).

Every word belongs to the policy context of whoever said it, and is told in no other (STO-5). The library's owner, who
names no context, is told all of them. The owner's word goes to the only context that the document has, or else to the
default one where the document came in under that; failing both it is the owner's alone.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from octavo_contracts import Span, UsageError
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Table,
    and_,
    bindparam,
    delete,
    exists,
    insert,
    or_,
    select,
    true,
    update,
)

from . import dialect
from .database import Database
from .instance_ids import PolicyContext
from .schema import (
    document_annotations,
    document_links,
    document_source_instances,
    document_types,
    documents,
)
from .touched import touch

AnnotationKind = Literal["bookmark", "highlight", "note"]
LinkKind = Literal["revises", "related_to"]

_TABLE = document_annotations

OWNER_ALONE = "owner"
"""The context of a word that no policy context is told."""


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


@dataclass(frozen=True, kw_only=True, slots=True)
class TypeByHand:
    """A document's type as a user set it, and the user."""

    document_type: str
    set_by: str


class Remarks(Database):
    """The part of the index that keeps what users say of documents.

    `policy` is everywhere who speaks or asks; None: the library's owner.
    """

    def add_annotation(
        self, document_id: str, new: NewAnnotation, *, policy: PolicyContext | None = None
    ) -> StoredAnnotation:
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
            row["policy_context_json"] = context_of(connection, document_id, policy)
            connection.execute(insert(_TABLE), row)
        return stored

    def annotations(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[StoredAnnotation, ...]:
        """A document's annotations, the first first."""
        query = select(*_ANNOTATION_COLUMNS).where(_TABLE.c.document_id == document_id, told_to(policy, _TABLE))
        with self._read() as connection:
            rows = connection.execute(query.order_by(_TABLE.c.created_at, _TABLE.c.annotation_id))
            return tuple(_annotation(row) for row in rows)

    def change_annotation(
        self, document_id: str, annotation_id: str, *, body: str, policy: PolicyContext | None = None
    ) -> None:
        """Replace what the user wrote.

        Raises:
            UsageError: the document has no such annotation.
        """
        change = update(_TABLE).where(_mine(document_id, annotation_id), told_to(policy, _TABLE))
        with self._write() as connection:
            touch(connection, [document_id])
            done = connection.execute(change.values(body=body, updated_at=self._now()))
            _check_found(done.rowcount, document_id, annotation_id)

    def remove_annotation(self, document_id: str, annotation_id: str, *, policy: PolicyContext | None = None) -> None:
        """Delete an annotation.

        Raises:
            UsageError: the document has no such annotation.
        """
        with self._write() as connection:
            touch(connection, [document_id])
            done = connection.execute(delete(_TABLE).where(_mine(document_id, annotation_id), told_to(policy, _TABLE)))
            _check_found(done.rowcount, document_id, annotation_id)

    def add_link(
        self, document_id: str, other_id: str, *, kind: LinkKind, by: str, policy: PolicyContext | None = None
    ) -> None:
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
            row["policy_context_json"] = context_of(connection, document_id, policy)
            connection.execute(dialect.insert_if_absent(document_links, database=connection.dialect.name), row)

    def remove_link(
        self, document_id: str, other_id: str, *, kind: LinkKind, policy: PolicyContext | None = None
    ) -> bool:
        """Take a link back; returns whether it was there."""
        one, other = _ends(document_id, other_id, kind)
        table = document_links
        here = (table.c.document_id == one) & (table.c.other_id == other) & (table.c.kind == kind)
        with self._write() as connection:
            touch(connection, [one])
            return connection.execute(delete(table).where(here, told_to(policy, table))).rowcount > 0

    def links(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[Link, ...]:
        """Links from and to a document, the first first; one that several contexts made once."""
        table = document_links
        columns = [table.c[name] for name in Link.__dataclass_fields__]
        ends = or_(table.c.document_id == document_id, table.c.other_id == document_id)
        query = select(*columns).where(ends, told_to(policy, table))
        with self._read() as connection:
            rows = connection.execute(query.order_by(table.c.at, table.c.document_id, table.c.other_id, table.c.kind))
            once = {(row.document_id, row.other_id, row.kind): row for row in reversed(rows.all())}
        return tuple(Link(**row._mapping) for row in reversed(once.values()))

    def set_document_type(
        self, document_id: str, document_type: str, *, by: str, policy: PolicyContext | None = None
    ) -> None:
        """Set a document's type by hand; no classifier overwrites it from then on (CLS-6).

        Raises:
            UsageError: there is no such document.
        """
        with self._write() as connection:
            self._check_documents(connection, document_id)
            context = context_of(connection, document_id, policy)
            here = (document_types.c.document_id == document_id) & (document_types.c.policy_context_json == context)
            row = {"document_id": document_id, "policy_context_json": context, "document_type": document_type}
            touch(connection, [document_id])
            connection.execute(delete(document_types).where(here))
            connection.execute(insert(document_types), row | {"set_by": by, "at": self._now()})

    def clear_document_type(self, document_id: str, *, policy: PolicyContext | None = None) -> None:
        """Take back a type that was set by hand: the one that the classifier said last is in force again (CLS-6).

        The library's owner takes back what every context set.

        Raises:
            UsageError: there is no such document.
        """
        here = document_types.c.document_id == document_id
        with self._write() as connection:
            self._check_documents(connection, document_id)
            touch(connection, [document_id])
            connection.execute(delete(document_types).where(here, told_to(policy, document_types)))

    def type_by_hand(self, raw_hash: str, *, policy: PolicyContext | None = None) -> str | None:
        """The type that a user set for the document of these bytes, or None (CLS-6)."""
        query = select(documents.c.document_id).where(documents.c.content_hash == raw_hash)
        with self._read() as connection:
            said = types_by_hand(connection, list(connection.scalars(query)), policy)
        return next((one.document_type for one in said.values()), None)

    @staticmethod
    def _check_documents(connection: Any, *document_ids: str) -> None:
        known = set(
            connection.scalars(select(documents.c.document_id).where(documents.c.document_id.in_(document_ids)))
        )
        for document_id in document_ids:
            if document_id not in known:
                raise UsageError(f"there is no document {document_id!r} in this library")


def told_to(policy: PolicyContext | None, table: Table) -> ColumnElement[bool]:
    """Which rows of a table of words an asker is told; None: the library's owner, who is told all."""
    return true() if policy is None else table.c.policy_context_json == policy.canonical()


def context_of(connection: Connection, document_id: str, policy: PolicyContext | None) -> str:
    """The context that a word said now belongs to; see the module."""
    if policy is not None:
        return policy.canonical()
    way = document_source_instances.c
    contexts = set(connection.scalars(select(way.policy_context_json).where(way.document_id == document_id)))
    if len(contexts) == 1:
        return str(contexts.pop())
    default = PolicyContext().canonical()
    return default if default in contexts else OWNER_ALONE


def types_by_hand(
    connection: Connection, document_ids: Sequence[str], policy: PolicyContext | None
) -> dict[str, TypeByHand]:
    """Document id → its type by hand, of those that have one for the asker; for the owner the one that was set last."""
    table = document_types
    named = table.c.document_id.in_(dialect.many(connection.dialect.name))
    query = select(table).where(named, told_to(policy, table)).order_by(table.c.at, table.c.policy_context_json)
    rows = connection.execute(query, dialect.as_many(document_ids))
    return {row.document_id: TypeByHand(document_type=row.document_type, set_by=row.set_by) for row in rows}


def follow_policy(connection: Connection, document_ids: Sequence[str], *, old: str, new: str) -> None:
    """Move the words of a context that documents are no longer in to the one that they are in instead.

    Args:
        connection: in the transaction that changes the ways in.
        document_ids: the documents whose ways in were changed.
        old: the context that they had, as `PolicyContext.canonical()`.
        new: the one that they have. A word of its own stays where both said something of one thing.
    """
    moved = {**dialect.as_many(document_ids), "old": old}
    for table, ends, key in (
        (_TABLE, ("document_id",), None),
        (document_types, ("document_id",), ("document_id",)),
        (document_links, ("document_id", "other_id"), ("document_id", "other_id", "kind")),
    ):
        many = dialect.many(connection.dialect.name)
        left = or_(*(and_(table.c[end].in_(many), ~_came_under(table.c[end])) for end in ends))
        here = (left, table.c.policy_context_json == old)
        if key is not None:
            own = table.alias("own")
            taken = exists().where(*(own.c[name] == table.c[name] for name in key), own.c.policy_context_json == new)
            connection.execute(delete(table).where(*here, taken), moved)
        connection.execute(update(table).where(*here).values(policy_context_json=new), moved)


def _came_under(document_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a document has a way in under the context `old`."""
    way = document_source_instances.alias("way")
    return exists().where(way.c.document_id == document_id, way.c.policy_context_json == bindparam("old"))


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


_ANNOTATION_COLUMNS = tuple(column for column in _TABLE.c if column.name != "policy_context_json")


def _annotation(row: Row[*tuple[Any, ...]]) -> StoredAnnotation:
    fields = dict(row._mapping)
    start, end = fields.pop("text_start"), fields.pop("text_end")
    fields |= {"before": fields.pop("quote_before"), "after": fields.pop("quote_after")}
    return StoredAnnotation(**fields, span=None if start is None else Span(start=start, end=end))
