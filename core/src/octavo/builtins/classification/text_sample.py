"""Evidence from a cheap look at a document: a second reading against which a conversion is scored (QLT-3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from octavo_contracts import DocumentClassification, PageSight

from .document_types import TypeVerdict

SEEN_CHARS = 3000
"""Maximum number of characters kept of a page's text."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """A classification, with the evidence that was collected.

    Attributes:
        classification: the classification.
        sights: samples of a few pages, in order; none for images and audio.
        kind: the verdict on the document type; None if there was no text.
    """

    classification: DocumentClassification
    sights: tuple[PageSight, ...] = ()
    kind: TypeVerdict | None = None


def sight_of_text(text: str, *, page: int = 1, **seen: Any) -> PageSight:
    """Build a sample with the beginning of a text; lone surrogates are removed.

    Args:
        text: text of the page or document.
        page: from 1.
        seen: other fields of `PageSight`.
    """
    return PageSight(page=page, text=text[:SEEN_CHARS].encode("utf-8", "ignore").decode("utf-8"), **seen)
