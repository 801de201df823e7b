"""Search over the chunks of a library's active versions: full text, and vectors if plugins provide them (STO-7, RET-7).

    library.search('"tide gauge" harbour', corpus="surveys")

The index is a separate file, derived from the library's artifacts: see `octavo_library.search.storage` for the reasons,
and `octavo_library.search.query` for the query syntax. For vectors see `octavo_library.search.vectors`.
"""

from __future__ import annotations

from octavo.plugins.vector_tools import VectorTools

from .chunk_index import ChunkIndex
from .chunk_search import CATCH_UP_SECONDS, ChunkSearch
from .library_tables import tables_of
from .query import Query, parse
from .records import IndexingReport, SearchHit, SearchMethod, SearchResults
from .scope import Scope

__all__ = [
    "CATCH_UP_SECONDS",
    "ChunkIndex",
    "ChunkSearch",
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
