"""`document.page_marks`: pages that users mark as needing recognition, or as visually important (CNV-3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from octavo_contracts import UsageError

from ..observability.audit import AuditAction
from ..storage import PAGE_MARK_KINDS, DocumentRecord, PageMark, PageMarkKind, PolicyContext
from .context import LibraryContext
from .document_result import load_result


class PageMarks:
    """The marks of users on pages; iterate it for the marks, by page.

    A page that is marked as `needs_ocr` is recognised by the next conversion and by every later one, whatever its text
    layer says; `octavo mark` and the dashboard recognise it at once. A page that is marked as `visually_important` makes the
    document's visual importance high. Marks belong to their policy context (STO-5) and hold for every version.

    Args:
        context: the library's parts.
        record: the document's row in the index.
        policy: the asking policy context; None: the library's owner.
    """

    def __init__(self, context: LibraryContext, record: DocumentRecord, *, policy: PolicyContext | None) -> None:
        self._context = context
        self._record = record
        self._policy = policy

    def __iter__(self) -> Iterator[PageMark]:
        return iter(self._context.index.page_marks.of_document(self._record.document_id, policy=self._policy))

    def pages(self, kind: PageMarkKind) -> tuple[int, ...]:
        """The pages with a mark of this kind, ascending."""
        return tuple(one.page for one in self if one.kind == kind)

    def add(self, pages: int | Sequence[int], kind: PageMarkKind, *, by: str = "user") -> None:
        """Mark pages.

        Args:
            pages: a page or several, from 1.
            kind: `needs_ocr` or `visually_important`.
            by: the user.

        Raises:
            UsageError: unknown kind, no such page, or the document was purged.
        """
        wanted = self._checked(pages, kind)
        marks = self._context.index.page_marks
        marks.add(self._record.document_id, wanted, kind, by=by, policy=self._policy)
        self._changed()

    def remove(self, pages: int | Sequence[int], kind: PageMarkKind) -> None:
        """Remove marks. Text that was recognised because of them stays until the next conversion.

        Raises:
            UsageError: unknown kind, no such page, or the document was purged.
        """
        wanted = self._checked(pages, kind)
        if self._context.index.page_marks.remove(self._record.document_id, wanted, kind, policy=self._policy):
            self._changed()

    def _checked(self, pages: int | Sequence[int], kind: PageMarkKind) -> list[int]:
        if kind not in PAGE_MARK_KINDS:
            raise UsageError(f"unknown mark {kind!r}", remedy=f"Give one of {', '.join(PAGE_MARK_KINDS)}")
        wanted = sorted({pages} if isinstance(pages, int) else set(pages))
        count = self._page_count()
        if not wanted or wanted[0] < 1 or wanted[-1] > count:
            shown = next((page for page in wanted if not 1 <= page <= count), None)
            raise UsageError(
                "no page was given" if shown is None else f"there is no page {shown}; the document has {count}",
                source=self._record.title or self._record.document_id,
            )
        return wanted

    def _page_count(self) -> int:
        result = load_result(self._context, self._record, policy=self._policy)
        counted = result.classification.page_count if result.classification is not None else None
        return max(1, len(result.page_anchor_map), counted or 0)

    def _changed(self) -> None:
        self._context.audit.record(AuditAction.PAGE_MARKED, document_id=self._record.document_id)
