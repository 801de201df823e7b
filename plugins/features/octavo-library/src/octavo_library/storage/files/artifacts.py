"""Writes the files of a library: content-addressed, written once, never changed (STO-2, STO-6, STO-8)."""

from __future__ import annotations

import hashlib
import itertools
import os
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from octavo_contracts import SourceChanged, UsageError
from octavo_contracts.refs import store_ref
from octavo_sandbox.filesystem import durable
from pydantic_core import to_json

from . import layout, owners
from .library_folder import check_folder, mark_folder, unmark_folder
from .removable_files import RemovableFiles, remove_staged

_BLOCK = 1 << 20


class ArtifactStore(RemovableFiles):
    """A library's folder, opened for reading and writing. Several stores, in several processes, may share one folder.

    Args:
        root: the library's folder; created if it does not exist.

    Attributes:
        root: the library's folder, as an absolute path.
        owner: the name under which this store writes; recorded in the jobs that it works on.

    Raises:
        UsageError: the folder is not a library and contains names that a library would use.
        StorageError: the folder cannot be created or written.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        super().__init__(root)
        self._serial = itertools.count(1)
        self._pid = os.getpid()
        own = [self.root / name for name in (layout.ORIGINALS, layout.BY_HASH, layout.OCR, layout.TMP)]
        whole = (*reversed(self.root.parents), self.root, *own, self._locks)
        self._made = [folder for folder in whole if not folder.is_dir()]
        with self._errors("opening the library"):
            check_folder(self.root)
            durable.make_folder(self.root)
            self._marked = mark_folder(self.root)
            for folder in own:
                durable.make_folder(folder)
            self._owner = owners.Owner(self._locks)
            self._tmp = self.root / layout.TMP / self._owner.name
            self._tmp.mkdir(mode=durable.FOLDER_MODE)

    @property
    def owner(self) -> str:
        """See the class."""
        return self._owner.name

    def close(self) -> None:
        """Release the folder and remove this store's unfinished writes; in a forked child, remove nothing."""
        if os.getpid() != self._pid:
            return
        shutil.rmtree(self._tmp, ignore_errors=True)
        self._owner.close()

    def discard(self) -> None:
        """Close, and remove the unused folders that this store created: for a library that failed to open."""
        self.close()
        with suppress(OSError):  # the locks come first: if another process opened the library meanwhile, all stays
            within = [folder for folder in self._made if self.root in folder.parents]
            for folder in reversed(within):
                folder.rmdir()
            if self._marked:
                unmark_folder(self.root)
            for folder in reversed(self._made[: len(self._made) - len(within)]):
                folder.rmdir()

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
        folder = f"{self.root}/{layout.conversions_folder(raw_hash)}"
        number = max(max(self.versions(raw_hash), default=0), above) + 1
        while not self._publish_version(folder, number, files(number) if callable(files) else files, job_id=job_id):
            number += 1
        return number

    def _publish_version(self, folder: str, number: int, files: Mapping[str, bytes], *, job_id: str | None) -> bool:
        """Write a version's files to a staging folder and rename it into place; False if the number is taken."""
        if not files or layout.VERSION_FILE in files:
            raise ValueError(f"a version has at least one file, and none named {layout.VERSION_FILE}")
        contents = {layout.checked_name(name): data for name, data in files.items()}
        contents[layout.VERSION_FILE] = _manifest_json(files, job_id)
        with self._errors("storing a conversion"), self.staging() as staged:
            os.mkdir(staged, durable.FOLDER_MODE)
            for name, data in contents.items():
                durable.write_file(f"{staged}/{name}", data)
            durable.sync_folder(staged)
            durable.make_folder(folder)
            return durable.publish_folder(staged, f"{folder}/v{number}")

    def put_chunks(self, raw_hash: str, version: int, *, config_version: str, data: bytes) -> str:
        """Store a version's chunk set for one chunking config; storing the same set again changes nothing (STO-7).

        Returns:
            The reference of its `manifest.json`.

        Raises:
            UsageError: the version does not exist, or the config already has a different chunk set.
            StorageError: as `put_version`.
        """
        relative = f"{layout.chunks_folder(raw_hash, version, config_version)}/{layout.CHUNK_FILE}"
        if not os.path.isdir(f"{self.root}/{layout.version_folder(raw_hash, version)}"):
            raise UsageError(f"version {version} of {raw_hash[:12]} does not exist: cannot store its chunks")
        if not self._put_once(relative, data) and (self.root / relative).read_bytes() != data:
            raise UsageError(
                f"version {version} of {raw_hash[:12]} already has different chunks for config {config_version!r}",
                remedy="Give the changed config a new version: a chunk set is never overwritten",
            )
        return store_ref(relative)

    def put_original(self, raw_hash: str, *, extension: str, stream: BinaryIO) -> str:
        """Store the bytes of a source without a path, once (STO-1).

        Args:
            raw_hash: the expected SHA-256 of the bytes, hex.
            extension: with or without its dot; dropped unless it is one to ten ASCII letters or digits.
            stream: the bytes, read to the end; not read at all if they are already stored.

        Returns:
            The original's reference.

        Raises:
            SourceChanged: the bytes have a different hash.
            StorageError: as `put_version`.
        """
        relative = layout.original_file(raw_hash, extension)
        target = self.root / relative
        if not target.exists():
            with self._errors("storing an original"), self.staging() as staged:
                _copy_checked(stream, staged, raw_hash=raw_hash)
                durable.publish_file(staged, target)
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
            self._replace(relative, data, doing="storing a recognised page")
        else:
            self._put_once(relative, data)
        return store_ref(relative)

    def write_log(self, raw_hash: str, data: bytes) -> str:
        """Write or replace the document's `processing_log.json` atomically (ENG-2).

        Returns:
            Its reference.

        Raises:
            StorageError: as `put_version`.
        """
        relative = layout.log_file(raw_hash)
        self._replace(relative, data, doing="writing a processing log")
        return store_ref(relative)

    def write_record(self, relative: str, data: bytes) -> None:
        """Write or replace a record atomically, without flushing it: `verify` detects a record lost in a power cut.

        Args:
            relative: `layout.record_file` or `layout.LIBRARY_RECORD`.
            data: the record's content.

        Raises:
            StorageError: as `put_version`.
        """
        target = f"{self.root}/{relative}"
        if not _is_record(target):
            return  # a user's file is in its place, and stays: the record is a copy, the index is authoritative
        with self._errors("writing a record"), self.staging() as staged:
            descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, durable.FILE_MODE)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
            durable.make_folder(os.path.dirname(target))
            os.replace(staged, target)

    def is_alive(self, owner: str) -> bool:
        """Whether the store with that owner name still has the library open."""
        return owners.is_alive(self._locks, owner)

    def leftovers(self) -> tuple[Path, ...]:
        """Temporary folders of dead owners. A `tmp` that was replaced by a link is not searched."""
        folder = self.root / layout.TMP
        if folder.is_symlink():
            return ()
        with os.scandir(folder) as entries:
            names = sorted(
                entry.name
                for entry in entries
                if owners.is_owner_name(entry.name) and entry.is_dir(follow_symlinks=False)
            )
        return tuple(folder / name for name in names if not self.is_alive(name))

    def sweep(self) -> int:
        """Remove the temporary folders and locks of dead owners.

        Returns:
            How many temporary folders were removed.

        Raises:
            StorageError: they cannot be removed.
        """
        with self._errors("removing temporary files"):
            found = self.leftovers()
            for folder in found:
                # Another process may sweep at the same time: a folder that it already removed is not an error.
                with suppress(FileNotFoundError):
                    shutil.rmtree(folder)
            owners.remove_dead(self._locks)
        return len(found)

    @property
    def _locks(self) -> Path:
        return self.root / layout.LOCKS

    @contextmanager
    def staging(self) -> Iterator[str]:
        """An unused path in the owner's temporary folder; removed if the block fails."""
        staged = f"{self._tmp}/{next(self._serial)}"
        try:
            yield staged
        except BaseException:
            with suppress(OSError):
                remove_staged(staged)
            raise

    def _replace(self, relative: str, data: bytes, *, doing: str) -> None:
        target = f"{self.root}/{relative}"
        with self._errors(doing), self.staging() as staged:
            durable.write_file(staged, data)
            durable.make_folder(os.path.dirname(target))
            durable.replace_file(staged, target)

    def _put_once(self, relative: str, data: bytes) -> bool:
        """Store a file unless it exists; returns whether it was stored."""
        target = f"{self.root}/{relative}"
        if os.path.exists(target):
            return False
        with self._errors("storing an artifact"), self.staging() as staged:
            durable.write_file(staged, data)
            durable.make_folder(os.path.dirname(target))
            return durable.publish_file(staged, target)


def _is_record(target: str) -> bool:
    """Whether a record may be written to this path: the path is free or holds an earlier record."""
    try:
        descriptor = os.open(target, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return True
    except OSError:
        return False
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return False
        # A record lost in a power cut is empty or full of zeros.
        head = stream.read(32)
        return not head.strip(b"\0") or b'"format"' in head


def _manifest_json(files: Mapping[str, bytes], job_id: str | None) -> bytes:
    entries = {
        name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in sorted(files.items())
    }
    return to_json({"format": 1, "job_id": job_id, "files": entries}, indent=1)


def _copy_checked(stream: BinaryIO, target: str, *, raw_hash: str) -> None:
    digest = hashlib.sha256()
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, durable.FILE_MODE)
    with os.fdopen(descriptor, "wb") as copy:
        while block := stream.read(_BLOCK):
            digest.update(block)
            copy.write(block)
        copy.flush()
        durable.sync_file(descriptor)
    if digest.hexdigest() != raw_hash:
        raise SourceChanged(f"the bytes have hash {digest.hexdigest()[:12]}…, expected {raw_hash[:12]}…")
