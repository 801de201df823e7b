"""What a cheap look at a document leaves for later: a second reading to hold a conversion against (QLT-3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from octavo_contracts import DocumentClassification, PageSight

from .document_types import TypeVerdict

SEEN_CHARS = 3000
"""Characters of a page's text that are kept."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """A verdict, and what was seen on the way to it.

    Attributes:
        classification: what the document is.
        sights: of a few pages, in their order; none for images and sound.
        kind: the verdict on its type; None where there was no text to look at.
    """

    classification: DocumentClassification
    sights: tuple[PageSight, ...] = ()
    kind: TypeVerdict | None = None


def sight_of_text(text: str, *, page: int = 1, **seen: Any) -> PageSight:
    """A sight with the beginning of a text; what is no Unicode text, as a half of a pair, goes.

    Args:
        text: of the page, or of the document.
        page: from 1.
        seen: other fields of `PageSight`.
    """
    return PageSight(page=page, text=text[:SEEN_CHARS].encode("utf-8", "ignore").decode("utf-8"), **seen)
