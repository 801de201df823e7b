"""Documents of a library in notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo.conversion.ocr import page_thumbnail
from octavo.conversion.rich_display import html_display
from octavo_contracts import OctavoError

if TYPE_CHECKING:
    from .document import Document


def document_html(document: Document) -> str:
    """Build the HTML fragment of a document; without a picture where its original cannot be found or rendered."""
    markdown = document.markdown if document.active_version is not None else ""
    title = document.title or document.id
    return html_display(document.result, markdown, title=title, page_image=_first_page(document))


def _first_page(document: Document) -> bytes | None:
    runtime = document.context.runtime
    try:
        with document.original.open() as source:
            return page_thumbnail(
                runtime, source, media_type=document.media_type, password=runtime.settings.password_for(None)
            )
    except OctavoError:
        return None  # the original was moved or changed; the texts are in the library
