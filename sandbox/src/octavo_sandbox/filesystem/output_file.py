"""Writes a file that the user named: atomically, and never over a document that Octavo reads."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from octavo_contracts import UsageError

from .folder_handle import FolderHandle, hash_of

AnyPath = str | os.PathLike[str]
MARKER = ".octavo-library"
"""Folder that marks a library. Equals `octavo_library.storage.files.layout.MARKER`, which would be slow to import."""
_MODE = 0o666
"""Permissions of a new file of the user, reduced by the umask."""


def check_output(target: AnyPath, *, never: Sequence[AnyPath], shown: str = "output") -> None:
    """Raise if a file must not or cannot be written. Called before the work, and again by `write_output`.

    Args:
        target: the file.
        never: documents, which are never modified (CNV-17).
        shown: what the command writes, for the message.

    Raises:
        UsageError: the file is one of the documents, under this or another name; or its folder is in a library or
            missing.
    """
    if any(_is_same(target, document) for document in never):
        raise UsageError(
            f"the {shown} would replace the document itself", source=os.fspath(target), remedy="Give another name"
        )
    folder = os.path.dirname(os.path.realpath(target))
    if (library := _library_around(folder)) is not None:
        raise UsageError(
            f"the {shown} would be written into the library {library}",
            source=os.fspath(target),
            remedy="Give a name outside the library's folder",
        )
    if not os.path.isdir(folder) and not _is_special(target):
        raise UsageError(f"folder {folder} does not exist", remedy="Create it, or give a name in an existing folder")


def write_output(
    target: AnyPath,
    data: bytes,
    *,
    never: Sequence[AnyPath],
    sha256: str | None = None,
    size: int | None = None,
    shown: str = "output",
) -> None:
    """Write a file atomically: a reader sees the old content or the new one. Devices and pipes are written directly.

    Other files of the folder are safe: the temporary file has a random name that did not exist.

    Args:
        target: the file; an existing one is replaced. A link is followed and kept.
        data: the content.
        never: see `check_output`.
        sha256: SHA-256 of the document, hex: a file with these bytes is never replaced, wherever it is. It may be the
            moved document, or the only copy of a document that was read from a pipe.
        size: size of the document in bytes, if known: files of another size need not be read.
        shown: see `check_output`.

    Raises:
        UsageError: see `check_output`; or the target has the bytes of the document.
        StorageError: the disk is full or the target is not writable.
        BrokenPipeError: the reader of the pipe has closed it.
    """
    check_output(target, never=never, shown=shown)
    try:
        if _is_special(target):
            _write_special(target, data)
            return
        real = Path(os.path.realpath(target))
        with FolderHandle.open(real.parent) as folder:
            if sha256 not in (None, hashlib.sha256(data).hexdigest()) and _has_bytes(folder, real.name, sha256, size):
                raise UsageError(
                    f"the {shown} would replace a file that has the bytes of the document",
                    source=os.fspath(target),
                    remedy="Give another name",
                )
        with FolderHandle.open(real.parent) as folder, folder.staged(data, mode=_MODE) as staged:
            folder.replace(staged, real.name)
    except BrokenPipeError:
        raise
    except OSError as error:
        from .durable import output_failed  # imported here, since most writes succeed

        raise output_failed(error, target) from error


def _has_bytes(folder: FolderHandle, name: str, sha256: str | None, size: int | None) -> bool:
    """Return whether a regular file with these bytes exists."""
    try:
        with folder.reading(name) as descriptor:
            if size is not None and os.fstat(descriptor).st_size != size:
                return False
            return hash_of(descriptor) == sha256
    except OSError:  # missing or unreadable, so it was not read as a document
        return False


def _write_special(target: AnyPath, data: bytes) -> None:
    # Neither create nor truncate: if a regular file has replaced the device meanwhile, do not write to it.
    descriptor = os.open(target, os.O_WRONLY | getattr(os, "O_CLOEXEC", 0))
    with os.fdopen(descriptor, "wb") as stream:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(0, "it was replaced by a regular file while it was opened")
        stream.write(data)


def _library_around(folder: str) -> Path | None:
    """Return the library that contains a folder, or is the folder itself; None if there is none."""
    place = Path(folder)
    return next((one for one in (place, *place.parents) if os.path.isdir(one / MARKER)), None)


def _is_special(target: AnyPath) -> bool:
    """Return whether the target exists and is not a regular file."""
    try:
        return not stat.S_ISREG(os.stat(target).st_mode)
    except OSError:
        return False


def _is_same(target: AnyPath, document: AnyPath) -> bool:
    try:
        return os.path.samefile(target, document)
    except OSError:
        return False
