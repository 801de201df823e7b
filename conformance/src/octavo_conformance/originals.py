"""Vectors as files of the host, with the facts that no plugin may change."""

from __future__ import annotations

import hashlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from octavo_sandbox import SourceHandle

from .vectors import GoldenVector, HostileVector

AnyVector = GoldenVector | HostileVector


@dataclass(frozen=True)
class Original:
    """A vector as a file of the host.

    Attributes:
        path: the file.
        fd: opened read-only.
        before: the facts that must not change: hash, size, mode, modification time.
        handle: the source handle for a worker.
    """

    path: Path
    fd: int
    before: dict[str, object]
    handle: SourceHandle

    def now(self) -> dict[str, object]:
        """Return the current values of the facts in `before`."""
        return file_facts(self.path)


def file_facts(path: Path) -> dict[str, object]:
    """Return the facts about a file that a converter must not change."""
    facts = path.stat()
    return {
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "size": facts.st_size,
        "mode": oct(facts.st_mode),
        "modified": facts.st_mtime_ns,
    }


def make_original(vector: AnyVector, *, folder: Path) -> Original:
    """Write a vector as a file, and open it read-only.

    Args:
        vector: the document.
        folder: parent of the file's own folder.
    """
    # Folder and name tell a plugin nothing: neither the suite, nor whether it knows the document, nor its hash.
    path = folder / secrets.token_hex(4) / f"{secrets.token_hex(5)}{Path(vector.path).suffix}"
    path.parent.mkdir()
    path.write_bytes(vector.data)
    # A time stamp of the last years: a change is visible even within one tick of the clock.
    modified = 1_600_000_000 + secrets.randbelow(100_000_000)
    os.utime(path, (modified, modified))
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    handle = SourceHandle(
        fd=fd, name=path.name, media_type=vector.media_type, size=len(vector.data), sha256=vector_hash(vector)
    )
    return Original(path, fd, file_facts(path), handle)


def vector_hash(vector: AnyVector) -> str:
    """Return the SHA-256 of a vector's bytes, hex."""
    return hashlib.sha256(vector.data).hexdigest()
