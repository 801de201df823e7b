"""Reads the files of a library in an object store; see `object_store` for how they are stored."""

from __future__ import annotations

import errno
import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path

from octavo_sandbox.filesystem import durable

from ..files import layout
from ..files.file_store import FileFacts
from ..files.layout import DOCUMENT, IN_VERSION, ORIGINAL, VERSION
from .object_cache import ObjectCache
from .object_client import ObjectClient
from .version_pack import SUFFIX, VersionPack

_FRESH_SECONDS = 2.0
"""How long the object that was read last answers for its other files, when a check reads them one by one."""


class ObjectReader:
    """A library's files below a prefix of a bucket, for reading; see `FileReader`.

    Args:
        client: sends the requests.
        workspace: a folder on this machine for what is derived from the library: the chunk index, logs, the cache.
        cache_bytes: limit of the read cache.
    """

    def __init__(self, client: ObjectClient, *, workspace: Path, cache_bytes: int) -> None:
        self._client = client
        self._root = workspace
        self._cache = ObjectCache(workspace / "cache", limit=cache_bytes)
        self._recent: OrderedDict[str, FileFacts] = OrderedDict()
        self._fresh = threading.local()

    @property
    def root(self) -> Path:
        """See `FileStore`: the workspace."""
        return self._root

    @property
    def place(self) -> str:
        """See `FileStore`."""
        return self._client.url

    @property
    def cache(self) -> ObjectCache:
        """The read cache on this machine."""
        return self._cache

    def read(self, name: str) -> bytes:
        """See `FileStore`. Versions and originals, which never change, come from the cache if it has them."""
        if (found := IN_VERSION.fullmatch(name)) is not None:
            return self._pack(found[1], found[2]).read(found[3])
        if (found := ORIGINAL.fullmatch(name)) is not None:
            return self._cached(found[1], name, f"original{found[2]}")
        return self._client.get(key_of(name))

    def facts(self, name: str) -> FileFacts | None:
        """See `FileStore`; never answered from the cache."""
        found = IN_VERSION.fullmatch(name)
        if found is None:
            return self._client.head(key_of(name))
        pack = pack_key(found[1], found[2])
        if found[3] == layout.VERSION_FILE:
            return self._recent.get(pack) or self._client.head(pack)
        try:
            size = self._stored_pack(pack).sizes.get(found[3])
        except FileNotFoundError:
            return None
        return FileFacts(size=size, stored_at=0.0) if size is not None else None

    def digest(self, name: str) -> str:
        """See `FileStore`."""
        found = IN_VERSION.fullmatch(name)
        data = (
            self._stored_pack(pack_key(found[1], found[2])).read(found[3]) if found else self._client.get(key_of(name))
        )
        return hashlib.sha256(data).hexdigest()

    def local_path(self, name: str) -> Path:
        """See `FileStore`: a copy in the cache, compared with its hash; an altered one is read from the store again."""
        found = DOCUMENT.fullmatch(name) or ORIGINAL.fullmatch(name)
        document = found[1] if found else "other"
        part = f"original{found[2]}" if found and found.re is ORIGINAL else name.replace("/", "_")
        cached = self._cache.path(document, part)
        if cached is not None and found and found.re is ORIGINAL and _has_digest(cached, document):
            return cached
        self._cache.drop(document, part)
        try:
            data = self.read(name)
        except FileNotFoundError:
            return self._root / "cache" / "missing"
        kept = self._cache.path(document, part) or self._cache.put(document, part, data)
        if kept is None:
            with durable.storage_errors(self._root, doing="copying an object to this machine"):
                raise OSError(errno.ENOSPC, "the cache cannot be written")
        return kept

    def shown(self, name: str) -> str:
        """See `FileStore`: the key of the object; a file in the archive of a version follows in brackets."""
        if (found := IN_VERSION.fullmatch(name)) is not None:
            return f"{pack_key(found[1], found[2])} ({found[3]})"
        found = VERSION.fullmatch(name)
        return pack_key(found[1], found[2]) if found is not None else key_of(name)

    def names(self, folder: str) -> Iterator[str]:
        """See `FileStore`. The names in `by_hash` and `ocr` are read page by page: there may be millions."""
        if folder == layout.ORIGINALS:
            yield from (name_of(key).rpartition("/")[2] for key, _ in self._client.walk(folder))
        elif folder in (layout.BY_HASH, layout.OCR):
            seen: set[str] = set()
            for key, _ in self._client.walk(folder):
                child = key[len(folder) + 1 :].partition("/")[0]
                if child not in seen:
                    seen.add(child)
                    yield child
        else:
            yield from self._client.children(folder)

    def originals_of(self, raw_hash: str) -> list[str]:
        """See `FileStore`: one request."""
        return [name_of(key) for key, _ in self._client.walk(f"{layout.ORIGINALS}/{raw_hash}")]

    def published(self, folder: str) -> Iterator[str]:
        """See `FileStore`."""
        yield from (name.removesuffix(SUFFIX) for name in self._client.children(folder) if name.endswith(SUFFIX))

    def walk(self, name: str) -> Iterator[tuple[str, int]]:
        """See `FileStore`. A version is listed as its one object, and its later chunk sets."""
        yield from ((name_of(key), size) for key, size in sorted(self._objects(name)))

    def own_files(self, name: str) -> Iterator[tuple[str, int]]:
        """See `FileStore`: a prefix is a library's alone."""
        return self.walk(name)

    def has_own(self, name: str) -> bool:
        """See `FileStore`."""
        return next(self._objects(name), None) is not None

    def is_linked(self, name: str) -> bool:
        """See `FileStore`: object stores have no links."""
        del name
        return False

    def _pack(self, raw_hash: str, version: str) -> VersionPack:
        return VersionPack(self._cached(raw_hash, pack_key(raw_hash, version), version), place=f"{raw_hash}/{version}")

    def _cached(self, document: str, name: str, part: str) -> bytes:
        data = self._cache.get(document, part)
        if data is None:
            data = self._client.get(key_of(name))
            self._cache.put(document, part, data)
        return data

    def _stored_pack(self, key: str) -> VersionPack:
        """A version as it is in the store; a check that reads its files one by one reads the object once."""
        last: tuple[str, float, VersionPack] | None = getattr(self._fresh, "last", None)
        if last is not None and last[0] == key and time.monotonic() - last[1] < _FRESH_SECONDS:
            return last[2]
        pack = VersionPack(self._client.get(key), place=key)
        self._fresh.last = (key, time.monotonic(), pack)
        return pack

    def _objects(self, name: str) -> Iterator[tuple[str, int]]:
        """Key and size of the objects of a name: its own, that of a version, and those below it."""
        key = key_of(name)
        for one in (key, *([f"{key}{SUFFIX}"] if VERSION.fullmatch(name) else [])):
            if (found := self._client.head(one)) is not None:
                yield one, found.size
        yield from self._client.walk(key)


def _has_digest(path: Path, digest: str) -> bool:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == digest
    except OSError:  # another process evicted it
        return False


def pack_key(raw_hash: str, version: str) -> str:
    """The key of a version's archive."""
    return f"{layout.BY_HASH}/{raw_hash}/conversions/{version}{SUFFIX}"


def key_of(name: str) -> str:
    """The key of a name: an original lies in a folder of its hash."""
    found = ORIGINAL.fullmatch(name)
    return f"{layout.ORIGINALS}/{found[1]}/original{found[2]}" if found else name


def name_of(key: str) -> str:
    """The name of a key."""
    parts = key.split("/")
    if len(parts) == 3 and parts[0] == layout.ORIGINALS:
        return f"{layout.ORIGINALS}/{parts[1]}{parts[2].removeprefix('original')}"
    return key
