"""Links between two documents (STO-9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from octavo_contracts import UsageError
from sqlalchemy import Connection, delete, or_, select

from . import dialect
from .instance_ids import PolicyContext
from .remark_policy import check_documents, context_of, visible_to
from .repository import Repository
from .schema import document_attachments, document_links
from .touched import touch

LinkKind = Literal["revises", "related_to"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """A user's statement about two documents.

    Attributes:
        document_id: the first document; for `revises`, the newer one.
        other_id: the second document.
        kind: `revises`, or `related_to`, which is symmetric.
        made_by: the user.
        at: when, ISO 8601 in UTC.
    """

    document_id: str
    other_id: str
    kind: LinkKind
    made_by: str
    at: str


class LinkRepository(Repository):
    """Links between two documents (STO-9).

    `policy` is always the policy context of the user; None: the library's owner.
    """

    def add(
        self, document_id: str, other_id: str, *, kind: LinkKind, by: str, policy: PolicyContext | None = None
    ) -> None:
        """Link two documents; adding the same link again changes nothing.

        Raises:
            UsageError: one of them does not exist, or they are the same.
        """
        if document_id == other_id:
            raise UsageError("cannot link a document to itself", remedy="Give another document")
        one, other = _ends(document_id, other_id, kind)
        with self._write() as connection:
            check_documents(connection, one, other)
            touch(connection, [one, other])
            row = {"document_id": one, "other_id": other, "kind": kind, "made_by": by, "at": self._now()}
            row["policy_context_json"] = context_of(connection, document_id, policy)
            connection.execute(dialect.insert_if_absent(document_links, database=connection.dialect.name), row)

    def remove(self, document_id: str, other_id: str, *, kind: LinkKind, policy: PolicyContext | None = None) -> bool:
        """Remove a link; returns whether it existed."""
        one, other = _ends(document_id, other_id, kind)
        table = document_links
        here = (table.c.document_id == one) & (table.c.other_id == other) & (table.c.kind == kind)
        with self._write() as connection:
            touch(connection, [one, other])
            return connection.execute(delete(table).where(here, visible_to(policy, table))).rowcount > 0

    def of_document(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[Link, ...]:
        """Links from and to a document, oldest first; a link made in several policy contexts appears once."""
        table = document_links
        columns = [table.c[name] for name in Link.__dataclass_fields__]
        ends = or_(table.c.document_id == document_id, table.c.other_id == document_id)
        query = select(*columns).where(ends, visible_to(policy, table))
        with self._read() as connection:
            rows = connection.execute(query.order_by(table.c.at, table.c.document_id, table.c.other_id, table.c.kind))
            once = {(row.document_id, row.other_id, row.kind): row for row in reversed(rows.all())}
        return tuple(Link(**row._mapping) for row in reversed(once.values()))


def _ends(document_id: str, other_id: str, kind: LinkKind) -> tuple[str, str]:
    """Order two ids; `related_to` is symmetric: the smaller id comes first, so that the link is stored once."""
    if kind == "related_to" and other_id < document_id:
        return other_id, document_id
    return document_id, other_id


def linked_with(connection: Connection, document_id: str) -> set[str]:
    """The documents that lose a link or a parent with a document: their records and graphs name it."""
    links, inside = document_links.c, document_attachments.c
    pairs = (
        (links.document_id, links.other_id),
        (links.other_id, links.document_id),
        (inside.parent_id, inside.document_id),
    )
    return {other for mine, theirs in pairs for other in connection.scalars(select(theirs).where(mine == document_id))}
