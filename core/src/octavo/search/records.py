"""What a search gives. Frozen; no SQL."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from octavo_contracts import Span


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
        score: BM25, higher is better; comparable within one search only.
        markdown_span: the page's range in converted.md, for showing; None where it can not be told.
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


class SearchResults(list[SearchHit]):
    """Hits, best first.

    Args:
        hits: the hits.
        pending: see below.

    Attributes:
        pending: documents in scope that could not be searched: not indexed yet, or their chunks can not be read.
    """

    def __init__(self, hits: Iterable[SearchHit] = (), *, pending: int = 0) -> None:
        super().__init__(hits)
        self.pending = pending

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
        unreadable: document id → why its chunks can not be read.
    """

    indexed: int
    removed: int
    pending: int
    unreadable: dict[str, str]
