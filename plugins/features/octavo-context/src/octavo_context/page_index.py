"""Indexes by topic and page, for documents of which a model is given sections on demand (CTX-3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from octavo_brief import Brief
from octavo_library.facade.document import Document

_LONGEST_TOPIC = 90
_MOST_ENTRIES = 200


@dataclass(frozen=True, kw_only=True)
class IndexEntry:
    """A topic and where it stands.

    Attributes:
        topic: a few words.
        page: from 1.
        citation: the place as readers of such documents cite it, such as '12:7'.
    """

    topic: str
    page: int
    citation: str


@dataclass(frozen=True, kw_only=True)
class PageIndex:
    """An index of a document.

    Attributes:
        subject: what or whom it is about, such as the witness; may be empty.
        entries: by page.
        left_out: entries that did not find room.
    """

    subject: str
    entries: tuple[IndexEntry, ...]
    left_out: int = 0


IndexMaker = Callable[[Document], PageIndex | None]

_MAKERS: dict[str, IndexMaker] = {}
ALWAYS_TEXT = "deposition"
"""The type of document that has an index by itself: nothing is lost with its layout (003 §3.3)."""


def register_index(document_type: str, maker: IndexMaker) -> None:
    """Register the index of a type of document: such documents are sent as text, the index first, sections on demand.

    Args:
        document_type: as `Document.document_type`.
        maker: gives the index of a document; None where it has none.
    """
    _MAKERS[document_type] = maker


def registered_index(document: Document, document_type: str) -> PageIndex | None:
    """The index of a document whose type has a registered one; None for the others."""
    maker = _MAKERS.get(document_type)
    return maker(document) if maker is not None else None


def is_indexed_type(document_type: str) -> bool:
    """Whether documents of a type are sent as text, with an index first."""
    return document_type == ALWAYS_TEXT or document_type in _MAKERS


def testimony_index(made: Brief) -> PageIndex | None:
    """The questions of a deposition by page and line; None for other documents.

    Of more questions than there is room for, those at equal distances are taken, and it is said how many are left out.
    """
    if made.testimony is None:
        return None
    questions = made.testimony.exchanges
    step = max(1, -(-len(questions) // _MOST_ENTRIES))
    entries = tuple(
        IndexEntry(topic=_short(one.question.value), page=one.page, citation=one.citation) for one in questions[::step]
    )
    witness = made.testimony.witness
    return PageIndex(
        subject=witness.value if witness is not None else "", entries=entries, left_out=len(questions) - len(entries)
    )


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST_TOPIC else words[: _LONGEST_TOPIC - 1].rstrip() + "…"
