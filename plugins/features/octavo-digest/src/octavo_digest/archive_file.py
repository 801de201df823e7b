"""Reads an archived text from a folder that may come from others."""

from __future__ import annotations

import os
from pathlib import Path

from octavo_contracts import StorageError
from octavo_sandbox.filesystem.folder_handle import FolderHandle

MAX_TEXT_BYTES = 256 << 20
"""Maximum size of an archived text: that of what a worker returns for a document (`SandboxLimits.result_bytes`)."""

_BLOCK = 1 << 20
_REMEDY = "Get the archive again from who exported it"


def read_archived(path: Path) -> str | None:
    """Return the text in a regular file, or None if there is no file.

    Undecodable bytes are not the text that was written: a replacement character stands for each, so that its hash differs.

    Raises:
        StorageError: it is a link, a folder, a pipe or a device, is too large, or cannot be read.
    """
    try:
        with FolderHandle.open(path.parent) as folder, folder.reading(path.name) as descriptor:
            size = os.fstat(descriptor).st_size
            data = _read(descriptor) if size <= MAX_TEXT_BYTES else None
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        is_special = path.is_symlink() or (path.exists() and not path.is_file())
        told = "it is a link, a folder, a pipe or a device" if is_special else error.strerror
        raise StorageError(f"the archived text {path} cannot be read: {told}", remedy=_REMEDY) from error
    if data is None or len(data) > MAX_TEXT_BYTES:
        told = f"the archived text {path} cannot be read: it is larger than {MAX_TEXT_BYTES >> 20} MiB, more than Octavo writes"
        raise StorageError(told, remedy=_REMEDY)
    return data.decode(errors="replace")


def _read(descriptor: int) -> bytes:
    """The content; of a file that grows, little more than the limit."""
    found = bytearray()
    while len(found) <= MAX_TEXT_BYTES and (block := os.read(descriptor, _BLOCK)):
        found += block
    return bytes(found)
