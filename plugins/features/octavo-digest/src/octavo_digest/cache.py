"""The cache of digests (DIG-19, R-3)."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from octavo_contracts import DigestPayload

MAX_ENTRIES = 100
DIGEST_IMPL_VERSION = "1.1"
"""Version of the implementation; increase it when the same input gives another payload."""


@dataclass(frozen=True, kw_only=True)
class CacheKey:
    """Everything that a payload depends on. Hashes are full, 64 hex digits.

    Attributes:
        source_id: id of the source.
        content_hash: hash of the canonical text.
        query_hash: hash of the query.
        config_hash: hash of the settings that change the output.
        version: version of the implementation.
        structure_hash: hash of the pages and blocks of the text, which determine chunk boundaries and locators.
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
    """A payload with its full key and how it was made.

    It does not record whether the source is archived: archives are swept, and sharers of a cache may use different ones.

    Attributes:
        key: the key of the payload.
        payload: the digest.
        method: 'extractive', or the model.
        warnings: warnings from when the payload was made.
    """

    key: CacheKey
    payload: DigestPayload
    method: str
    warnings: tuple[str, ...] = ()


class DigestCache:
    """In-memory cache of at most 100 entries; when it is full, the oldest half is dropped. Thread-safe."""

    def __init__(self, *, max_entries: int = MAX_ENTRIES) -> None:
        self._max_entries = max_entries
        self._lock = threading.Lock()
        self._entries: dict[str, CacheEntry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: CacheKey) -> CacheEntry | None:
        """Return the entry of a key. An entry with the same short key but other full hashes is not a hit."""
        with self._lock:
            entry = self._entries.get(_place(key))
        return entry if entry is not None and entry.key == key else None

    def put(self, entry: CacheEntry) -> None:
        """Store an entry; it replaces an entry with the same short key."""
        with self._lock:
            self._entries.pop(_place(entry.key), None)
            if len(self._entries) >= self._max_entries:
                for short in list(self._entries)[: max(1, self._max_entries // 2)]:
                    del self._entries[short]
            self._entries[_place(entry.key)] = entry

    def clear(self) -> None:
        """Remove all entries."""
        with self._lock:
            self._entries.clear()


def _place(key: CacheKey) -> str:
    return f"{key}:{key.structure_hash[:8]}"
