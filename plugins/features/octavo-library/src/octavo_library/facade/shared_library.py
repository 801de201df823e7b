"""What a library of several machines needs besides its parts: a lease for this process, and a cache that obeys purges."""

from __future__ import annotations

from contextlib import ExitStack

from ..ingestion.host_lease import HostLease
from ..storage import ArtifactStore, Index, document_id_for

_OVERLAP_SECONDS = 600.0
"""How far back each question reaches: the row of a purge has an older time than that at which its transaction is committed."""


class CachePurge:
    """Removes the copies of purged documents from the cache of this machine. Another machine may have purged them.

    Args:
        artifacts: the library's files.
        index: the library's index.
    """

    def __init__(self, artifacts: ArtifactStore, index: Index) -> None:
        self._artifacts = artifacts
        self._index = index
        self._asked_at: str | None = None
        self._seen: frozenset[str] = frozenset()

    def __call__(self) -> None:
        """Remove the copies of documents that were purged, themselves or a version, since the last call or ever."""
        now = self._index.later(-_OVERLAP_SECONDS)
        purges = self._index.purges.documents_since(self._asked_at)
        purged = {document_id for purge_id, document_id in purges.items() if purge_id not in self._seen}
        if purged:
            cached = {document_id_for(one): one for one in self._artifacts.store.cached_documents()}
            for document_id in purged.intersection(cached):
                self._artifacts.store.forget(cached[document_id])
        self._asked_at, self._seen = now, frozenset(purges)


def share(artifacts: ArtifactStore, index: Index, closing: ExitStack, *, lease_seconds: float) -> None:
    """Register this process in the index, if the files alone cannot tell which processes are alive.

    Args:
        artifacts: the library's files.
        index: the library's index.
        closing: ends the lease.
        lease_seconds: how long the process counts as alive without a sign.
    """
    if not artifacts.store.is_shared:
        return
    artifacts.store.use_cache_of(index.library_id())
    artifacts.store.ask_liveness(index.hosts.is_alive)
    purge = CachePurge(artifacts, index)
    purge()
    lease = HostLease(index, owner=artifacts.owner, seconds=lease_seconds, on_beat=purge)
    closing.callback(lease.close)
