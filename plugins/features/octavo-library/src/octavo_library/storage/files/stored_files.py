"""Reads the files of a library by their `store:` references."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from octavo_contracts import LibraryDamaged, Retry, StorageError, UsageError
from octavo_contracts.refs import RefScheme, parse_ref, store_ref

from . import layout
from .file_store import FileFacts, FileStore


@dataclass(frozen=True, kw_only=True, slots=True)
class VersionManifest:
    """The manifest of a version's folder.

    Attributes:
        job_id: the job that made it, or None; recovery assigns an unindexed version by it.
        files: name → (size in bytes, SHA-256 in hex).
    """

    job_id: str | None
    files: Mapping[str, tuple[int, str]]


class StoredFiles:
    """A library's files, for reading.

    Args:
        store: the folder or object store that has them.

    Attributes:
        store: see `Args`.
    """

    def __init__(self, store: FileStore) -> None:
        self.store = store

    @property
    def root(self) -> Path:
        """A folder on this machine: the library's own, or that of its derived data if the files are elsewhere."""
        return self.store.root

    @property
    def place(self) -> str:
        """The library's folder or URL, for messages."""
        return self.store.place

    def shown(self, ref: str) -> str:
        """A reference as messages name it: where the store has the file. Other text is returned unchanged."""
        name = ref.removeprefix("store:")
        return ref if name == ref else f"store:{self.store.shown(name)}"

    def files(self, ref: str) -> Iterator[tuple[str, int]]:
        """Reference and size in bytes of every file at or below a reference, by name; empty if nothing is there."""
        yield from ((store_ref(name), size) for name, size in self.store.walk(name_of(ref)))

    def facts(self, ref: str) -> FileFacts | None:
        """Size and time of an artifact; None if nothing is stored under the reference.

        Raises:
            UsageError: not a reference into a library.
            StorageError: the store cannot be read.
        """
        return self.store.facts(name_of(ref))

    def digest(self, ref: str) -> str:
        """SHA-256 of an artifact as it is stored, in hex, never answered from a cache.

        Raises:
            FileNotFoundError: nothing is stored under the reference.
            StorageError: the store cannot be read.
        """
        return self.store.digest(name_of(ref))

    def is_linked(self, ref: str) -> bool:
        """Whether a reference or one of its folders is a link: the target may be another library's.

        Raises:
            UsageError: not a reference into a library.
        """
        return self.store.is_linked(name_of(ref))

    def path(self, ref: str) -> Path:
        """A path on this machine at which the artifact of a `store:` reference can be read. Never write it.

        Raises:
            UsageError: not a reference into a library.
            StorageError: the store cannot be read.
        """
        return self.store.local_path(name_of(ref))

    def read(self, ref: str) -> bytes:
        """The bytes of an artifact.

        Raises:
            UsageError: not a reference into a library, or nothing is stored under it.
            StorageError: the artifact cannot be read.
        """
        try:
            return self.store.read(name_of(ref))
        except FileNotFoundError as error:
            raise UsageError(
                f"{ref!r} is not in the library {self.place}", remedy="Run `octavo verify-store` if it should be"
            ) from error

    def find(self, name: str) -> bytes | None:
        """The bytes of a file by its name in the library; None if it is missing, or cannot be read by this user.

        Raises:
            StorageError: the store does not answer now.
        """
        try:
            return self.store.read(name)
        except FileNotFoundError:
            return None
        except StorageError as error:
            if error.retry is Retry.AUTOMATIC:
                raise
            return None

    def versions(self, raw_hash: str) -> tuple[int, ...]:
        """The numbers of the stored versions, in order."""
        names = self.store.published(layout.conversions_folder(raw_hash))
        return tuple(sorted(number for number in map(layout.version_number, names) if number is not None))

    def has_version(self, raw_hash: str, version: int) -> bool:
        """Whether a version is stored; its files are not read."""
        return self.store.facts(f"{layout.version_folder(raw_hash, version)}/{layout.VERSION_FILE}") is not None

    def chunk_configs(self, raw_hash: str, version: int) -> list[str]:
        """The configs for which a version has a chunk set, sorted."""
        return sorted(self.store.names(f"{layout.version_folder(raw_hash, version)}/{layout.CHUNKS}"))

    def summaries(self, raw_hash: str, version: int) -> list[str]:
        """The references of the summaries that are stored with a version, sorted."""
        folder = f"{layout.version_folder(raw_hash, version)}/{layout.SUMMARIES}"
        return [store_ref(f"{folder}/{name}") for name in sorted(self.store.names(folder)) if name.endswith(".json")]

    def extractions(self, raw_hash: str, version: int) -> list[str]:
        """The references of the extraction runs that are stored with a version, sorted."""
        folder = f"{layout.version_folder(raw_hash, version)}/{layout.EXTRACTIONS}"
        return [store_ref(f"{folder}/{run}/{layout.EXTRACTION_FILE}") for run in sorted(self.store.names(folder))]

    def manifest(self, raw_hash: str, version: int) -> VersionManifest:
        """The manifest of a version.

        Raises:
            UsageError: the version does not exist.
            StorageError: its `version.json` is damaged.
        """
        ref = store_ref(f"{layout.version_folder(raw_hash, version)}/{layout.VERSION_FILE}")
        try:
            return manifest_of(self.read(ref))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise LibraryDamaged(f"{ref!r} is damaged: {error}", remedy="Run `octavo verify-store`") from error

    def documents(self) -> Iterator[str]:
        """The hashes of all document folders, unordered. Folders with other names are ignored."""
        yield from filter(layout.is_hash, self.store.names(layout.BY_HASH))

    def originals_of(self, raw_hash: str) -> list[str]:
        """References of the originals stored for these bytes, one for each extension under which they came.

        They are sorted; those that were stored after the last purge of the document are first.
        """
        names = sorted(self.store.originals_of(raw_hash))
        return [store_ref(name) for name in sorted(names, key=layout.generation_of_original, reverse=True)]

    def originals(self) -> Iterator[str]:
        """The references of the stored originals, unordered. Files with other names are ignored."""
        names = filter(layout.is_original, self.store.names(layout.ORIGINALS))
        yield from (store_ref(f"{layout.ORIGINALS}/{name}") for name in names)

    def ocr_pages(self) -> Iterator[str]:
        """The fingerprints of the pages with stored OCR results, unordered."""
        yield from filter(layout.is_hash, self.store.names(layout.OCR))


def name_of(ref: str) -> str:
    """The name in the library of a `store:` reference.

    Raises:
        UsageError: not a reference into a library.
    """
    try:
        parsed = parse_ref(ref)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if parsed.scheme is not RefScheme.STORE:
        raise UsageError(f"{ref!r} is not an artifact of a library: expected store:…")
    return parsed.value


def manifest_of(data: bytes) -> VersionManifest:
    """Read a `version.json`.

    Raises:
        ValueError: it is damaged; KeyError, TypeError or AttributeError likewise.
    """
    fields = json.loads(data)
    files = {name: (int(entry["size"]), str(entry["sha256"])) for name, entry in fields["files"].items()}
    return VersionManifest(job_id=fields["job_id"], files=files)
