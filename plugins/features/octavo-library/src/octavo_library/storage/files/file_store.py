"""The storage interface of a library's files: a folder by default, an object store for a library of many machines.

Names are relative to the library and have the form of `layout`: `by_hash/{hash}/conversions/v1/converted.md`. A store
knows no documents: `ArtifactStore` gives the names their meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol


@dataclass(frozen=True, kw_only=True, slots=True)
class FileFacts:
    """What a store knows of a file without reading it.

    Attributes:
        size: in bytes.
        stored_at: when it was stored, in seconds since the epoch, by the store's own clock.
    """

    size: int
    stored_at: float


class FileReader(Protocol):
    """Files of one library, for reading. Thread-safe.

    Every method raises `StorageError` if the store cannot be read.
    """

    @property
    def root(self) -> Path:
        """A folder on this machine for data that is derived from the library: the library's own, or a workspace."""

    @property
    def place(self) -> str:
        """The library's folder or URL, for messages; without secrets."""

    def read(self, name: str) -> bytes:
        """The bytes of a file.

        Raises:
            FileNotFoundError: there is no such file.
        """

    def facts(self, name: str) -> FileFacts | None:
        """Size and time of a file; None if there is no such file."""

    def digest(self, name: str) -> str:
        """SHA-256 of a file as it is stored, in hex; never answered from a cache.

        Raises:
            FileNotFoundError: there is no such file.
        """

    def local_path(self, name: str) -> Path:
        """A path at which the file can be read on this machine; nothing is there if the file is missing."""

    def shown(self, name: str) -> str:
        """Where the store has a file, for messages: a user finds it there."""

    def names(self, folder: str) -> Iterator[str]:
        """The names in a folder, unordered; none if the folder is missing."""

    def originals_of(self, raw_hash: str) -> list[str]:
        """The names of the originals stored for these bytes: one for each extension under which they came."""

    def published(self, folder: str) -> Iterator[str]:
        """The names of the folders that `publish` put into a folder, unordered."""

    def walk(self, name: str) -> Iterator[tuple[str, int]]:
        """Name and size of every file at or below a name, sorted."""

    def own_files(self, name: str) -> Iterator[tuple[str, int]]:
        """As `walk`, but only what `remove` would remove."""

    def has_own(self, name: str) -> bool:
        """Whether `remove` would remove anything."""

    def is_linked(self, name: str) -> bool:
        """Whether a name or one of its folders is a link: the target may be another library's."""


class FileStore(FileReader, Protocol):
    """Files of one library. Thread-safe; several stores, in several processes, may share the files.

    Every method raises `StorageError` if the store cannot be read or written.
    """

    @property
    def is_shared(self) -> bool:
        """Whether the files are elsewhere, for several machines: their processes then hold leases in the index."""

    @property
    def owner(self) -> str:
        """The name under which this store writes."""

    def create(self, name: str, data: bytes) -> bool:
        """Store a file unless its name exists; returns whether it was stored. Exactly one of several writers wins."""

    def create_original(self, name: str, stream: BinaryIO, *, raw_hash: str) -> None:
        """As `create`, from a stream that is read to its end; not read at all if the name exists.

        Raises:
            SourceChanged: the bytes have a different hash; nothing is stored.
        """

    def replace(self, name: str, data: bytes, *, doing: str) -> None:
        """Store a file or replace it, atomically; `doing` names the operation in errors."""

    def replace_record(self, name: str, data: bytes) -> None:
        """As `replace`, for a copy of index data: a power cut may lose it, and a file that is no record stays."""

    def publish(self, folder: str, contents: Mapping[str, bytes]) -> bool:
        """Store a folder of files: it becomes visible with all its files at once, or never.

        Returns:
            False if the folder exists; exactly one of several writers wins.
        """

    def remove(self, name: str) -> bool:
        """Remove a file, or a folder of files, for good; returns whether anything was removed."""

    def remove_exactly(self, names: Sequence[str]) -> None:
        """Remove single files for good, and nothing else; a missing one is no error."""

    def ask_liveness(self, is_alive: Callable[[str], bool]) -> None:
        """Take a function that tells whether an owner is alive; a store that knows it by itself ignores the function."""

    def use_cache_of(self, library_id: str) -> None:
        """Keep copies on this machine apart from those of other libraries. Called once, before anything is read."""

    def cached_documents(self) -> Iterator[str]:
        """The hashes of the documents with copies on this machine, besides the library itself."""

    def forget(self, raw_hash: str) -> None:
        """Remove the copies of a document on this machine."""

    def is_alive(self, owner: str) -> bool:
        """Whether the store of that owner still has the library open."""

    def leftovers(self) -> tuple[str, ...]:
        """Unfinished writes of dead owners, by name."""

    def sweep(self) -> int:
        """Remove the unfinished writes of dead owners; returns how many there were."""

    def close(self) -> None:
        """Release the library, and remove this store's unfinished writes."""

    def discard(self) -> None:
        """Close, and remove what opening created: for a library that failed to open."""
