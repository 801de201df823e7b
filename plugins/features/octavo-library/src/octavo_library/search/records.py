"""Results of searches and of index updates. Frozen; no SQL."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from octavo_contracts import Span


class SearchMethod(StrEnum):
    """The method of a search."""

    FTS = "fts"
    """Full text only."""
    HYBRID = "hybrid"
    """Full text and vectors, with the two rankings fused."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchHit:
    """A chunk that matches a query.

    Attributes:
        document_id: the document.
        title: its title, or None.
        version: the conversion version that the offsets refer to; the active one at the time of the search.
        chunk_id: the chunk in the version's chunk set.
        page: page from 1, or None for a document without pages.
        locator: `page:N:char:a-b` or `char:a-b`; `octavo_contracts.resolve_locator` returns the snippet from the
            document's canonical text.
        snippet: the chunk, verbatim.
        score: higher is better; comparable within one search only. With full text it is BM25; in a hybrid search it is
            the sum of 1 / (60 + rank) over the two rankings, divided by the highest possible sum: 1 for the first of
            both.
        markdown_span: the chunk's range in converted.md, for display; None if unknown.
        embedding_id: the chunk's entry in the vector index, or None if it has none (STO-15).
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
        pending: number of documents in scope that were not searched: not indexed yet, or with unreadable chunks.
        method: whether vectors were used as well as full text.
        without_vectors: number of documents in scope that a hybrid search covered by full text only, because their
            vectors are not made yet; 0 for a full-text search.
        reason: why vectors were not used, as a sentence without a full stop; None for a hybrid search.
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
    """The result of an update of the chunk index.

    Attributes:
        indexed: number of chunk sets added.
        removed: number of chunk sets removed: of purged documents, and of versions that are no longer active.
        pending: number of chunk sets still to be added because the time ran out.
        unreadable: document id → why its chunks cannot be read.
        embedded: number of chunks that got vectors.
        without_vectors: number of indexed chunk sets without all of their vectors.
        no_vectors: why no vectors are made, or None.
    """

    indexed: int
    removed: int
    pending: int
    unreadable: dict[str, str]
    embedded: int = 0
    without_vectors: int = 0
    no_vectors: str | None = None
