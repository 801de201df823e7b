"""Reads the files of a stored version and verifies them against the hashes recorded when they were stored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from typing import Protocol

from octavo_contracts import LibraryDamaged, OctavoError, UsageError

from . import ArtifactStore, DocumentRecord, Index
from .files.layout import VERSION_FILE
from .version_files import version_refs


class VersionFiles:
    """The files of one stored version, each verified on reading against the version's manifest.

    An altered text is worse than a missing one: quotations would be checked against it.

    Args:
        artifacts: the library's files.
        raw_hash: the document's hash.
        version: the version's number.
        document: the document's name in error messages.
    """

    def __init__(self, artifacts: ArtifactStore, *, raw_hash: str, version: int, document: str) -> None:
        self._artifacts = artifacts
        self._raw_hash = raw_hash
        self._version = version
        self._document = document
        self.folder = version_refs(raw_hash, version, original="").conversion

    def read(self, ref: str) -> bytes:
        """The bytes of a reference into this version. A chunk set is not verified: it contains its own hashes.

        Raises:
            LibraryDamaged: the file is missing or was altered.
            StorageError: the file cannot be read.
        """
        name = ref.removeprefix(f"{self.folder}/")
        recorded = self._recorded.get(name)
        try:
            data = self._artifacts.read(ref)
        except UsageError as error:
            raise self.damaged(name, "is missing") from error
        if recorded is not None and (len(data), sha256(data).hexdigest()) != recorded:
            raise self.damaged(name, "was altered after it was stored")
        return data

    def text(self, name: str) -> str:
        """The content of a text file of this version.

        Raises:
            LibraryDamaged: as `read`; or the file is not UTF-8.
        """
        try:
            return self.read(f"{self.folder}/{name}").decode()
        except UnicodeDecodeError as error:
            raise self.damaged(name, "is not UTF-8") from error

    def damaged(self, name: str, what: str) -> LibraryDamaged:
        """The error for a damaged file of this version."""
        return LibraryDamaged(f"version {self._version} is damaged: {name} {what}", source=self._document)

    @cached_property
    def _recorded(self) -> dict[str, tuple[int, str]]:
        try:
            return dict(self._artifacts.manifest(self._raw_hash, self._version).files)
        except UsageError as error:
            raise self.damaged(VERSION_FILE, "is missing") from error
        except OctavoError as error:
            raise self.damaged(VERSION_FILE, "cannot be read") from error


class StoresVersions(Protocol):
    """A source of versions, for example a library: its files and its index."""

    @property
    def artifacts(self) -> ArtifactStore:
        """The files."""

    @property
    def index(self) -> Index:
        """The index."""


@contextmanager
def files_of(library: StoresVersions, record: DocumentRecord, version: int) -> Iterator[VersionFiles]:
    """The files of a version, for reading.

    Raises:
        UsageError: the document or the version was purged in the meantime.
        LibraryDamaged: a file that the block reads is missing or altered.
    """
    name = record.title or record.document_id
    try:
        yield VersionFiles(library.artifacts, raw_hash=record.raw_hash, version=version, document=name)
    except LibraryDamaged as damaged:
        library.index.documents.get(record.document_id)  # raises if the whole document was purged in the meantime
        rows = {row.version: row for row in library.index.versions.of_document(record.document_id)}
        if version in rows and rows[version].purged_at is not None:
            raise UsageError(f"version {version} was purged", source=name) from damaged
        raise damaged.located(source=name) from damaged.__cause__
