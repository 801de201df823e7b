"""`retrieve_document_pages` and `retrieve_full_document` (RET-1, RET-12, RET-14, RET-15)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from octavo_context.tokens import count_tokens
from octavo_contracts.markers import page_ranges
from octavo_library.facade.document import Document

from .content import Filled, fill
from .failures import FailureCode, ToolFailure
from .models import (
    Format,
    NextCall,
    RetrieveDocumentPagesRequest,
    RetrieveDocumentPagesResponse,
    RetrieveFullDocumentRequest,
    RetrieveFullDocumentResponse,
    SectionMatch,
)
from .opened import OpenedDocument, OpenedDocuments
from .scope import Scope

PAGES = "retrieve_document_pages"
FULL = "retrieve_full_document"

PAGE_CAP = 20
"""Most pages per answer (seed 003 §8.2.5)."""

PAGES_TOKENS = 40_000
"""Default token budget of an answer: twenty dense pages."""

FULL_TOKENS = 50_000
"""Default token budget of a whole document (seed 003 §8.3.2)."""


@dataclass(frozen=True)
class Reader:
    """Reads documents within a scope.

    Attributes:
        scope: the visible documents.
        opened: cache of documents.
        page_cap: most pages per answer.
    """

    scope: Scope
    opened: OpenedDocuments
    page_cap: int = PAGE_CAP

    def open(self, ref: str) -> tuple[Document, OpenedDocument]:
        """Load a document that has text.

        Raises:
            ToolFailure: the document is not found, or has no text.
        """
        document = self.scope.readable(ref)
        opened = self.opened.open(document)
        if not opened.has_text:
            why = opened.why_empty
            raise ToolFailure(
                FailureCode.DOCUMENT_WITHOUT_TEXT,
                f"The document has no text{f': {why.message}' if why else ''}".rstrip("."),
                remedy="Tell the user, who can run `octavo ocr` on it",
            )
        return document, opened

    def pages(self, request: RetrieveDocumentPagesRequest) -> RetrieveDocumentPagesResponse:
        """Pages or a section of one document.

        Raises:
            ToolFailure: the document or a page is not found, or the request is contradictory.
        """
        _check_one_way(request)
        document, opened = self.open(request.document_id)
        wanted, matches, notes = _wanted(opened, request)
        if not wanted:
            return self._no_section(document, opened)
        now, over = wanted[: self.page_cap], wanted[self.page_cap :]
        budget = request.max_tokens or PAGES_TOKENS
        filled = fill(opened, now, form=request.format, max_tokens=budget, offset=request.offset)
        left = [*filled.left, *over]
        next_call = _next(document, request.format, left, filled, max_tokens=request.max_tokens)
        told = [*notes, *_truncation(filled, left, len(wanted), budget, next_call), *self._doubts(opened, filled.pages)]
        return RetrieveDocumentPagesResponse(
            **self._common(document, opened, filled),
            pages_returned=filled.pages,
            truncated=next_call is not None,
            next_call=next_call,
            notes=" ".join(told),
            matches=matches,
        )

    def full(self, request: RetrieveFullDocumentRequest) -> RetrieveFullDocumentResponse:
        """A whole document, or as many of its first pages as fit.

        Raises:
            ToolFailure: the document is not found.
        """
        document, opened = self.open(request.document_id)
        budget = request.max_tokens or FULL_TOKENS
        every = [page.number for page in opened.pages]
        filled = fill(opened, every, form=request.format, max_tokens=budget)
        next_call = _next(document, request.format, filled.left, filled, max_tokens=request.max_tokens)
        told = [*_truncation(filled, filled.left, len(every), budget, next_call), *self._doubts(opened, filled.pages)]
        return RetrieveFullDocumentResponse(
            **self._common(document, opened, filled),
            truncated=next_call is not None,
            next_call=next_call,
            notes=" ".join(told),
        )

    def source_ref(self, document: Document, opened: OpenedDocument, pages: Sequence[int]) -> str:
        """Source reference with document, version and pages, if any: `ID:v2:p3-5`."""
        where = f":p{page_ranges(list(pages))}" if opened.paginated and pages else ""
        return f"{document.id}:v{opened.version}{where}"

    def _common(self, document: Document, opened: OpenedDocument, filled: Filled) -> dict[str, Any]:
        confidences = [one.confidence for one in filled.excerpts if one.confidence is not None]
        return {
            "document_id": document.id,
            "document_title": self.scope.name_of(document),
            "total_pages": len(opened.pages),
            "content": filled.content,
            "extraction_method": opened.extraction_method(filled.pages),
            "token_count": count_tokens(filled.content),
            "version": opened.version,
            "source_ref": self.source_ref(document, opened, filled.pages),
            "confidence": min(confidences, default=None),
            "degraded_flags": tuple(opened.quality.degraded_flags),
            "excerpts": tuple(filled.excerpts),
        }

    def _no_section(self, document: Document, opened: OpenedDocument) -> RetrieveDocumentPagesResponse:
        has = f"pages 1-{len(opened.pages)}" if opened.paginated else "no pages: read it with retrieve_full_document"
        return RetrieveDocumentPagesResponse(
            **self._common(document, opened, Filled()),
            pages_returned=(),
            truncated=False,
            next_call=None,
            notes=f"No section of the document matches. Ask with other words, or for pages by number; it has {has}.",
            matches=(),
        )

    def _doubts(self, opened: OpenedDocument, pages: Sequence[int]) -> list[str]:
        report = opened.quality
        shown = set(pages)
        said = [
            one.message.rstrip(".") + "."
            for one in report.findings
            if one.severity == "degraded" and (one.page is None or one.page in shown)
        ]
        empty = [number for number in pages if not opened.pages[number - 1].text.strip()]
        if empty:
            said.append(f"No text was found on page{'s' if len(empty) > 1 else ''} {page_ranges(empty)}.")
        return list(dict.fromkeys(said))[:5]


def _check_one_way(request: RetrieveDocumentPagesRequest) -> None:
    ways = {"pages": request.pages, "page_range": request.page_range, "section_query": request.section_query}
    given = [name for name, value in ways.items() if value is not None]
    if len(given) != 1:
        said = f"{' and '.join(given)} were given together" if given else "No pages were asked for"
        raise ToolFailure(
            FailureCode.INVALID_ARGUMENTS, said, remedy="Give exactly one of pages, page_range and section_query"
        )


def _wanted(
    opened: OpenedDocument, request: RetrieveDocumentPagesRequest
) -> tuple[list[int], tuple[SectionMatch, ...], list[str]]:
    """Pages to return, their matches, and notes about pages that do not exist."""
    if request.section_query is not None:
        found = opened.sections.resolve(request.section_query)
        matches = tuple(
            SectionMatch(page=one.page, score=one.score, by=one.by, heading=one.heading) for one in found.matches
        )
        return list(found.pages), matches, []
    total = len(opened.pages)
    if request.page_range is not None:
        asked = _of_range(request.page_range.start, request.page_range.end, total)
        beyond = [max(total + 1, request.page_range.start)] if request.page_range.end > total else []
        missing = f"{beyond[0]}-{request.page_range.end}" if beyond and beyond[0] < request.page_range.end else ""
        missing = missing or (str(beyond[0]) if beyond else "")
    else:
        asked = list(dict.fromkeys(request.pages or ()))
        if any(page < 1 for page in asked):
            raise _no_page(f"page {min(asked)}", total)
        missing = page_ranges(sorted(page for page in asked if page > total))
    there = [page for page in asked if page <= total]
    if not there:
        raise _no_page(f"page{'s' if '-' in missing or ',' in missing else ''} {missing}", total)
    plural = "s" if "-" in missing or "," in missing else ""
    verb = "do" if plural else "does"
    return there, (), [f"Page{plural} {missing} {verb} not exist; the document has {total}."] if missing else []


def _of_range(start: int, end: int, total: int) -> list[int]:
    if start < 1:
        raise _no_page(f"page {start}", total)
    if end < start:
        raise ToolFailure(
            FailureCode.INVALID_RANGE,
            f"page_range ends at {end}, before its start {start}",
            remedy=f'Call it again with page_range {{"start": {max(1, end)}, "end": {start}}}',
        )
    return list(range(start, min(end, total) + 1))


def _no_page(what: str, total: int) -> ToolFailure:
    has = f"pages 1 to {total}" if total > 1 else "page 1 alone"
    return ToolFailure(
        FailureCode.PAGE_OUT_OF_RANGE,
        f"There is no {what}; the document has {has}",
        remedy=f"Ask for pages from 1 to {total}",
    )


def _next(
    document: Document, form: Format, left: Sequence[int], filled: Filled, *, max_tokens: int | None
) -> NextCall | None:
    """The call that returns the rest."""
    arguments: dict[str, Any] = {"document_id": document.id, "format": form}
    if max_tokens is not None:
        arguments["max_tokens"] = max_tokens
    if filled.rest_of_page is not None:
        arguments |= {"pages": [filled.pages[0], *left], "offset": filled.rest_of_page}
    elif not left:
        return None
    elif len(left) > 1 and list(left) == list(range(left[0], left[-1] + 1)):
        arguments["page_range"] = {"start": left[0], "end": left[-1]}
    else:
        arguments["pages"] = list(left)
    return NextCall(tool=PAGES, arguments=arguments)


def _truncation(filled: Filled, left: Sequence[int], asked: int, budget: int, next_call: NextCall | None) -> list[str]:
    if next_call is None:
        return []
    if filled.rest_of_page is not None:
        said = f"Page {filled.pages[0]} alone has more than {budget} tokens; its first part was returned."
    else:
        plural = "s" if len(filled.pages) > 1 else ""
        said = f"Page{plural} {page_ranges(list(filled.pages))} returned of {asked} requested."
    arguments = json.dumps(next_call.arguments, ensure_ascii=False)
    return [f"{said} Call {next_call.tool} again with {arguments} for the rest."]
