"""What a chunk index does for a library, wherever it is kept: in a file on this machine, or on the server of the index."""

from __future__ import annotations

from typing import Protocol

from .indexer import IndexTarget
from .records import IndexingReport, SearchResults
from .scope import Scope

CATCH_UP_SECONDS = 5.0
"""Maximum time that a search spends on updating the index before it answers; what remains is `pending`."""


class ChunkSearch(Protocol):
    """Search over the chunks of a library's active versions."""

    def search(
        self, text: str, scope: Scope, *, limit: int, seconds: float | None = CATCH_UP_SECONDS, vectors: bool = True
    ) -> SearchResults:
        """Update the index for the scope, then return the chunks that match a query best.

        Args:
            text: the query, see `octavo_library.search.query`.
            scope: what the user may see.
            limit: maximum number of hits.
            seconds: maximum time for the update; None for no limit.
            vectors: whether to use vectors too, if available.

        Raises:
            StorageError: the chunk index cannot be written, or the library's index is damaged.
        """

    def update(self, task: IndexTarget, *, seconds: float | None = None, vectors: bool = True) -> IndexingReport:
        """Update the index.

        Args:
            task: what the index should contain.
            seconds: stop after this time, between two batches; None for no limit.
            vectors: whether to make vectors too, if possible.

        Raises:
            StorageError: as `search`.
        """

    def embedding_ids(self, document_id: str) -> dict[str, str]:
        """Ids of a document's indexed chunks that have vectors → their entries in the vector index (STO-15).

        Raises:
            StorageError: as `search`.
        """

    def check_vectors(self) -> None:
        """Raise if vectors cannot be made or stored.

        Raises:
            ToolUnavailable: no installed plugin does so, or a plugin that should cannot.
        """

    def close(self) -> None:
        """Close what is open. The next search opens it again."""
