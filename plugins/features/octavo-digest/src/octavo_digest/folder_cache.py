"""A cache of digests in a folder, which outlives the process (DIG-19)."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from octavo_contracts import DigestPayload, StorageError
from octavo_sandbox.filesystem.durable import make_folder, storage_errors
from octavo_sandbox.filesystem.folder_handle import FolderHandle
from pydantic import ValidationError

from .cache import MAX_ENTRIES, CacheEntry, CacheKey, DigestCache

_log = logging.getLogger("octavo.digest")

FORMAT = 1
"""Format of an entry; files of another one are no hits, and are dropped like old ones."""
MAX_FILES = 1_000
_NAME = re.compile(r"[0-9a-f]{64}\.digest\.json")
_MOST_BYTES = 1 << 20


class FolderCache(DigestCache):
    """Keeps entries in memory, and in files of which the oldest half is removed when there are too many. Thread-safe.

    A file holds its whole key, with the version of the implementation: an entry that another version, other settings or another
    text made is no hit. The folder holds quotations of documents. It belongs to the host, and no purge of a library empties it.

    Args:
        folder: the folder, created at the first write.
        max_entries: entries in memory.
        max_files: files in the folder. Only files with names of entries are counted and removed.
    """

    def __init__(
        self, folder: str | os.PathLike[str], *, max_entries: int = MAX_ENTRIES, max_files: int = MAX_FILES
    ) -> None:
        super().__init__(max_entries=max_entries)
        self.folder = Path(folder).expanduser()
        self._max_files = max_files

    def get(self, key: CacheKey) -> CacheEntry | None:
        """Return the entry of a key, from memory or from its file; an unreadable file is no hit."""
        known = super().get(key)
        if known is not None:
            return known
        entry = self._read(key)
        if entry is not None:
            super().put(entry)
        return entry

    def put(self, entry: CacheEntry) -> None:
        """Store an entry in memory and in a file; a file that cannot be written is logged as a warning."""
        super().put(entry)
        data = json.dumps(
            {
                "format": FORMAT,
                "key": asdict(entry.key),
                "payload": json.loads(entry.payload.to_json()),
                "method": entry.method,
                "warnings": entry.warnings,
            }
        ).encode()
        if len(data) > _MOST_BYTES:
            return
        try:
            with storage_errors(self.folder, doing="caching a digest"):
                self._write(entry.key, data)
        except StorageError as error:  # the digest itself was made
            _log.warning("a digest was not cached: %s", error)
        self._drop_oldest()

    def clear(self) -> None:
        """Remove all entries, and their files."""
        super().clear()
        for path in self._files():
            with suppress(OSError):
                path.unlink()

    def _write(self, key: CacheKey, data: bytes) -> None:
        make_folder(self.folder)
        with FolderHandle.open(self.folder) as folder, folder.staged(data) as staged:
            if not folder.publish(staged, _name(key)) and self._read(key) is None:  # the file that is there is damaged
                with suppress(FileNotFoundError):
                    (self.folder / _name(key)).unlink()
                folder.publish(staged, _name(key))

    def _read(self, key: CacheKey) -> CacheEntry | None:
        path = self.folder / _name(key)
        try:
            with path.open("rb") as stream:
                data = stream.read(_MOST_BYTES + 1)
            kept = json.loads(data) if len(data) <= _MOST_BYTES else {}
            if kept.get("format") != FORMAT or CacheKey(**kept["key"]) != key:
                return None
            payload = DigestPayload.read(json.dumps(kept["payload"]))
            return CacheEntry(key=key, payload=payload, method=str(kept["method"]), warnings=tuple(kept["warnings"]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, ValidationError):
            return None

    def _files(self) -> list[Path]:
        try:
            return [path for path in self.folder.iterdir() if _NAME.fullmatch(path.name)]
        except OSError:
            return []

    def _drop_oldest(self) -> None:
        files = self._files()
        if len(files) <= self._max_files:
            return
        ages = []
        for path in files:
            with suppress(OSError):  # another process removed it
                ages.append((path.lstat().st_mtime_ns, path))
        for _, path in sorted(ages)[: max(1, len(ages) // 2)]:
            with suppress(OSError):
                path.unlink()


def _name(key: CacheKey) -> str:
    text = "\n".join(str(value) for value in asdict(key).values())
    return f"{hashlib.sha256(text.encode()).hexdigest()}.digest.json"
