"""A brief of a document of a library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import Summariser

from ..brief.making import Brief, make_brief

if TYPE_CHECKING:
    from .document import Document


def brief_of(document: Document, *, summariser: Summariser | None = None) -> Brief:
    """The brief of the version that a document is bound to.

    Args:
        document: the document.
        summariser: writes summary and key points; None: they are quoted.

    Raises:
        UsageError: it has no content.
        LibraryDamaged: files of its version are missing or altered.
    """
    text = document.structured_text
    paged = [page.markdown for page in document.pages]
    return make_brief(
        text,
        paged if len(paged) == len(text.pages) else [document.markdown],
        metadata=document.result.metadata,
        document_type=document.result.document_type,
        summariser=summariser,
    )
