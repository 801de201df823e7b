"""Read cache of objects on this machine: files named by the hash of their content, under a size limit."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from octavo_sandbox.filesystem.durable import FILE_MODE, FOLDER_MODE

from ..files.layout import is_hash

_KEEP = 0.9
"""Share of the limit that is left after an eviction, so that not every new file evicts one."""


class ObjectCache:
    """Copies of objects that never change, below one folder for each document. Thread-safe; processes may share it.

    A file's name ends with the SHA-256 of its content, which is compared each time the file is read: an altered copy
    is dropped and read from the store again. The files that were not used for longest are removed first.

    Args:
        folder: the cache's folder; created by the first file.
        limit: bytes that the files may have in total.
    """

    def __init__(self, folder: Path, *, limit: int) -> None:
        self._folder = folder
        self._limit = limit
        self._lock = threading.Lock()
        self._size: int | None = None

    def of_library(self, library_id: str) -> ObjectCache:
        """The cache of one library, in a folder of its own; copies that are of no library are removed."""
        with suppress(FileNotFoundError), os.scandir(self._folder) as entries:
            for entry in entries:
                if is_hash(entry.name):
                    shutil.rmtree(entry.path, ignore_errors=True)
        return ObjectCache(self._folder / library_id, limit=self._limit)

    def get(self, document: str, name: str) -> bytes | None:
        """The cached content of an object; None if it is not cached.

        Args:
            document: hash of the object's document.
            name: name of the object within the document.
        """
        for path in self._copies(document, name):
            try:
                data = path.read_bytes()
            except OSError:  # another process evicted it
                continue
            if hashlib.sha256(data).hexdigest() == path.name.rpartition(".")[2]:
                with suppress(OSError):
                    os.utime(path)
                return data
            path.unlink(missing_ok=True)
        return None

    def path(self, document: str, name: str) -> Path | None:
        """The path of a cached object, whose content is not compared; None if it is not cached."""
        found = next(self._copies(document, name), None)
        if found is not None:
            with suppress(OSError):
                os.utime(found)
        return found

    def put(self, document: str, name: str, data: bytes) -> Path | None:
        """Keep a copy; returns its path, or None if the disk does not take it: a cache may fail."""
        return self.adopt(document, name, self.write_aside(data), digest=hashlib.sha256(data).hexdigest())

    def write_aside(self, data: bytes) -> Path | None:
        """Write a temporary file in the cache's folder; None if the disk does not take it."""
        try:
            staged = self.aside()
            descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
        except OSError:
            return None
        return staged

    def aside(self) -> Path:
        """An unused path for a temporary file."""
        folder = self._folder / "aside"
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        return folder / f"{os.getpid()}-{secrets.token_hex(8)}"

    def adopt(self, document: str, name: str, staged: Path | None, *, digest: str) -> Path | None:
        """Move a temporary file to its place in the cache."""
        if staged is None:
            return None
        target = self._folder / document / f"{name}.{digest}"
        try:
            size = staged.stat().st_size
            target.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            os.replace(staged, target)
        except OSError:
            staged.unlink(missing_ok=True)
            return None
        self._grow(size)
        return target

    def drop(self, document: str, name: str | None = None) -> None:
        """Remove the copies of a document, or of one of its objects."""
        if name is None:
            shutil.rmtree(self._folder / document, ignore_errors=True)
            return
        for path in self._copies(document, name):
            path.unlink(missing_ok=True)

    def documents(self) -> Iterator[str]:
        """The hashes of the documents with copies."""
        with suppress(FileNotFoundError), os.scandir(self._folder) as entries:
            yield from (entry.name for entry in entries if entry.name != "aside")

    def size(self) -> int:
        """Bytes of all files, counted now."""
        return sum(size for _, size, _ in self._files())

    def _copies(self, document: str, name: str) -> Iterator[Path]:
        folder = self._folder / document
        with suppress(FileNotFoundError):
            for entry in os.listdir(folder):
                stem, dot, digest = entry.rpartition(".")
                if dot and stem == name and len(digest) == 64:
                    yield folder / entry

    def _files(self) -> Iterator[tuple[float, int, Path]]:
        for parent, _, names in os.walk(self._folder):
            for name in names:
                path = Path(parent) / name
                with suppress(OSError):
                    facts = path.stat()
                    yield facts.st_mtime, facts.st_size, path

    def _grow(self, size: int) -> None:
        with self._lock:
            self._size = self.size() if self._size is None else self._size + size
            if self._size <= self._limit:
                return
            files = sorted(self._files())
            total = sum(size for _, size, _ in files)
            for _, size, path in files:
                if total <= _KEEP * self._limit:
                    break
                path.unlink(missing_ok=True)
                total -= size
            self._size = total
