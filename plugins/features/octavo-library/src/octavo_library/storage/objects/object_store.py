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
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from octavo_contracts import SourceChanged, StorageError, StorageExhausted, UsageError
from octavo_sandbox.filesystem import durable

from ..files import layout
from ..files.file_store import FileFacts
from ..files.layout import DOCUMENT, ORIGINAL, VERSION
from ..files.owners import new_owner_name
from .object_client import ObjectClient, ObjectStoreUnreachable, ObjectStoreUnsuitable
from .object_reader import ObjectReader, key_of, pack_key
from .version_pack import SUFFIX, packed

_BLOCK = 1 << 20
_RECENT = 4096
_CREATIONS = 3
"""Times that a version is created whose key was taken when it was stored, and free when it was read."""
_LOOKED_INTO = 20
"""How many names below a prefix that is no library are tried, to name the library that is meant."""


class ObjectStore(ObjectReader):
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
        super().__init__(ObjectClient(url, timeout=timeout), workspace=workspace, cache_bytes=cache_bytes)
        self._liveness: Callable[[str], bool] = lambda _: True
        self._owner = new_owner_name()
        self._serial = itertools.count(1)
        _make_workspace(workspace)
        self._check_library(timeout=timeout)
        self._check_conditional_writes()

    @property
    def is_shared(self) -> bool:
        """See `FileStore`."""
        return True

    @property
    def owner(self) -> str:
        """See `FileStore`."""
        return self._owner

    def create(self, name: str, data: bytes) -> bool:
        """See `FileStore`."""
        return self._client.create(key_of(name), data)

    def create_original(self, name: str, stream: BinaryIO, *, raw_hash: str) -> None:
        """See `FileStore`: the bytes are compared with the hash before the first of them is sent."""
        if self._client.head(key_of(name)) is not None:
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
            self._client.put(key_of(name), staged)
        finally:
            staged.unlink(missing_ok=True)

    def replace(self, name: str, data: bytes, *, doing: str) -> None:
        """See `FileStore`."""
        del doing  # the client's errors name the store
        self._client.put(key_of(name), data)

    def replace_record(self, name: str, data: bytes) -> None:
        """See `FileStore`."""
        self._client.put(key_of(name), data)

    def publish(self, folder: str, contents: Mapping[str, bytes]) -> bool:
        """See `FileStore`: one conditional write of one object."""
        found = VERSION.fullmatch(folder)
        assert found is not None  # only versions are published
        pack = pack_key(found[1], found[2])
        data = packed(contents, writer=f"{self._owner}-{next(self._serial)}")
        if not self._created(pack, data):
            return False
        self._cache.put(found[1], found[2], data)
        self._recent[pack] = FileFacts(size=len(data), stored_at=time.time())
        while len(self._recent) > _RECENT:
            self._recent.popitem(last=False)
        return True

    def _created(self, key: str, data: bytes) -> bool:
        """Whether an object has this writer's data now; False if another writer stored the key.

        If the store's answer to the first try was lost, the second try finds the object: it is this writer's own.
        """
        for _ in range(_CREATIONS):
            if self._client.create(key, data):
                return True
            with suppress(FileNotFoundError):  # another process has removed the object that was in the way
                return self._client.get(key) == data
        raise ObjectStoreUnreachable(f"the object store {self.place} refuses to create {key} and does not have it")

    def remove(self, name: str) -> bool:
        """See `FileStore`. The object of a version goes first: its other files mean nothing without it."""
        keys = [key for key, _ in self._objects(name)]
        keys.sort(key=lambda key: not key.endswith(SUFFIX))
        self._client.delete(keys)
        for key in keys:
            self._recent.pop(key, None)
        self._drop_copies(name)
        return bool(keys)

    def remove_exactly(self, names: Sequence[str]) -> None:
        """See `FileStore`."""
        keys = [key_of(name) for name in names]
        self._client.delete(keys)
        for name, key in zip(names, keys, strict=True):
            self._recent.pop(key, None)
            self._drop_copies(name)

    def _drop_copies(self, name: str) -> None:
        """Remove the copies on this machine of a version, or of the document of another name."""
        if (version := VERSION.fullmatch(name)) is not None:
            self._cache.drop(version[1], version[2])
        elif (document := DOCUMENT.fullmatch(name) or ORIGINAL.fullmatch(name)) is not None:
            self._cache.drop(document[1])

    def ask_liveness(self, is_alive: Callable[[str], bool]) -> None:
        """See `FileStore`."""
        self._liveness = is_alive

    def use_cache_of(self, library_id: str) -> None:
        """See `FileStore`. One URL leads to different libraries if the endpoint of the store changes."""
        self._cache = self._cache.of_library(library_id)

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

    def _check_library(self, *, timeout: float) -> None:
        """Refuse a prefix with objects that are not a library's, or inside a library, before anything is written below it."""
        if self._client.head(layout.INDEX_ELSEWHERE) is not None:
            return
        names = self._client.children("")
        if names and names[0] not in ("tmp", layout.BY_HASH, layout.LIBRARY_RECORD, layout.ORIGINALS):
            below = (name for name in names[:_LOOKED_INTO] if self._client.head(f"{name}/{layout.INDEX_ELSEWHERE}"))
            library = next(below, None)
            remedy = "Name a new or empty prefix"
            raise UsageError(
                f"{self.place} is not a library and contains {names[0]!r}",
                remedy=remedy if library is None else f"Is it {self.place}/{library}? For another library: {remedy}",
            )
        for above in _prefixes_above(self.place):
            try:
                is_library = ObjectClient(above, timeout=timeout).head(layout.INDEX_ELSEWHERE) is not None
            except StorageError:
                return  # credentials that are limited to the prefix may not look above it
            if is_library:
                raise UsageError(f"{self.place} is inside the library {above}", remedy="Name a prefix beside it")

    def _check_conditional_writes(self) -> None:
        """Refuse a store in which two creations of one key succeed.

        Raises:
            ObjectStoreUnsuitable: the second creation succeeded.
        """
        key = f"{layout.TMP}/{self._owner}"
        try:
            # Whether the first call stored it is not asked: if the answer to it was lost, its second try found the key.
            self._client.create(key, b"first")
            is_taken = not self._client.create(key, b"second")
            is_kept = self._client.get(key) == b"first"
        except BaseException:
            with suppress(StorageError):  # the first error is the cause
                self._client.delete([key])
            raise
        self._client.delete([key])
        if not (is_taken and is_kept):
            raise ObjectStoreUnsuitable(f"the object store {self.place} ignores conditional writes (If-None-Match)")


def _prefixes_above(url: str) -> Iterator[str]:
    """The URLs of the prefixes in which a prefix lies, the nearest first; the bucket is the last."""
    scheme, _, path = url.partition("://")
    parts = path.split("/")
    yield from (f"{scheme}://{'/'.join(parts[:end])}" for end in range(len(parts) - 1, 0, -1))


def _make_workspace(workspace: Path) -> None:
    try:
        with durable.storage_errors(workspace, doing="making the workspace of a library"):
            durable.make_folder(workspace)
    except StorageExhausted:
        raise
    except StorageError as error:
        remedy = "Set OCTAVO_OBJECTS__WORKSPACE to a folder of this machine that can be written"
        raise type(error)(error.message, remedy=remedy) from error
