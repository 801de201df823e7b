"""Reserves disk space in a library, so that a purge can be logged even when the disk is full.

A purge writes before it deletes: SQLite needs 32 KB for the shared-memory file, and the log of a transaction that names
what is deleted (STO-12). So each library keeps a file without other use and releases it when a purge needs space. The
next thing to be released is the chunk index, which the next search rebuilds.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from octavo_sandbox.filesystem import durable

from . import layout

SIZE = 1 << 20
"""Bytes of the reserve."""

_MARK = b"octavo reserve 1\n"
"""Start of the file: mark and size identify the file as Octavo's own before it is removed."""

_SPARE = 8 * SIZE
"""Free bytes required before a reserve is created: a nearly full disk is not filled further."""

_OF_SEARCH = re.compile(r"chunks-\d{20}\.sqlite(-wal|-shm)?")


def keep(root: Path, *, staged: str, again: bool = False) -> bool:
    """Create the reserve, unless it exists or the disk has little free space.

    It is written under another name first: a process that is killed meanwhile leaves no part of a reserve in its place,
    which would never be replaced.

    Args:
        root: the library's folder.
        staged: an unused path in the temporary folder of the library's owner.
        again: the reserve was released and is to be restored, if the disk has space at all.

    Returns:
        Whether the reserve exists now.
    """
    path = root / layout.RESERVE
    if os.path.lexists(path) and not _is_cut_short(path):
        return _is_own(path)
    try:
        if not again and shutil.disk_usage(root).free < _SPARE:
            return False
        # Random bytes: a file system that compresses would allocate nothing for zeros.
        durable.write_file(staged, _MARK + os.urandom(SIZE - len(_MARK)))
        if _is_cut_short(path):
            path.unlink()  # begins with the mark: it was made by a version that wrote it in place
        # A user's file or link that takes the name meanwhile stays: a name that exists is not replaced.
        return durable.publish_file(staged, path)
    except OSError:  # the reserve is optional: opening a library does not fail for it
        with suppress(OSError):
            os.unlink(staged)
        return False


def _is_own(path: Path) -> bool:
    """Whether the file is a reserve that `keep` created: a regular file of its size that begins with its mark."""
    return _size_of_own(path) == SIZE


def _is_cut_short(path: Path) -> bool:
    """Whether the file is the beginning of a reserve, left by a process that was killed while it wrote."""
    return 0 <= _size_of_own(path) < SIZE


def _size_of_own(path: Path) -> int:
    """Size of a regular file that begins with the mark; -1 for any other file, a link, or none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return -1
    try:
        facts = os.fstat(descriptor)
        is_marked = stat.S_ISREG(facts.st_mode) and os.read(descriptor, len(_MARK)) == _MARK
        return facts.st_size if is_marked else -1
    except OSError:
        return -1
    finally:
        os.close(descriptor)


def give_back(root: Path) -> bool:
    """Release the reserve, or else the chunk index; returns whether anything was released."""
    if _is_own(root / layout.RESERVE):
        with suppress(FileNotFoundError):  # another process released it first
            os.unlink(root / layout.RESERVE)
            return True
    folder = root / layout.SEARCH
    if folder.is_symlink():  # the target may be another library's
        return False
    freed = 0
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return False
    for name in names:
        if _OF_SEARCH.fullmatch(name):
            path = folder / name
            with suppress(OSError):  # on Windows, another process may have it open
                size = path.stat().st_size
                path.unlink()
                freed += size
    return freed > 0
