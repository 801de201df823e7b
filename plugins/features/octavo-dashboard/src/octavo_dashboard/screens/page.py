"""A page of a document: its picture beside its text, with a place in the text marked."""

from __future__ import annotations

from typing import Literal

from octavo_contracts import UsageError
from octavo_library import Document
from pydantic import Field

from ..problems import NotFound
from ..recognition_work import recognise_opened
from ..screen import Reader, Screen, View
from .annotations import AnnotationView, annotations_of
from .opened import DocumentQuery, open_document, open_version
from .recognition import RecognitionView, recognition_of

PART = 200_000
"""Code points of a long page that are shown at once."""


class PageQuery(DocumentQuery):
    """A page of a document."""

    page: int = Field(ge=1, le=10_000_000, description="Page, from 1.")
    version: int | None = Field(default=None, ge=1, le=1_000_000, description="A version; by default the active one.")
    part: int = Field(default=1, ge=1, le=1_000_000, description="Part of a long page, from 1.")
    show: Literal["text", "formatted"] = Field(
        default="text", description="The canonical text, to which locators refer; or the markdown, formatted."
    )
    char: str | None = Field(
        default=None,
        pattern=r"^\d{1,12}-\d{1,12}$",
        description="Code points of this page to mark, as in a locator: `254-606`.",
    )


class PageView(View):
    """A page of a document."""

    document_id: str = Field(description="The document.")
    name: str = Field(description="The document's name.")
    version: int = Field(description="The version to which the offsets refer.")
    is_active: bool = Field(description="Whether this version is the active one.")
    page: int = Field(description="The page, from 1.")
    label: str | None = Field(description="Its label in the document, or null.")
    pages: int = Field(description="Number of pages.")
    part: int = Field(description="The part of a long page.")
    parts: int = Field(description="Number of its parts.")
    show: str = Field(description="`text` or `formatted`.")
    start: int = Field(description="Code point of the canonical text at which the shown text begins.")
    before: str = Field(description="Text before the marked place, or the whole text.")
    marked: str = Field(description="The marked text, or empty.")
    after: str = Field(description="Text after the marked place.")
    markdown: str = Field(description="The markdown of this page; empty for one that is shown in parts.")
    has_image: bool = Field(description="Whether the page has a picture.")
    annotations: list[AnnotationView] = Field(description="Annotations of this page, oldest first.")
    recognition: RecognitionView = Field(description="The state of text recognition of the document.")


def build(reader: Reader, query: PageQuery) -> PageView:
    """Show a page.

    Raises:
        NotFound: the asker has no such document, or it has no such page or part.
        LibraryDamaged: files of its version are missing or altered.
    """
    now, number = open_readable(reader, query.document_id), query.page
    recognise_opened(reader, now)
    document = now if query.version in (None, now.active_version) else _version(reader, query)
    pages = document.pages
    if number > len(pages):
        raise NotFound("page")
    page = pages[number - 1]
    anchors = {anchor.page: anchor for anchor in document.result.page_anchor_map.anchors()}
    begins = anchors[page.number].text_start if page.number in anchors else 0
    parts = max(1, -(-len(page.text) // PART))
    marked_from, marked_to = _span(query.char, len(page.text))
    part = query.part if "part" in query.model_fields_set or query.char is None else marked_from // PART + 1
    if part > parts:
        raise NotFound("part")
    start = (part - 1) * PART
    text = page.text[start : start + PART]
    first, last = (min(max(0, place - start), len(text)) for place in (marked_from, marked_to))
    return PageView(
        document_id=document.id,
        name=reader.library.catalogue.name_of(document),
        version=document.active_version or 0,
        is_active=document.active_version == now.active_version,
        page=page.number,
        label=page.label,
        pages=len(pages),
        part=part,
        parts=parts,
        show=query.show if query.char is None else "text",
        start=begins + start,
        before=text[:first],
        marked=text[first:last],
        after=text[last:],
        markdown=page.markdown if parts == 1 else "",
        has_image=document.original.has_page_images,
        annotations=[one for one in annotations_of(document) if one.page in (None, page.number)],
        recognition=recognition_of(reader, now),
    )


def _span(char: str | None, length: int) -> tuple[int, int]:
    """The marked range within the page; an empty range at its end if nothing of it is marked."""
    if char is None:
        return length, length
    first, last = map(int, char.split("-"))
    return (first, min(length, last)) if first < min(length, last) else (length, length)


def _version(reader: Reader, query: PageQuery) -> Document:
    try:
        return open_version(reader, query.document_id, query.version or 0)
    except UsageError:
        raise NotFound("version", remedy="Go back to the document, which lists its versions") from None


def open_readable(reader: Reader, document_id: str) -> Document:
    """The document of an id, if it has content.

    Raises:
        NotFound: the asker has no such document, or it has no content.
    """
    document = open_document(reader, document_id)
    if document.active_version is None:
        raise NotFound("page", remedy="The document has no content; its own page says why")
    return document


def page_picture(reader: Reader, document_id: str, number: int, *, dpi: float) -> bytes:
    """The picture of a page, as PNG.

    Raises:
        NotFound: the asker has no such document, or it has no such page.
        OctavoError: the page cannot be rendered, or the original is gone.
    """
    document = open_document(reader, document_id)
    if not document.original.has_page_images:
        raise NotFound("picture")
    return document.original.page_image(number, dpi=dpi).png


def page_markdown(reader: Reader, document_id: str, number: int) -> str:
    """The markdown of a page that is not too long to be formatted.

    Raises:
        NotFound: the asker has no such document or page.
        LibraryDamaged: files of its version are missing or altered.
    """
    pages = open_readable(reader, document_id).pages
    if not 1 <= number <= len(pages):
        raise NotFound("page")
    if len(pages[number - 1].text) > PART:
        raise NotFound("formatted page", remedy="The page is too long to be formatted; read its text")
    return pages[number - 1].markdown


SCREEN = Screen(
    path="/documents/{document_id}/pages/{page}",
    template="page.html",
    summary="Show a page of a document: its picture beside its text.",
    query=PageQuery,
    view=PageView,
    build=build,
)
