"""Search over the chunks of a library's active versions: by words, and by meaning where plugins can (STO-7, RET-7).

    library.search('"tide gauge" harbour', corpus="surveys")

The index is a file of its own, derived from the library's artifacts: see `octavo_library.search.storage` for why, and
`octavo_library.search.query` for what a query may say. Vectors stand beside it: see `octavo_library.search.vectors`.
"""

from __future__ import annotations

from octavo.plugins.vector_tools import VectorTools

from .chunk_index import CATCH_UP_SECONDS, ChunkIndex
from .library_tables import tables_of
from .query import Query, parse
from .records import IndexingReport, SearchHit, SearchMethod, SearchResults
from .scope import Scope

__all__ = [
    "CATCH_UP_SECONDS",
    "ChunkIndex",
    "IndexingReport",
    "Query",
    "Scope",
    "SearchHit",
    "SearchMethod",
    "SearchResults",
    "VectorTools",
    "parse",
    "tables_of",
]
