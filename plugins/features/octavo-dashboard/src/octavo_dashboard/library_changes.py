"""Endpoints that remove documents, recognise their pages, and keep their annotations."""

from __future__ import annotations

import re
from functools import partial
from typing import Literal, cast

from octavo.settings.ocr import OcrOptions
from octavo_contracts import Span
from octavo_library import Document
from octavo_library.storage import PAGE_MARK_KINDS, AnnotationKind, PageMarkKind
from octavo_library.text.page_list import page_list
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from .access import Grant
from .background_work import Task
from .change_requests import ChangeRequests, changed, field_number, field_text, started, unconfirmed
from .document_changes import MOST_NOTE
from .problems import NotFound, Refused
from .recognition_work import start_recognition
from .screen import read_query
from .screens.opened import ID_PATTERN, DocumentQuery, open_document

MOST_DOCUMENTS = 200
"""Documents of a selection."""
MOST_PAGES = 10_000
_PREVIEW = "the preview of the deletion"
_KINDS = ("bookmark", "highlight", "note")


class AnnotationQuery(DocumentQuery):
    """An annotation of a document."""

    annotation_id: str = Field(pattern=r"^[0-9a-f]{32}$", description="Id of the annotation.")


class AnnotationChange(BaseModel):
    """An annotation that was made, changed or removed."""

    document_id: str = Field(description="The document.")
    annotation_id: str = Field(description="The annotation.")
    state: Literal["added", "changed", "removed"] = Field(description="What happened.")


class PagesMarked(BaseModel):
    """Pages whose marks were changed."""

    document_id: str = Field(description="The document.")
    pages: list[int] = Field(description="The pages.")
    kind: Literal["needs_ocr", "visually_important"] = Field(description="The kind of the marks.")
    state: Literal["marked", "cleared"] = Field(description="What happened.")


class Deleted(BaseModel):
    """A document that was removed."""

    document_id: str = Field(description="The document.")
    corpus: str | None = Field(description="The corpus that it left; null: it was removed from the library.")
    bytes: int = Field(description="Size of the removed files.")


