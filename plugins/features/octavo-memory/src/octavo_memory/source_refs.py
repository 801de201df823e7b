"""Reads the `source_ref` of `retrieve_memory_cluster`: a document, or some of its pages (RET-4)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from octavo_library.storage import StoredMemory
from octavo_retrieval import FailureCode, Scope, ToolFailure

from .failures import invalid

_PAGES = re.compile(r"(?P<document>.+?)(?::v[0-9]{1,9})?:p?(?P<first>[0-9]{1,9})(?:-(?P<last>[0-9]{1,9}))?")
_PLACE = re.compile(r"(?P<document>.+?):v[0-9]{1,9}(?::page:(?P<page>[0-9]{1,9}))?(?::char:[0-9]{1,18}-[0-9]{1,18})?")


@dataclass(frozen=True)
class ClusterRef:
    """Which memories of a document are asked for.

    Attributes:
        document_id: the document.
        pages: first and last page; None: all.
    """

    document_id: str
    pages: tuple[int, int] | None = None

    def has(self, memory: StoredMemory) -> bool:
        """Whether a memory is anchored in the pages. A document without pages has one page."""
        return self.pages is None or self.pages[0] <= (memory.anchor.page or 1) <= self.pages[1]


def cluster_ref(scope: Scope, source_ref: str) -> ClusterRef:
    """Resolve a source_ref: `DOCUMENT`, `DOCUMENT:3-7`, `DOCUMENT:v1:p3-7` or `DOCUMENT:v1:page:3:char:0-20`.

    Raises:
        ToolFailure: the document is not in scope, or the pages are invalid.
    """
    ref, pages = source_ref, None
    if (placed := _PLACE.fullmatch(source_ref)) is not None:
        ref = placed["document"]
        pages = (int(placed["page"]),) * 2 if placed["page"] else None
    elif (paged := _PAGES.fullmatch(source_ref)) is not None:
        first = int(paged["first"])
        ref, pages = paged["document"], (first, int(paged["last"] or first))
    if pages is not None and pages[0] < 1:
        raise ToolFailure(FailureCode.PAGE_OUT_OF_RANGE, "There is no page 0", remedy="Pages count from 1")
    if pages is not None and pages[1] < pages[0]:
        raise ToolFailure(
            FailureCode.INVALID_RANGE,
            f"The pages end at {pages[1]}, before their start {pages[0]}",
            remedy=f"Ask for {pages[1]}-{pages[0]}",
        )
    if not ref:
        raise invalid("The source_ref names no document", remedy="Give a document_id, or document_id:first-last")
    return ClusterRef(scope.find(ref).id, pages)
