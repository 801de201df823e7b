"""Summaries of documents and pages, the first part of Tier 2 and Tier 3 (003 §3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from octavo_brief import Brief, brief
from octavo_contracts import ConversionTimeout
from octavo_library.facade.document import Document

from .page_index import PageIndex, testimony_index

_MOST_POINTS = 6
_MOST_NAMED = 12


@dataclass(frozen=True, kw_only=True)
class DocumentSummary:
    """Summary of a document and its pages.

    Attributes:
        text: a structured summary as markdown, without headings.
        pages: page number, from 1 → one sentence.
        index: topics with their pages (CTX-3); None if the document type has no index.
    """

    text: str
    pages: dict[int, str]
    index: PageIndex | None = None


class SummarySource(Protocol):
    """Callable that returns the summary of a document, or None if there is none yet (CTX-14)."""

    def __call__(self, document: Document, /) -> DocumentSummary | None:
        """The summary of the document's bound version."""
        ...


def brief_summary(document: Document) -> DocumentSummary | None:
    """Extractive summary by `octavo_brief`, without a model. It may be empty for tables and lists.

    Args:
        document: a document with text.

    Returns:
        The summary; None if the brief exceeds the document's time limit.
    """
    try:
        made = brief(document)
    except ConversionTimeout:
        return None
    pages = {one.page: one.value for one in made.page_summaries if one.page is not None}
    return DocumentSummary(text=_text(made), pages=pages, index=testimony_index(made))


def _text(made: Brief) -> str:
    lines = [made.summary.text] if made.summary.text else []
    points = [f"- {one.value} (page {one.page})" for one in made.key_points[:_MOST_POINTS]]
    lines += ["", *points] if points else []
    named = {
        "Author": [made.facts.author.value] if made.facts.author else [],
        "Date": [made.facts.date.value] if made.facts.date else [],
        "Parties": [one.value for one in made.parties],
        "Dates": [one.value for one in made.dates],
        "Amounts": [one.value for one in made.amounts],
        "Case numbers": [one.value for one in made.case_numbers],
        "Legal standards": [one.value for one in made.legal_standards],
    }
    facts = [f"{name}: {'; '.join(dict.fromkeys(values[:_MOST_NAMED]))}" for name, values in named.items() if values]
    lines += ["", *facts] if facts else []
    return "\n".join(lines).strip()
