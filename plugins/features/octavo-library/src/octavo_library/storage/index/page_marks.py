"""Users' marks on pages: that a page needs recognition, or is visually important (CNV-3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from sqlalchemy import Select, bindparam, delete, insert, select

from . import dialect, direct_read
from .instance_ids import PolicyContext, document_id_for
from .remark_policy import check_documents, context_of, visible_to
from .repository import Repository
from .schema import document_page_marks
from .touched import touch

PageMarkKind = Literal["needs_ocr", "visually_important"]

PAGE_MARK_KINDS: Final[tuple[PageMarkKind, ...]] = get_args(PageMarkKind)


@dataclass(frozen=True, kw_only=True, slots=True)
class PageMark:
    """A mark on a page of a document.

    Attributes:
        page: the page, from 1.
        kind: `needs_ocr`: its text must be recognised, whatever its text layer says; `visually_important`: its look
            matters for understanding.
        marked_by: the user.
        at: when, ISO 8601, UTC.
    """

    page: int
    kind: PageMarkKind
    marked_by: str
    at: str


class PageMarkRepository(Repository):
    """The marks on pages; they hold for every version of a document.

    `policy` is always the policy context of the user; None: the library's owner.
    """

    def add(
        self,
        document_id: str,
        pages: Sequence[int],
        kind: PageMarkKind,
        *,
        by: str,
        policy: PolicyContext | None = None,
    ) -> None:
        """Mark pages; a mark that a page has is replaced.

        Raises:
            UsageError: the document does not exist.
        """
        table = document_page_marks
        with self._write() as connection:
            check_documents(connection, document_id)
            context = context_of(connection, document_id, policy)
            here = (table.c.document_id == document_id) & (table.c.policy_context_json == context)
            row: dict[str, Any] = {"document_id": document_id, "policy_context_json": context, "kind": kind}
            row |= {"marked_by": by, "at": self._now()}
            touch(connection, [document_id])
            connection.execute(delete(table).where(here, table.c.kind == kind, table.c.page.in_(pages)))
            connection.execute(insert(table), [row | {"page": page} for page in sorted(set(pages))])

    def remove(
        self, document_id: str, pages: Sequence[int], kind: PageMarkKind, *, policy: PolicyContext | None = None
    ) -> int:
        """Remove marks from pages; the library's owner removes those of all policy contexts.

        Returns:
            How many marks there were.

        Raises:
            UsageError: the document does not exist.
        """
        table = document_page_marks
        here = (table.c.document_id == document_id) & (table.c.kind == kind) & table.c.page.in_(pages)
        with self._write() as connection:
            check_documents(connection, document_id)
            touch(connection, [document_id])
            return connection.execute(delete(table).where(here, visible_to(policy, table))).rowcount

    def of_document(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[PageMark, ...]:
        """The marks of a document by page and kind; of several marks of one kind on a page, the last."""
        with self._read() as connection:
            rows = direct_read.rows(connection, _of_document(policy), {"document": document_id})
        return tuple({(row.page, row.kind): PageMark(**row._mapping) for row in rows}.values())

    def pages_to_recognise(self, raw_hash: str, *, policy: PolicyContext | None = None) -> frozenset[int]:
        """The pages of the document of these bytes that are marked as needing recognition."""
        marks = self.of_document(document_id_for(raw_hash), policy=policy)
        return frozenset(one.page for one in marks if one.kind == "needs_ocr")


@dialect.prepared
def _of_document(policy: PolicyContext | None) -> Select[Any]:
    table = document_page_marks
    query = select(table.c.page, table.c.kind, table.c.marked_by, table.c.at)
    query = query.where(table.c.document_id == bindparam("document"), visible_to(policy, table))
    return query.order_by(table.c.page, table.c.kind, table.c.at)
