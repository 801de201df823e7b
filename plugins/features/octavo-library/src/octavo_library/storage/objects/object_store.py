"""A library's files in an object store, as the same names that a folder has.

A version is one object, `by_hash/{hash}/conversions/v{n}.zip`. One conditional write (If-None-Match) makes it visible
with all its files, and exactly one of several writers of a number wins; there is no rename and nothing to clean up. All
other names of `layout` are keys, except that `originals/{hash}.{ext}` has a folder of its own for each hash, so that the
originals of one document are found by one request.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import secrets
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from octavo_contracts import SourceChanged, UsageError
from octavo_sandbox.filesystem import durable

from ..files import layout
from ..files.file_store import FileFacts
from .object_cache import ObjectCache
from .object_client import ObjectClient, ObjectStoreUnsuitable
from .version_pack import SUFFIX, VersionPack, packed

_BLOCK = 1 << 20
_IN_VERSION = re.compile(r"by_hash/([0-9a-f]{64})/conversions/(v[1-9][0-9]{0,8})/([^/]+)")
_VERSION = re.compile(r"by_hash/([0-9a-f]{64})/conversions/(v[1-9][0-9]{0,8})")
_DOCUMENT = re.compile(r"by_hash/([0-9a-f]{64})(?:/.*)?")
_ORIGINAL = re.compile(r"originals/([0-9a-f]{64})(\.[a-z0-9]{1,10})?")
_FRESH_SECONDS = 2.0
"""How long the object that was read last answers for its other files, when a check reads them one by one."""
_RECENT = 4096


class ObjectStore:
    """A library's files below a prefix of a bucket; see `FileStore`.

    Args:
        url: `s3://bucket/prefix`, `gs://…` or `az://…`.
        workspace: a folder on this machine for what is derived from the library: the chunk index, logs, the cache.
        cache_bytes: limit of the read cache.
        timeout: seconds for one request.

    Raises:
        UsageError: the URL is invalid, or objects below the prefix are not a library's.
        ObjectStoreUnsuitable: the store ignores conditional writes.
        ObjectStoreUnreachable: the store does not answer.
        ToolUnavailable: obstore is not installed.
    """

    def __init__(self, url: str, *, workspace: Path, cache_bytes: int, timeout: float) -> None:
        self._liveness: Callable[[str], bool] = lambda _: True
        self._client = ObjectClient(url, timeout=timeout)
        self._root = workspace
        host = re.sub(r"[^a-z0-9]", "", socket.gethostname().lower())[:24] or "host"
        self._owner = f"{host}-{os.getpid()}-{secrets.token_hex(4)}"
        self._serial = itertools.count(1)
        self._cache = ObjectCache(workspace / "cache", limit=cache_bytes)
        self._recent: OrderedDict[str, FileFacts] = OrderedDict()
        self._fresh = threading.local()
        with durable.storage_errors(workspace, doing="making the workspace of a library"):
            durable.make_folder(workspace)
        self._check_library()
        self._check_conditional_writes()

    @property
    def root(self) -> Path:
        """See `FileStore`: the workspace."""
        return self._root

    @property
    def place(self) -> str:
        """See `FileStore`."""
        return self._client.url

    @property
    def is_shared(self) -> bool:
        """See `FileStore`."""
        return True

    @property
    def owner(self) -> str:
        """See `FileStore`."""
        return self._owner

    @property
    def cache(self) -> ObjectCache:
        """The read cache on this machine."""
        return self._cache

    def read(self, name: str) -> bytes:
        """See `FileStore`. Versions and originals, which never change, come from the cache if it has them."""
        if (found := _IN_VERSION.fullmatch(name)) is not None:
            return self._pack(found[1], found[2]).read(found[3])
        if (found := _ORIGINAL.fullmatch(name)) is not None:
            return self._cached(found[1], name, f"original{found[2] or ''}")
        return self._client.get(_key(name))

    def facts(self, name: str) -> FileFacts | None:
        """See `FileStore`; never answered from the cache."""
        found = _IN_VERSION.fullmatch(name)
        if found is None:
            return self._client.head(_key(name))
        pack = _pack_key(found[1], found[2])
        if found[3] == layout.VERSION_FILE:
            return self._recent.get(pack) or self._client.head(pack)
        try:
            size = self._stored_pack(pack).sizes.get(found[3])
        except FileNotFoundError:
            return None
        return FileFacts(size=size, stored_at=0.0) if size is not None else None

    def digest(self, name: str) -> str:
        """See `FileStore`."""
        found = _IN_VERSION.fullmatch(name)
        data = (
            self._stored_pack(_pack_key(found[1], found[2])).read(found[3]) if found else self._client.get(_key(name))
        )
        return hashlib.sha256(data).hexdigest()

    def local_path(self, name: str) -> Path:
        """See `FileStore`: a copy in the cache."""
        found = _DOCUMENT.fullmatch(name) or _ORIGINAL.fullmatch(name)
        document = found[1] if found else "other"
        part = f"original{found[2] or ''}" if found and found.re is _ORIGINAL else name.replace("/", "_")
        cached = self._cache.path(document, part) if found and found.re is _ORIGINAL else None
        if cached is not None:
            return cached
        try:
            data = self.read(name)
        except FileNotFoundError:
            return self._root / "cache" / "missing"
        kept = self._cache.path(document, part) or self._cache.put(document, part, data)
        if kept is None:
            with durable.storage_errors(self._root, doing="copying an object to this machine"):
                raise OSError(28, "the cache cannot be written")
        return kept

    def names(self, folder: str) -> Iterator[str]:
        """See `FileStore`. The names in `by_hash` and `ocr` are read page by page: there may be millions."""
        if folder == layout.ORIGINALS:
            yield from (_name(key).rpartition("/")[2] for key, _ in self._client.walk(folder))
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
        return [_name(key) for key, _ in self._client.walk(f"{layout.ORIGINALS}/{raw_hash}")]

    def published(self, folder: str) -> Iterator[str]:
        """See `FileStore`."""
        yield from (name.removesuffix(SUFFIX) for name in self._client.children(folder) if name.endswith(SUFFIX))

    def walk(self, name: str) -> Iterator[tuple[str, int]]:
        """See `FileStore`. A version is listed as its one object, and its later chunk sets."""
        yield from ((_name(key), size) for key, size in sorted(self._objects(name)))

    def create(self, name: str, data: bytes) -> bool:
        """See `FileStore`."""
        return self._client.create(_key(name), data)

    def create_original(self, name: str, stream: BinaryIO, *, raw_hash: str) -> None:
        """See `FileStore`: the bytes are compared with the hash before the first of them is sent."""
        if self._client.head(_key(name)) is not None:
            return
        with durable.storage_errors(self._root, doing="storing an original"):
            staged = self._cache.aside()
            digest = hashlib.sha256()
            descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, durable.FILE_MODE)
            with os.fdopen(descriptor, "wb") as copy:
                while block := stream.read(_BLOCK):
                    digest.update(block)
                    copy.write(block)
        try:
            if digest.hexdigest() != raw_hash:
                raise SourceChanged(f"the bytes have hash {digest.hexdigest()[:12]}…, expected {raw_hash[:12]}…")
            self._client.put(_key(name), staged)
        finally:
            staged.unlink(missing_ok=True)

    def replace(self, name: str, data: bytes, *, doing: str) -> None:
        """See `FileStore`."""
        del doing  # the client's errors name the store
        self._client.put(_key(name), data)

    def replace_record(self, name: str, data: bytes) -> None:
        """See `FileStore`."""
        self._client.put(_key(name), data)

    def publish(self, folder: str, contents: Mapping[str, bytes]) -> bool:
        """See `FileStore`: one conditional write of one object."""
        found = _VERSION.fullmatch(folder)
        assert found is not None  # only versions are published
        pack = _pack_key(found[1], found[2])
        data = packed(contents, writer=f"{self._owner}-{next(self._serial)}")
        # If the store's answer to the first try was lost, the second try finds the object: it is this writer's own.
        if not self._client.create(pack, data) and self._client.get(pack) != data:
            return False
        self._cache.put(found[1], found[2], data)
        self._recent[pack] = FileFacts(size=len(data), stored_at=time.time())
        while len(self._recent) > _RECENT:
            self._recent.popitem(last=False)
        return True

    def remove(self, name: str) -> bool:
        """See `FileStore`. The object of a version goes first: its other files mean nothing without it."""
        keys = [key for key, _ in self._objects(name)]
        keys.sort(key=lambda key: not key.endswith(SUFFIX))
        self._client.delete(keys)
        for key in keys:
            self._recent.pop(key, None)
        if (version := _VERSION.fullmatch(name)) is not None:
            self._cache.drop(version[1], version[2])
        elif (document := _DOCUMENT.fullmatch(name) or _ORIGINAL.fullmatch(name)) is not None:
            self._cache.drop(document[1])
        return bool(keys)

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

    def ask_liveness(self, is_alive: Callable[[str], bool]) -> None:
        """See `FileStore`."""
        self._liveness = is_alive

    def cached_documents(self) -> Iterator[str]:
        """See `FileStore`."""
        return filter(layout.is_hash, self._cache.documents())

    def forget(self, raw_hash: str) -> None:
        """See `FileStore`."""
        self._cache.drop(raw_hash)

    def is_alive(self, owner: str) -> bool:
        """See `FileStore`: its lease in the index has not expired."""
        return owner == self._owner or self._liveness(owner)

    def leftovers(self) -> tuple[str, ...]:
        """See `FileStore`: a write is complete or leaves nothing."""
        return ()

    def sweep(self) -> int:
        """See `FileStore`."""
        return 0

    def close(self) -> None:
        """See `FileStore`: there is nothing to release."""

    def discard(self) -> None:
        """See `FileStore`: opening created nothing in the store."""

    def _pack(self, raw_hash: str, version: str) -> VersionPack:
        return VersionPack(self._cached(raw_hash, _pack_key(raw_hash, version), version), place=f"{raw_hash}/{version}")

    def _cached(self, document: str, name: str, part: str) -> bytes:
        data = self._cache.get(document, part)
        if data is None:
            data = self._client.get(_key(name))
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
        key = _key(name)
        for one in (key, *([f"{key}{SUFFIX}"] if _VERSION.fullmatch(name) else [])):
            if (found := self._client.head(one)) is not None:
                yield one, found.size
        yield from self._client.walk(key)

    def _check_library(self) -> None:
        """Refuse a prefix with objects that are not a library's, before anything is written below it."""
        if self._client.head(layout.INDEX_ELSEWHERE) is not None:
            return
        taken = next(iter(self._client.children("")), None)
        if taken is not None and taken not in ("tmp", layout.BY_HASH, layout.LIBRARY_RECORD, layout.ORIGINALS):
            raise UsageError(
                f"{self.place} is not a library and contains {taken!r}", remedy="Name a new or empty prefix"
            )

    def _check_conditional_writes(self) -> None:
        """Refuse a store in which two creations of one key succeed.

        Raises:
            ObjectStoreUnsuitable: the second creation succeeded.
        """
        key = f"{layout.TMP}/{self._owner}"
        try:
            first, second = (self._client.create(key, data) for data in (b"first", b"second"))
            is_kept = self._client.get(key) == b"first"
        finally:
            self._client.delete([key])
        if not first or second or not is_kept:
            raise ObjectStoreUnsuitable(f"the object store {self.place} ignores conditional writes (If-None-Match)")


def _pack_key(raw_hash: str, version: str) -> str:
    return f"{layout.BY_HASH}/{raw_hash}/conversions/{version}{SUFFIX}"


def _key(name: str) -> str:
    """The key of a name: an original lies in a folder of its hash."""
    found = _ORIGINAL.fullmatch(name)
    return f"{layout.ORIGINALS}/{found[1]}/original{found[2] or ''}" if found else name


def _name(key: str) -> str:
    """The name of a key."""
    parts = key.split("/")
    if len(parts) == 3 and parts[0] == layout.ORIGINALS:
        return f"{layout.ORIGINALS}/{parts[1]}{parts[2].removeprefix('original')}"
    return key
