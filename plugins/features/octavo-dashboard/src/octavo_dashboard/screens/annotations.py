"""Bookmarks, highlights and notes of a document (STO-17), on its page and on the pages that they are about."""

from __future__ import annotations

from octavo_contracts import OctavoError
from octavo_library import Document
from octavo_library.facade.document_annotations import Annotation
from pydantic import Field

from ..screen import View


class AnnotationView(View):
    """An annotation."""

    id: str = Field(description="Its id.")
    kind: str = Field(description="`bookmark`, `highlight` or `note`.")
    text: str = Field(description="What the user wrote.")
    quote: str | None = Field(description="The annotated text, or null.")
    page: int | None = Field(description="The page, from 1, or null for the whole document.")
    made_by: str = Field(description="The user.")
    created_at: str = Field(description="When it was made, UTC.")
    is_lost: bool = Field(description="Whether its quotation is not in this version.")
    url: str = Field(description="The page with the place marked, or the document.")


def annotations_of(document: Document) -> list[AnnotationView]:
    """The annotations of a document, oldest first; none of a document without content, or that cannot be read."""
    if document.active_version is None:
        return []
    try:
        found = tuple(iter(document.annotations))  # `list` would ask for the length first, and so read them twice
        starts = (
            {anchor.page: anchor.text_start for anchor in document.result.page_anchor_map.anchors()} if found else {}
        )
    except OctavoError:  # its page says why it cannot be read
        return []
    return [_view(document, one, starts) for one in found]


def _view(document: Document, one: Annotation, starts: dict[int, int]) -> AnnotationView:
    url = f"/documents/{document.id}"
    if one.page is not None or one.span is not None:
        page = one.page or 1
        url += f"/pages/{page}"
        if one.span is not None:
            first = starts.get(page, 0)
            url += f"?char={max(0, one.span.start - first)}-{max(0, one.span.end - first)}#marked"
    return AnnotationView(
        id=one.id,
        kind=one.kind,
        text=one.text,
        quote=one.quote,
        page=one.page,
        made_by=one.made_by,
        created_at=one.created_at,
        is_lost=one.is_lost,
        url=url,
    )
