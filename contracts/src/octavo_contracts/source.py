"""The document as a hook sees it: readable bytes, never a writable path to the original (CNV-17)."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import BinaryIO, Protocol, runtime_checkable


@runtime_checkable
class SourceView(Protocol):
    """A hook's read-only view of the document."""

    @property
    def name(self) -> str:
        """The document's name, for messages and for engines that look at the extension. Not a path."""

    @property
    def media_type(self) -> str:
        """Its media type, detected from the content."""

    @property
    def size(self) -> int:
        """Its size in bytes."""

    @property
    def sha256(self) -> str:
        """SHA-256 of its bytes, hex."""

    def open(self) -> BinaryIO:
        """Open a new read-only binary stream at the first byte. The caller must close it."""

    def read_bytes(self) -> bytes:
        """Return all bytes."""

    @property
    def path(self) -> Path:
        """A private copy in the work folder with the document's extension, created on first access.

        For engines that need a path. Prefer `open`: it makes no copy.
        """


class FileSource:
    """A `SourceView` of a file, for tests and for running a plugin by hand.

    Args:
        path: the file.
        media_type: its type, for example "application/pdf".
        name: its name for messages; default: the last part of the path.
        work_dir: folder in which `path` creates its copy; default: a temporary folder, which
            is removed when the process ends.
    """

    def __init__(
        self, path: str | Path, *, media_type: str, name: str | None = None, work_dir: Path | None = None
    ) -> None:
        self._original = Path(path)
        self._media_type = media_type
        self._name = name or self._original.name
        self._work_dir = work_dir
        self._copy: Path | None = None
        self._sha256: str | None = None

    @property
    def name(self) -> str:
        """See `SourceView`."""
        return self._name

    @property
    def media_type(self) -> str:
        """See `SourceView`."""
        return self._media_type

    @property
    def size(self) -> int:
        """See `SourceView`."""
        return self._original.stat().st_size

    @property
    def sha256(self) -> str:
        """See `SourceView`."""
        if self._sha256 is None:
            with self._original.open("rb") as stream:
                self._sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        return self._sha256

    def open(self) -> BinaryIO:
        """See `SourceView`."""
        return self._original.open("rb")

    def read_bytes(self) -> bytes:
        """See `SourceView`."""
        with self.open() as stream:
            return stream.read()

    @property
    def path(self) -> Path:
        """See `SourceView`."""
        if self._copy is None:
            self._copy = private_copy(self, self._work_dir or _temporary_folder())
        return self._copy


def _temporary_folder() -> Path:
    """A new folder that is removed when the process ends: a path may be used longer than its source."""
    folder = Path(tempfile.mkdtemp(prefix="octavo-source-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def private_copy(source: SourceView, folder: Path) -> Path:
    """Copy a source's bytes to `folder` under a generated name with the source's extension."""
    suffix = Path(source.name).suffix.lower()
    safe = suffix if suffix[1:].isalnum() and suffix.isascii() and len(suffix) <= 10 else ""
    target = folder / f"source-{source.sha256[:16]}{safe}"
    if not target.exists():
        with source.open() as stream, target.open("xb") as copy:
            while block := stream.read(1 << 20):
                copy.write(block)
        os.chmod(target, 0o400)
    return target
