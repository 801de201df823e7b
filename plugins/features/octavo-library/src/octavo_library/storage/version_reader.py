"""Reads the files of a stored version, and says so where they are not the ones that were stored."""

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
    """The files of one stored version, each compared when it is read with what the version says of it.

    A text that was altered on the disk is worse than none: quotations would be checked against it.

    Args:
        artifacts: the library's files.
        raw_hash: the document's.
        version: the version's number.
        document: the document as messages name it.
    """

    def __init__(self, artifacts: ArtifactStore, *, raw_hash: str, version: int, document: str) -> None:
        self._artifacts = artifacts
        self._raw_hash = raw_hash
        self._version = version
        self._document = document
        self.folder = version_refs(raw_hash, version, original="").conversion

    def read(self, ref: str) -> bytes:
        """The bytes of a reference into this version. A chunk set is given as it is: it has its own hashes inside.

        Raises:
            LibraryDamaged: the file is missing, or not the one that was stored.
            StorageError: it cannot be read.
        """
        name = ref.removeprefix(f"{self.folder}/")
        recorded = self._recorded.get(name)
        try:
            data = self._artifacts.read(ref)
        except UsageError as error:
            raise self.damaged(name, "is missing") from error
        if recorded is not None and (len(data), sha256(data).hexdigest()) != recorded:
            raise self.damaged(name, "is not the file that was stored")
        return data

    def text(self, name: str) -> str:
        """A text by its file's name.

        Raises:
            LibraryDamaged: as `read`.
        """
        try:
            return self.read(f"{self.folder}/{name}").decode()
        except UnicodeDecodeError as error:
            raise self.damaged(name, "is not UTF-8") from error

    def damaged(self, name: str, what: str) -> LibraryDamaged:
        """The error that says what is wrong with a file."""
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
    """What versions are read from: a library has both."""

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
        UsageError: the document or the version was purged since.
        LibraryDamaged: a file that is read inside is missing or altered.
    """
    name = record.title or record.document_id
    try:
        yield VersionFiles(library.artifacts, raw_hash=record.raw_hash, version=version, document=name)
    except LibraryDamaged as damaged:
        library.index.documents.get(record.document_id)  # raises where the whole document was purged meanwhile
        rows = {row.version: row for row in library.index.versions.of_document(record.document_id)}
        if version in rows and rows[version].purged_at is not None:
            raise UsageError(f"version {version} was purged", source=name) from damaged
        raise damaged.located(source=name) from damaged.__cause__
