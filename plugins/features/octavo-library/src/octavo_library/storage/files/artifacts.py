"""Writes the files of a library: content-addressed, written once, never changed (STO-2, STO-6, STO-8)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import BinaryIO, Self

from octavo_contracts import UsageError
from octavo_contracts.refs import store_ref
from pydantic_core import to_json

from . import layout
from .file_store import FileStore
from .folder_store import FolderStore
from .stored_files import StoredFiles, name_of


class ArtifactStore(StoredFiles):
    """A library's files, opened for reading and writing. Several stores, in several processes, may share them.

    Args:
        files: the library's folder, created if it does not exist; or the opened store of the files.

    Attributes:
        store: the folder or object store that has the files.
        root: a folder on this machine: the library's own, or that of its derived data if the files are elsewhere.
        owner: the name under which this store writes; recorded in the jobs that it works on.

    Raises:
        UsageError: the folder is not a library and contains names that a library would use.
        StorageError: the folder cannot be created or written.
    """

    def __init__(self, files: str | os.PathLike[str] | FileStore) -> None:
        super().__init__(FolderStore(files) if isinstance(files, (str, os.PathLike)) else files)

    @property
    def owner(self) -> str:
        """See the class."""
        return self.store.owner

    def close(self) -> None:
        """Release the files and remove this store's unfinished writes; in a forked child, remove nothing."""
        self.store.close()

    def discard(self) -> None:
        """Close, and remove what opening this store created: for a library that failed to open."""
        self.store.discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def put_version(
        self,
        raw_hash: str,
        files: Mapping[str, bytes] | Callable[[int], Mapping[str, bytes]],
        *,
        job_id: str | None = None,
        above: int = 0,
    ) -> int:
        """Store a complete conversion as the next version of the document.

        Args:
            raw_hash: SHA-256 of the original, hex.
            files: name → content, at least one; `version.json` is added. Or a function that returns them for a
                version number, if the files contain their own version; called again if that number is already taken.
            job_id: the job that made it. Recovery assigns a version without an index row to this job alone.
            above: the highest number that the index ever assigned, so that a purged version's number is not reused.

        Returns:
            The version's number, starting at 1.

        Raises:
            ValueError: there are no files, or a name is not a valid artifact name.
            StorageError: the disk is full, not writable, or failed; nothing is left behind.
        """
        number = max(max(self.versions(raw_hash), default=0), above) + 1
        while not self._publish_version(raw_hash, number, files(number) if callable(files) else files, job_id=job_id):
            number += 1
        return number

    def _publish_version(self, raw_hash: str, number: int, files: Mapping[str, bytes], *, job_id: str | None) -> bool:
        """Publish a version's files; False if the number is taken."""
        if not files or layout.VERSION_FILE in files:
            raise ValueError(f"a version has at least one file, and none named {layout.VERSION_FILE}")
        contents = {layout.checked_name(name): data for name, data in files.items()}
        contents[layout.VERSION_FILE] = _manifest_json(files, job_id)
        return self.store.publish(layout.version_folder(raw_hash, number), contents)

    def put_chunks(self, raw_hash: str, version: int, *, config_version: str, data: bytes) -> str:
        """Store a version's chunk set for one chunking config; storing the same set again changes nothing (STO-7).

        Returns:
            The reference of its `manifest.json`.

        Raises:
            UsageError: the version does not exist, or the config already has a different chunk set.
            StorageError: as `put_version`.
        """
        relative = f"{layout.chunks_folder(raw_hash, version, config_version)}/{layout.CHUNK_FILE}"
        # A version whose `version.json` was lost still has its folder.
        if not self.has_version(raw_hash, version) and version not in self.versions(raw_hash):
            raise UsageError(f"version {version} of {raw_hash[:12]} does not exist: cannot store its chunks")
        if not self.store.create(relative, data) and self.store.read(relative) != data:
            raise UsageError(
                f"version {version} of {raw_hash[:12]} already has different chunks for config {config_version!r}",
                remedy="Give the changed config a new version: a chunk set is never overwritten",
            )
        return store_ref(relative)

    def put_summary(self, raw_hash: str, version: int, *, name: str, data: bytes) -> str:
        """Store a summary of a version, in place of the one of that name (INT-2).

        Args:
            raw_hash: SHA-256 of the original, hex.
            version: the version.
            name: the name of its maker and the maker's version.
            data: the summary.

        Returns:
            Its reference.

        Raises:
            UsageError: the version does not exist, or was purged meanwhile.
            StorageError: as `put_version`.
        """
        relative = layout.summary_file(raw_hash, version, name)
        with self._beside_version(raw_hash, version, relative):
            self.store.replace(relative, data, doing="storing a summary")
        return store_ref(relative)

    def put_extraction(self, raw_hash: str, version: int, *, run: str, data: bytes) -> str:
        """Store an extraction run from a version; an existing run of that name stays (STO-6).

        Args:
            raw_hash: SHA-256 of the original, hex.
            version: the version.
            run: name of the run, which has the hash of its content.
            data: what was found.

        Returns:
            Its reference.

        Raises:
            UsageError: the version does not exist, or was purged meanwhile.
            StorageError: as `put_version`.
        """
        relative = layout.extraction_file(raw_hash, version, run)
        with self._beside_version(raw_hash, version, relative):
            self.store.create(relative, data)
        return store_ref(relative)

    @contextmanager
    def _beside_version(self, raw_hash: str, version: int, relative: str) -> Iterator[None]:
        """Hold while a file is stored with a version; remove the file if the version was purged meanwhile.

        Raises:
            UsageError: the version does not exist, or was purged meanwhile.
        """
        if self.has_version(raw_hash, version):
            yield
            if self.has_version(raw_hash, version):
                return
            self.store.remove(relative)
        raise UsageError(f"version {version} of {raw_hash[:12]} does not exist: nothing can be stored with it")

    def put_original(self, raw_hash: str, *, extension: str, stream: BinaryIO, generation: int = 0) -> str:
        """Store the bytes of a source without a path, once (STO-1).

        Args:
            raw_hash: the expected SHA-256 of the bytes, hex.
            extension: with or without its dot; dropped unless it is one to ten ASCII letters or digits.
            stream: the bytes, read to the end; not read at all if they are already stored.
            generation: how often the document was purged; see `layout.original_file`.

        Returns:
            The original's reference.

        Raises:
            SourceChanged: the bytes have a different hash.
            StorageError: as `put_version`.
        """
        relative = layout.original_file(raw_hash, extension, generation=generation)
        self.store.create_original(relative, stream, raw_hash=raw_hash)
        return store_ref(relative)

    def put_ocr(self, page_fingerprint: str, *, name: str, data: bytes, again: bool = False) -> str:
        """Store a page's OCR result for every document that has the page (OCR-3). An existing file of that name stays.

        Args:
            page_fingerprint: SHA-256 of the rendered page, hex.
            name: `{engine}-{version}-{settings hash}.json`.
            data: the `OCRResult` as JSON.
            again: whether an existing file of that name is replaced.

        Returns:
            Its reference.

        Raises:
            StorageError: as `put_version`.
        """
        relative = layout.ocr_file(page_fingerprint, name)
        if again:
            self.store.replace(relative, data, doing="storing a recognised page")
        else:
            self.store.create(relative, data)
        return store_ref(relative)

    def write_log(self, raw_hash: str, data: bytes) -> str:
        """Write or replace the document's `processing_log.json` atomically (ENG-2).

        Returns:
            Its reference.

        Raises:
            StorageError: as `put_version`.
        """
        relative = layout.log_file(raw_hash)
        self.store.replace(relative, data, doing="writing a processing log")
        return store_ref(relative)

    def write_record(self, relative: str, data: bytes) -> None:
        """Write or replace a record atomically, without flushing it: `verify` detects a record lost in a power cut.

        Args:
            relative: `layout.record_file` or `layout.LIBRARY_RECORD`.
            data: the record's content.

        Raises:
            StorageError: as `put_version`.
        """
        self.store.replace_record(relative, data)

    def remove(self, ref: str) -> bool:
        """Remove an artifact, or a folder of them, permanently. Call it once nothing references the artifact.

        A crash leaves it complete, or leaves files that the next opening sweeps. Files of others in the folder stay, and
        nothing behind a link is removed: a linked folder may belong to another library. `files` lists what is left.

        Returns:
            Whether anything was removed.

        Raises:
            UsageError: not a reference into a library.
            StorageError: the artifact cannot be removed.
        """
        return self.store.remove(name_of(ref))

    def remove_exactly(self, refs: Sequence[str]) -> None:
        """Remove single files permanently, and nothing that is stored at another name meanwhile.

        Raises:
            UsageError: not a reference into a library.
            StorageError: a file cannot be removed.
        """
        self.store.remove_exactly([name_of(ref) for ref in refs])

    def own_files(self, ref: str) -> Iterator[tuple[str, int]]:
        """As `files`, but only what `remove` would remove."""
        yield from ((store_ref(name), size) for name, size in self.store.own_files(name_of(ref)))

    def has_own(self, ref: str) -> bool:
        """Whether `remove` would remove anything: not for a link, nor for a folder with only files of others."""
        return self.store.has_own(name_of(ref))

    def is_alive(self, owner: str) -> bool:
        """Whether the store with that owner name still has the library open."""
        return self.store.is_alive(owner)

    def leftovers(self) -> tuple[str, ...]:
        """Unfinished writes of dead owners, as names in the library."""
        return self.store.leftovers()

    def sweep(self) -> int:
        """Remove what dead owners left unfinished.

        Returns:
            How many unfinished writes were removed.

        Raises:
            StorageError: they cannot be removed.
        """
        return self.store.sweep()


def _manifest_json(files: Mapping[str, bytes], job_id: str | None) -> bytes:
    entries = {
        name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in sorted(files.items())
    }
    return to_json({"format": 1, "job_id": job_id, "files": entries}, indent=1)
