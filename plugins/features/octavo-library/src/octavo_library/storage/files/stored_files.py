"""Reads the files of a library and resolves `store:` references to paths."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from octavo_contracts import LibraryDamaged, StorageError, UsageError
from octavo_contracts.refs import RefScheme, parse_ref, store_ref
from octavo_sandbox.filesystem import durable

from . import layout


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
    """A library's folder, for reading.

    Args:
        root: the library's folder.

    Attributes:
        root: the library's folder, as an absolute path.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(os.path.abspath(root))

    def files(self, ref: str) -> Iterator[tuple[str, int]]:
        """Reference and size in bytes of every file at or below a reference, by name; empty if nothing is there."""
        path = self.path(ref)
        for found in sorted(path.rglob("*")) if path.is_dir() else [path]:
            with suppress(FileNotFoundError):  # another process may remove the file meanwhile
                status = found.lstat()
                if not stat.S_ISDIR(status.st_mode):
                    yield store_ref(found.relative_to(self.root).as_posix()), status.st_size

    def is_linked(self, ref: str) -> bool:
        """Whether a reference or one of its folders is a link: the target may be another library's.

        Raises:
            UsageError: not a reference into a library.
        """
        path = self.path(ref)
        below = [path, *(folder for folder in path.parents if self.root in folder.parents)]
        return any(map(os.path.islink, below))

    def path(self, ref: str) -> Path:
        """The path of a `store:` reference. Read it, never write it.

        Raises:
            UsageError: not a reference into a library.
        """
        try:
            parsed = parse_ref(ref)
        except ValueError as error:
            raise UsageError(str(error)) from error
        if parsed.scheme is not RefScheme.STORE:
            raise UsageError(f"{ref!r} is not an artifact of a library: expected store:…")
        return self.root / parsed.value

    def read(self, ref: str) -> bytes:
        """The bytes of an artifact.

        Raises:
            UsageError: not a reference into a library, or nothing is stored under it.
            StorageError: the artifact cannot be read.
        """
        path = self.path(ref)
        with self._errors("reading an artifact"):
            try:
                return path.read_bytes()
            except PermissionError as error:
                raise StorageError(
                    f"{path} cannot be read: {error.strerror}", remedy="Make the library readable for you"
                ) from error
            except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
                raise UsageError(
                    f"{ref!r} is not in the library {self.root}", remedy="Run `octavo verify-store` if it should be"
                ) from error

    def versions(self, raw_hash: str) -> tuple[int, ...]:
        """The numbers of the versions with a folder, in order."""
        try:
            names = os.listdir(f"{self.root}/{layout.conversions_folder(raw_hash)}")
        except FileNotFoundError:
            return ()
        return tuple(sorted(number for number in map(layout.version_number, names) if number is not None))

    def manifest(self, raw_hash: str, version: int) -> VersionManifest:
        """The manifest of a version.

        Raises:
            UsageError: the version does not exist.
            StorageError: its `version.json` is damaged.
        """
        ref = store_ref(f"{layout.version_folder(raw_hash, version)}/{layout.VERSION_FILE}")
        try:
            fields = json.loads(self.read(ref))
            files = {name: (int(entry["size"]), str(entry["sha256"])) for name, entry in fields["files"].items()}
            return VersionManifest(job_id=fields["job_id"], files=files)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise LibraryDamaged(f"{ref!r} is damaged: {error}", remedy="Run `octavo verify-store`") from error

    def documents(self) -> Iterator[str]:
        """The hashes of all document folders, unordered. Folders with other names are ignored."""
        with os.scandir(self.root / layout.BY_HASH) as entries:
            yield from (entry.name for entry in entries if layout.is_hash(entry.name))

    def originals_of(self, raw_hash: str) -> list[str]:
        """Sorted references of the originals stored for these bytes: one for each extension under which they came."""
        return sorted(ref for ref in self.originals() if layout.hash_of_original(ref) == raw_hash)

    def originals(self) -> Iterator[str]:
        """The references of the stored originals, unordered. Files with other names are ignored."""
        with os.scandir(self.root / layout.ORIGINALS) as entries:
            yield from (
                store_ref(f"{layout.ORIGINALS}/{entry.name}") for entry in entries if layout.is_original(entry.name)
            )

    def ocr_pages(self) -> Iterator[str]:
        """The fingerprints of the pages with stored OCR results, unordered."""
        with os.scandir(self.root / layout.OCR) as entries:
            yield from (entry.name for entry in entries if layout.is_hash(entry.name))

    @contextmanager
    def _errors(self, doing: str) -> Iterator[None]:
        with durable.storage_errors(self.root, doing=doing):
            yield
