"""The search provider `corpus`: passages of the library's own documents, within a scope (RES-4)."""

from __future__ import annotations

from dataclasses import dataclass

from octavo_retrieval import Scope
from octavo_text.words import query_words

MAX_HITS = 30
"""Passages that one sub-query gives."""
RRF = 60
"""Constant of reciprocal rank fusion."""


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A passage that a search found.

    Attributes:
        document_id: the document.
        version: the conversion version.
        locator: its place in the canonical text.
    """

    document_id: str
    version: int
    locator: str


def search_corpus(scope: Scope, query: str) -> tuple[list[Passage], int]:
    """Passages for a sub-query, best first, and the number of documents that could not be searched.

    Where vectors are installed the search compares meanings too. Documents that came in since the last search are indexed first.

    Raises:
        UsageError: the corpus of the scope does not exist any more.
        StorageError: the index cannot be read.
    """
    # The words alone: a minus sign or a quotation mark of a question is no operator.
    asked = " ".join(query_words(query)) or query
    found = scope.library.search(asked, corpus=scope.corpus, limit=MAX_HITS, seconds=None)
    hits = [Passage(document_id=hit.document_id, version=hit.version, locator=hit.locator) for hit in found]
    return hits, found.pending


def fuse(rankings: list[list[Passage]]) -> dict[Passage, float]:
    """Fuse rankings: each passage's sum of 1 / (60 + rank)."""
    scores: dict[Passage, float] = {}
    for ranking in rankings:
        for rank, passage in enumerate(ranking, start=1):
            scores[passage] = scores.get(passage, 0.0) + 1 / (RRF + rank)
    return scores
