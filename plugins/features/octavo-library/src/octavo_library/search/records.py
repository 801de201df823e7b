"""What a search gives. Frozen; no SQL."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from octavo_contracts import Span


class SearchMethod(StrEnum):
    """How an answer was found."""

    FTS = "fts"
    """By words alone."""
    HYBRID = "hybrid"
    """By words and by meaning, the two rankings fused."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchHit:
    """A chunk that answers a query.

    Attributes:
        document_id: the document.
        title: its title, or None.
        version: the conversion version that the offsets count in; the active one at the time of the search.
        chunk_id: the chunk in the version's chunk set.
        page: page from 1, or None for a document without pages.
        locator: `page:N:char:a-b` or `char:a-b`; `octavo_contracts.resolve_locator` gives the snippet again from the
            document's canonical text.
        snippet: the chunk, verbatim.
        score: higher is better; comparable within one search only. By words alone it is BM25; in a hybrid answer the sum of
            1 / (60 + rank) over the two rankings, as a share of the best sum: 1 for the first of both.
        markdown_span: the page's range in converted.md, for showing; None where it cannot be told.
        embedding_id: the chunk's entry in the vector index, or None where the answer was found without one (STO-15).
    """

    document_id: str
    title: str | None
    version: int
    chunk_id: str
    page: int | None
    locator: str
    snippet: str
    score: float
    markdown_span: Span | None
    embedding_id: str | None = None


class SearchResults(list[SearchHit]):
    """Hits, best first.

    Args:
        hits: the hits.
        pending: see below.
        method: see below.
        without_vectors: see below.
        reason: see below.

    Attributes:
        pending: documents in scope that could not be searched: not indexed yet, or their chunks cannot be read.
        method: whether meanings were compared as well as words.
        without_vectors: documents in scope that a hybrid search could compare by words alone, as their vectors are not
            made yet; 0 where the method is full text.
        reason: why meanings were not compared, as a sentence without a full stop; None in a hybrid answer.
    """

    def __init__(
        self,
        hits: Iterable[SearchHit] = (),
        *,
        pending: int = 0,
        method: SearchMethod = SearchMethod.FTS,
        without_vectors: int = 0,
        reason: str | None = None,
    ) -> None:
        super().__init__(hits)
        self.pending = pending
        self.method = method
        self.without_vectors = without_vectors
        self.reason = reason

    @property
    def complete(self) -> bool:
        """Whether every document in scope was searched."""
        return not self.pending


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexingReport:
    """What bringing the chunk index up to date did.

    Attributes:
        indexed: chunk sets added.
        removed: chunk sets taken out: of purged documents, and of versions that are no longer active.
        pending: chunk sets still to be added, because the time ran out.
        unreadable: document id → why its chunks cannot be read.
        embedded: chunks that got vectors.
        without_vectors: chunk sets that are indexed and have not all of their vectors yet.
        no_vectors: why no vectors are made, or None.
    """

    indexed: int
    removed: int
    pending: int
    unreadable: dict[str, str]
    embedded: int = 0
    without_vectors: int = 0
    no_vectors: str | None = None
