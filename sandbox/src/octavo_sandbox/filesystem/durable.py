"""Crash-safe writes: a crash at any time leaves either the old state or the new one (STO-8).

Everything is written under a temporary name, flushed to the disk, and then made visible by one atomic operation of the
file system: renaming a folder, or hard-linking a file to a new name. The folder that contains the new name is
flushed too, because names are data of their folder.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from octavo_contracts import LibraryReadOnly, StorageError, StorageExhausted

FILE_MODE = 0o600
"""A library contains the text of documents: only its owner may read it."""

FOLDER_MODE = 0o700

AnyPath = str | os.PathLike[str]
"""Plain strings in loops over many files: joining a `Path` costs more than writing a small file."""

_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK})
_ALREADY_THERE = frozenset({errno.EEXIST, errno.ENOTEMPTY})
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


_NO_ROOM = 64 * 1024
"""Bytes: SQLite allocates 32 KB at once for its shared-memory file, and does not report a full disk when that fails."""


@contextmanager
def storage_errors(folder: Path, *, doing: str) -> Iterator[None]:
    """Convert `OSError` to a `StorageError` with its cause and a remedy.

    Args:
        folder: a folder on the affected disk; its free space is part of the message.
        doing: the operation, for example "storing a conversion".

    Raises:
        StorageExhausted: the disk is full or over quota.
        LibraryReadOnly: the folder is not writable.
        StorageError: the file system failed.
    """
    try:
        yield
    except OSError as error:
        raise _as_storage_error(error, folder, doing) from error


def _as_storage_error(error: OSError, folder: Path, doing: str) -> StorageError:
    if error.errno in _FULL:
        limit = " or a file size limit was reached" if error.errno == errno.EFBIG else ""
        return StorageExhausted(f"the disk is full{limit} while {doing}: {free_space(folder)} in {folder}")
    if error.errno in READ_ONLY:
        return LibraryReadOnly(
            f"{folder} is not writable while {doing}: {error.strerror}",
            remedy="Make the folder writable, or open a library elsewhere",
        )
    return StorageError(
        f"the file system failed while {doing} in {folder}: {error}",
        remedy="Check the disk, then run `octavo verify-store`",
    )


def output_failed(error: OSError, target: AnyPath) -> StorageError:
    """Build the error for an output that cannot be written, with a remedy that fits its cause."""
    if error.errno in READ_ONLY:
        remedy = "Get permission to write there, or write to another folder"
    elif error.errno in _FULL:
        remedy = "Free space, or write to another folder"
    else:
        remedy = "Check the disk, or write to another folder"
    return write_failed(error, f"{os.fspath(target)} cannot be written", remedy=remedy)


def write_failed(error: OSError, message: str, *, remedy: str) -> StorageError:
    """Build the error for a file outside a library that cannot be written: `StorageExhausted` if the disk is full."""
    kind = StorageExhausted if error.errno in _FULL else StorageError
    return kind(f"{message}: {error.strerror}", remedy=remedy)


def has_no_room(path: Path) -> bool:
    """Return whether the disk that contains a path is full, for errors that do not say so."""
    place = path if path.is_dir() else path.parent
    try:
        return shutil.disk_usage(place).free < _NO_ROOM
    except OSError:
        return False


def free_space(folder: Path) -> str:
    """Format the free space of the disk that contains `folder`, for messages."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return "free space unknown"
    return f"{free / 1_000_000:.1f} MB free"


def make_folder(path: AnyPath) -> None:
    """Create a folder and its missing parents, and flush each parent that gained a name."""
    if os.path.isdir(path):
        return
    parent = os.path.dirname(os.path.abspath(path))
    make_folder(parent)
    try:
        os.mkdir(path, FOLDER_MODE)
    except FileExistsError:
        return
    sync_folder(parent)


def write_file(path: AnyPath, data: bytes) -> None:
    """Write a file that does not exist yet, and flush it.

    Raises:
        FileExistsError: the file exists.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        sync_file(descriptor)
    finally:
        os.close(descriptor)


def sync_file(descriptor: int) -> None:
    """Flush a file to the storage medium, including the drive's own cache if the system distinguishes the two."""
    if sys.platform == "darwin":
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)


def sync_folder(path: AnyPath) -> None:
    """Flush the names in a folder. Windows has no such call and does not need it: NTFS journals names."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def publish_folder(staged: AnyPath, target: AnyPath) -> bool:
    """Rename a flushed folder to its final name, unless that name exists.

    A rename never replaces a folder that contains files, so exactly one of several racing writers wins.

    Args:
        staged: a folder on the same disk with at least one file.
        target: the final path; its parent exists.

    Returns:
        False if another writer created the name first; `staged` is then unchanged.
    """
    try:
        os.rename(staged, target)
    except OSError as error:
        if error.errno in _ALREADY_THERE or (sys.platform == "win32" and os.path.exists(target)):
            return False
        raise
    sync_folder(os.path.dirname(target))
    return True


def publish_file(staged: AnyPath, target: AnyPath) -> bool:
    """Give a flushed file its final name, unless that name exists; `staged` is removed in both cases.

    Returns:
        False if the name existed.
    """
    created = True
    try:
        os.link(staged, target)
    except FileExistsError:
        created = False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # exFAT and some network disks have no hard links. Published files are named by the hash of their content,
        # so a writer that gets between this check and the rename writes the same bytes.
        if os.path.exists(target):
            created = False
        else:
            os.rename(staged, target)
            sync_folder(os.path.dirname(target))
            return True
    os.unlink(staged)
    if created:
        sync_folder(os.path.dirname(target))
    return created


def replace_file(staged: AnyPath, target: AnyPath) -> None:
    """Atomically replace a file by a flushed one."""
    os.replace(staged, target)
    sync_folder(os.path.dirname(target))