class LibraryChanges:
    """The endpoints.

    Args:
        requests: reads the requests.
    """

    def __init__(self, requests: ChangeRequests) -> None:
        self._requests = requests
        self._library = requests.library
        self._work = requests.work

    async def delete(self, request: Request) -> Response:
        """Remove a document: from the library for its owner, from its corpus for a corpus. The confirmation is that of the preview."""
        grant, form = await self._requests.form(request)
        document = await run_in_threadpool(self._requests.document, request, grant)
        confirm = form.get("confirm", "")
        if grant.corpus is not None:
            if confirm != document.id:
                raise unconfirmed(open_again=_PREVIEW)
            await run_in_threadpool(self._library.corpora.remove_document, document, grant.corpus)
            view = Deleted(document_id=document.id, corpus=grant.corpus, bytes=0)
        else:
            if not re.fullmatch(r"[0-9a-f]{32}", confirm):
                raise unconfirmed(open_again=_PREVIEW)
            done = await run_in_threadpool(partial(self._library.maintenance.purge, document, confirm=confirm))
            view = Deleted(document_id=document.id, corpus=None, bytes=done.bytes)
        self._requests.counts.forget()
        return changed(request, "/documents", view)

    async def recognise(self, request: Request) -> Response:
        """Recognise pages of a document: those of the field `pages`, such as 3-5,8, or all that need it (UI-7)."""
        grant, form = await self._requests.form(request)
        document = await run_in_threadpool(self._requests.document, request, grant)
        pages = page_numbers(form.get("pages", ""))
        if pages is None and form.get("page"):
            pages = (field_number(form, "page"),)
        return started(request, [self._recognition(document, grant, pages, again=pages is not None)])

    async def mark(self, request: Request) -> Response:
        """Mark pages as needing recognition, which starts at once, or as visually important (CNV-3)."""
        grant, form = await self._requests.form(request)
        document = await run_in_threadpool(self._requests.document, request, grant)
        pages, kind = page_numbers(form.get("pages", "")), form.get("kind", "")
        if pages is None or kind not in PAGE_MARK_KINDS:
            raise Refused(400, f"Give pages, and a kind: {', '.join(PAGE_MARK_KINDS)}", reason="invalid_request")
        is_removal = bool(form.get("remove"))
        marked: PageMarkKind = "needs_ocr" if kind == "needs_ocr" else "visually_important"
        if is_removal:
            await run_in_threadpool(document.page_marks.remove, pages, marked)
        else:
            by = field_text(form, "by", most=100) or "user"
            await run_in_threadpool(partial(document.page_marks.add, pages, marked, by=by))
            if kind == "needs_ocr" and document.original.has_page_images:
                # The user rejects the text of these pages: it may be longer than the recognised one.
                options = OcrOptions(pages=pages)
                start_recognition(self._library, self._work, document, grant, options, activate=True)
        view = PagesMarked(
            document_id=document.id, pages=list(pages), kind=marked, state="cleared" if is_removal else "marked"
        )
        return changed(request, f"/documents/{document.id}", view)

    async def recognise_selected(self, request: Request) -> Response:
        """Recognise the pages that need it, of each selected document (UI-7)."""
        grant, form = await self._requests.form(request)
        ids = [name.removeprefix("document-") for name in form if name.startswith("document-")]
        if not ids:
            raise Refused(400, "No document is selected", reason="invalid_request", remedy="Select some documents")
        if len(ids) > MOST_DOCUMENTS or not all(re.fullmatch(ID_PATTERN, one) for one in ids):
            raise Refused(400, "The selection is invalid", reason="invalid_request")
        reader = self._requests.reader(grant)
        documents = [await run_in_threadpool(open_document, reader, one) for one in ids]
        return started(request, [self._recognition(one, grant, None, again=False) for one in documents])

    async def annotate(self, request: Request) -> Response:
        """Add a bookmark, a highlight or a note; `char` is a range within the page, as in a locator."""
        grant, form = await self._requests.form(request)
        document = await run_in_threadpool(self._requests.document, request, grant)
        kind, text = form.get("kind", "note"), field_text(form, "text", most=10 * MOST_NOTE)
        if kind not in _KINDS:
            raise Refused(400, f"kind is one of {', '.join(_KINDS)}", reason="invalid_request")
        page = field_number(form, "page") if form.get("page") else None
        span = await run_in_threadpool(_span, document, page, form.get("char", ""))
        add = partial(
            document.annotations.add,
            cast(AnnotationKind, kind),
            text=text,
            span=span,
            page=page if span is None else None,
            by=field_text(form, "by", most=100) or "user",
        )
        made = await run_in_threadpool(add)
        place = f"/documents/{document.id}" + (f"/pages/{page}" if page is not None else "")
        return changed(request, place, AnnotationChange(document_id=document.id, annotation_id=made.id, state="added"))

    async def change_annotation(self, request: Request) -> Response:
        """Replace the text of an annotation, or remove it with the field `remove`."""
        grant, form = await self._requests.form(request)
        query = read_query(AnnotationQuery, request)
        document = await run_in_threadpool(open_document, self._requests.reader(grant), query.document_id)
        is_removal = bool(form.get("remove"))
        known = {one.id for one in await run_in_threadpool(lambda: list(document.annotations))}
        if query.annotation_id not in known:
            raise NotFound("annotation")
        if is_removal:
            await run_in_threadpool(document.annotations.remove, query.annotation_id)
        else:
            text = field_text(form, "text", most=10 * MOST_NOTE)
            await run_in_threadpool(partial(document.annotations.update, query.annotation_id, text=text))
        view = AnnotationChange(
            document_id=document.id, annotation_id=query.annotation_id, state="removed" if is_removal else "changed"
        )
        return changed(request, f"/documents/{document.id}#annotations", view)

    def _recognition(self, document: Document, grant: Grant, pages: tuple[int, ...] | None, *, again: bool) -> Task:
        return start_recognition(self._library, self._work, document, grant, OcrOptions(pages=pages, again=again))


def page_numbers(text: str) -> tuple[int, ...] | None:
    """Page numbers such as 3-5,8, ascending, each once; None for an empty text.

    Raises:
        Refused: it is no such list, or it names too many pages.
    """
    listed = ",".join(filter(None, text.replace(" ", "").split(",")))
    if not listed:
        return None
    numbers = page_list(listed, most=MOST_PAGES)
    if numbers is None:
        raise Refused(400, "The list of pages is invalid", reason="invalid_request", remedy="Write it as 3-5,8")
    return numbers


def _span(document: Document, page: int | None, char: str) -> Span | None:
    """A range within a page as a span of the canonical text; None without a range."""
    if not char:
        return None
    found = re.fullmatch(r"(\d{1,12})-(\d{1,12})", char)
    if found is None or int(found[1]) >= int(found[2]):
        raise Refused(400, "The selected range is invalid", reason="invalid_request", remedy="Select some text")
    starts = {anchor.page: anchor.text_start for anchor in document.result.page_anchor_map.anchors()}
    begins = starts.get(page or 1, 0)
    return Span(start=begins + int(found[1]), end=begins + int(found[2]))
