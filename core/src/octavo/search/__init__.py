"""Full-text search over the chunks of a library's active versions (STO-7, RET-7).

    library.search('"tide gauge" harbour', corpus="surveys")

The index is a file of its own, derived from the library's artifacts: see `octavo.search.storage` for why, and
`octavo.search.query` for what a query may say.
"""

from __future__ import annotations

from .attached import tables_of
from .chunk_index import CATCH_UP_SECONDS, ChunkIndex
from .query import Query, parse
from .records import IndexingReport, SearchHit, SearchResults
from .scope import Scope

__all__ = [
    "CATCH_UP_SECONDS",
    "ChunkIndex",
    "IndexingReport",
    "Query",
    "Scope",
    "SearchHit",
    "SearchResults",
    "parse",
    "tables_of",
]
