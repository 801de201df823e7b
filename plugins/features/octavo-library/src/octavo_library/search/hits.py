"""Hits from rows of the chunk index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from octavo_contracts import Locator, Span

from .records import SearchHit


def hit_of(row: Sequence[Any], text: str, score: float, *, embedding_id: str | None) -> SearchHit:
    """Return a hit.

    Args:
        row: document, title, version, chunk, page, start of the page, and start and end of the chunk in the canonical text and
            in the markdown.
        text: of the chunk.
        score: see `SearchHit`.
        embedding_id: see `SearchHit`.
    """
    document_id, title, version, chunk_id, page, page_start, start, end, shown_from, shown_to = row
    return SearchHit(
        document_id=document_id,
        title=title,
        version=version,
        chunk_id=chunk_id,
        page=page,
        locator=str(Locator(page=page, start=start - page_start, end=end - page_start)),
        snippet=text,
        score=score,
        markdown_span=None if shown_from is None else Span(start=shown_from, end=shown_to),
        embedding_id=embedding_id,
    )
