"""The cache of digests (DIG-19, R-3)."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from octavo_contracts import DigestPayload

MAX_ENTRIES = 100
DIGEST_IMPL_VERSION = "1.1"
"""Raised when the same input would give another payload."""


@dataclass(frozen=True, kw_only=True)
class CacheKey:
    """Everything a payload depends on. Hashes are whole, 64 hex digits.

    Attributes:
        source_id: of the source.
        content_hash: of the canonical text.
        query_hash: of the query.
        config_hash: of what changes the output.
        version: of the implementation.
        structure_hash: of the pages and blocks of the text, which decide where it is cut and what locators count from.
    """

    source_id: str
    content_hash: str
    query_hash: str
    config_hash: str
    version: str = DIGEST_IMPL_VERSION
    structure_hash: str = ""

    def __str__(self) -> str:
        return (
            f"digest:{self.version}:{self.source_id}:{self.content_hash[:16]}:{self.query_hash[:8]}"
            f":{self.config_hash[:8]}"
        )


@dataclass(frozen=True, kw_only=True)
class CacheEntry:
    """A payload with the whole hashes it was made for, and how it was made.

    Whether the source is archived is not among it: an archive is swept, and is not that of every sharer of the cache.

    Attributes:
        key: what it was made for.
        payload: the digest.
        method: 'extractive', or the model.
        warnings: what was said of the payload when it was made.
    """

    key: CacheKey
    payload: DigestPayload
    method: str
    warnings: tuple[str, ...] = ()


class DigestCache:
    """At most 100 entries in memory; when a new one would be too many, the oldest half goes. Safe between threads."""

    def __init__(self, *, max_entries: int = MAX_ENTRIES) -> None:
        self._max_entries = max_entries
        self._lock = threading.Lock()
        self._entries: dict[str, CacheEntry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: CacheKey) -> CacheEntry | None:
        """The entry of a key. One whose whole hashes differ only shares the short key, and is no hit."""
        with self._lock:
            entry = self._entries.get(_place(key))
        return entry if entry is not None and entry.key == key else None

    def put(self, entry: CacheEntry) -> None:
        """Keep an entry; the youngest of a short key wins."""
        with self._lock:
            self._entries.pop(_place(entry.key), None)
            if len(self._entries) >= self._max_entries:
                for short in list(self._entries)[: max(1, self._max_entries // 2)]:
                    del self._entries[short]
            self._entries[_place(entry.key)] = entry

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()


def _place(key: CacheKey) -> str:
    return f"{key}:{key.structure_hash[:8]}"
