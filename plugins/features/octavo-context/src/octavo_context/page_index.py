"""Indexes by topic and page, for documents whose sections are sent on demand (CTX-3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from octavo_brief import Brief
from octavo_library.facade.document import Document

_LONGEST_TOPIC = 90
_MOST_ENTRIES = 200


@dataclass(frozen=True, kw_only=True)
class IndexEntry:
    """A topic and its location.

    Attributes:
        topic: a few words.
        page: page number, from 1.
        citation: the location in the citation style of the document type, such as '12:7' for page and line.
    """

    topic: str
    page: int
    citation: str


@dataclass(frozen=True, kw_only=True)
class PageIndex:
    """An index of a document.

    Attributes:
        subject: subject of the document, such as the witness; may be empty.
        entries: entries in page order.
        left_out: number of entries omitted.
    """

    subject: str
    entries: tuple[IndexEntry, ...]
    left_out: int = 0


IndexMaker = Callable[[Document], PageIndex | None]

_MAKERS: dict[str, IndexMaker] = {}
ALWAYS_TEXT = "deposition"
"""Document type with a built-in index: its layout carries no information (003 §3.3)."""


def register_index(document_type: str, maker: IndexMaker) -> None:
    """Register an index for a document type. Such documents are sent as text: the index first, sections on demand.

    Args:
        document_type: value of `Document.document_type`.
        maker: returns the index of a document, or None.
    """
    _MAKERS[document_type] = maker


def registered_index(document: Document, document_type: str) -> PageIndex | None:
    """The index of a document; None if no index is registered for its type."""
    maker = _MAKERS.get(document_type)
    return maker(document) if maker is not None else None


def is_indexed_type(document_type: str) -> bool:
    """Whether documents of a type are sent as text, preceded by an index."""
    return document_type == ALWAYS_TEXT or document_type in _MAKERS


def testimony_index(made: Brief) -> PageIndex | None:
    """The questions of a deposition by page and line; None for other documents.

    If there are too many questions, an evenly spaced selection is kept and `left_out` counts the others.
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
