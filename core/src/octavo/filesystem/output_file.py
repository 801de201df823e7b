"""Writes a file that the user named: whole or not at all, and never over a document that Octavo read."""

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
"""The folder that marks a library; `octavo_library.storage.files.layout.MARKER`, which is not imported for every output."""
_MODE = 0o666
"""Less what the umask takes away, as any new file of the user's."""


def check_output(target: AnyPath, *, never: Sequence[AnyPath], shown: str = "output") -> None:
    """Raise when a file must not or cannot be written. Asked before the work, and again by `write_output`.

    Args:
        target: the file.
        never: documents, which are never modified (CNV-17).
        shown: what the command writes, for the message.

    Raises:
        UsageError: it is one of the documents, under this name or another, or its folder is not there.
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
            remedy="Give a name outside of the library's folder",
        )
    if not os.path.isdir(folder) and not _is_special(target):
        raise UsageError(f"there is no folder {folder}", remedy="Make it, or give a name in one that exists")


def write_output(
    target: AnyPath,
    data: bytes,
    *,
    never: Sequence[AnyPath],
    sha256: str | None = None,
    size: int | None = None,
    shown: str = "output",
) -> None:
    """Write a file in one step: a reader sees the old content or the new one. Devices and pipes are written directly.

    No other file of the folder is met: what is not finished has a random name that was free.

    Args:
        target: the file; one that is there is replaced. A link keeps pointing where it does.
        data: the content.
        never: as `check_output`.
        sha256: of the document's bytes, hex: a file with these bytes is not replaced, wherever it is. It may be the document
            that was moved, or the only copy of what came by a pipe.
        size: of the document in bytes, where it is known: another file need not be read then.
        shown: as `check_output`.

    Raises:
        UsageError: as `check_output`, or the target has the bytes of the document.
        StorageError: the disk is full or the place cannot be written.
        BrokenPipeError: nobody reads the pipe any more.
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
        from .durable import write_failed  # imported late: most outputs are written

        remedy = "Free space, or write to another place"
        raise write_failed(error, f"{os.fspath(target)} cannot be written", remedy=remedy) from error


def _has_bytes(folder: FolderHandle, name: str, sha256: str | None, size: int | None) -> bool:
    """Whether a regular file is there with these bytes."""
    try:
        with folder.reading(name) as descriptor:
            if size is not None and os.fstat(descriptor).st_size != size:
                return False
            return hash_of(descriptor) == sha256
    except OSError:  # nothing is there, or what cannot be read: then nothing of it was read as a document
        return False


def _write_special(target: AnyPath, data: bytes) -> None:
    # Neither made nor cut: where a regular file was put in its place meanwhile, that one is not written.
    descriptor = os.open(target, os.O_WRONLY | getattr(os, "O_CLOEXEC", 0))
    with os.fdopen(descriptor, "wb") as stream:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(0, "it became a regular file while it was opened")
        stream.write(data)


def _library_around(folder: str) -> Path | None:
    """The library that a folder is in, or is; None where it is in none."""
    place = Path(folder)
    return next((one for one in (place, *place.parents) if os.path.isdir(one / MARKER)), None)


def _is_special(target: AnyPath) -> bool:
    """Whether something is there that is no regular file."""
    try:
        return not stat.S_ISREG(os.stat(target).st_mode)
    except OSError:
        return False


def _is_same(target: AnyPath, document: AnyPath) -> bool:
    try:
        return os.path.samefile(target, document)
    except OSError:
        return False
