"""Writing files so that a crash at any instant leaves the old state or the new one (STO-8).

Everything is written under a temporary name, flushed to the disk, and then made visible by one step that the
file system does whole: a rename of a folder, or a hard link to a name that did not exist. The folder that holds
the new name is flushed too, because a name is data of its folder.
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
"""A library holds what documents say: nobody but its owner reads it."""

FOLDER_MODE = 0o700

AnyPath = str | os.PathLike[str]
"""Plain strings where there are many: a `Path` costs more to join than a small file to write."""

_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK})
_ALREADY_THERE = frozenset({errno.EEXIST, errno.ENOTEMPTY})
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


_NO_ROOM = 64 * 1024
"""Bytes: SQLite wants 32 KB at one stroke for the file that its users share, and does not say that they are lacking."""


@contextmanager
def storage_errors(folder: Path, *, doing: str) -> Iterator[None]:
    """Turn the system's errors into a `StorageError` with the cause and what to do.

    Args:
        folder: a folder on the disk concerned; its free space goes into the message.
        doing: what was under way, for example "storing a conversion".

    Raises:
        StorageExhausted: the disk is full or over quota.
        LibraryReadOnly: the folder may not be written.
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
            f"{folder} may not be written while {doing}: {error.strerror}",
            remedy="Make the folder writable for you, or open a library elsewhere",
        )
    return StorageError(
        f"the file system failed while {doing} in {folder}: {error}",
        remedy="Check the disk, then run `octavo verify-store`",
    )


def write_failed(error: OSError, message: str, *, remedy: str) -> StorageError:
    """The error for a file outside a library that cannot be written: exhausted where the disk is full, else not."""
    kind = StorageExhausted if error.errno in _FULL else StorageError
    return kind(f"{message}: {error.strerror}", remedy=remedy)


def has_no_room(path: Path) -> bool:
    """Whether the disk that holds a path is full, for errors that do not say so themselves."""
    place = path if path.is_dir() else path.parent
    try:
        return shutil.disk_usage(place).free < _NO_ROOM
    except OSError:
        return False


def free_space(folder: Path) -> str:
    """The free space of the disk that holds `folder`, in words, for messages."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return "free space unknown"
    return f"{free / 1_000_000:.1f} MB free"


def make_folder(path: AnyPath) -> None:
    """Make a folder and its missing parents, and flush each parent that got a new name."""
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
        FileExistsError: it exists.
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
    """Flush a file to the medium, past the drive's own cache where the system distinguishes the two."""
    if sys.platform == "darwin":
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)


def sync_folder(path: AnyPath) -> None:
    """Flush the names in a folder. Windows has no such call and needs none: NTFS journals names."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def publish_folder(staged: AnyPath, target: AnyPath) -> bool:
    """Give a flushed folder its name, unless the name is taken.

    A rename never replaces a folder that has files in it, so of many racing writers exactly one wins.

    Args:
        staged: a folder on the same disk with at least one file.
        target: the name it is to have; its parent exists.

    Returns:
        False where another writer has the name; `staged` is then untouched.
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
    """Give a flushed file its name, unless the name is taken; `staged` is gone afterwards.

    Returns:
        False where the name was taken before.
    """
    created = True
    try:
        os.link(staged, target)
    except FileExistsError:
        created = False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # exFAT and some network disks have no hard links. What is published here is named by its content's
        # hash, so a writer who comes between the look and the rename brings the same bytes.
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
    """Put a flushed file in the place of another, whole."""
    os.replace(staged, target)
    sync_folder(os.path.dirname(target))
