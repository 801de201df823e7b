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

from octavo.filesystem.durable import FILE_MODE

from . import layout

SIZE = 1 << 20
"""Bytes of the reserve."""

_MARK = b"octavo reserve 1\n"
"""Start of the file: mark and size identify the file as Octavo's own before it is removed."""

_SPARE = 8 * SIZE
"""Free bytes required before a reserve is created: a nearly full disk is not filled further."""

_OF_SEARCH = re.compile(r"chunks-\d{20}\.sqlite(-wal|-shm)?")


def keep(root: Path, *, again: bool = False) -> bool:
    """Create the reserve, unless it exists or the disk has little free space.

    Args:
        root: the library's folder.
        again: the reserve was released and is to be restored, if the disk has space at all.

    Returns:
        Whether the reserve exists now.
    """
    path = root / layout.RESERVE
    if os.path.lexists(path):
        return _is_own(path)
    try:
        if not again and shutil.disk_usage(root).free < _SPARE:
            return False
        # Random bytes: a file system that compresses would allocate nothing for zeros.
        # O_EXCL: a user's file or link in this place is neither followed nor written.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
        try:
            written = os.write(descriptor, _MARK + os.urandom(SIZE - len(_MARK)))
        finally:
            os.close(descriptor)
        if written < SIZE:
            os.unlink(path)  # made above, by this call
            return False
    except OSError:  # the reserve is optional: opening a library does not fail for it
        return False
    return True


def _is_own(path: Path) -> bool:
    """Whether the file is a reserve that `keep` created: a regular file of its size that begins with its mark."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return False
    try:
        facts = os.fstat(descriptor)
        return stat.S_ISREG(facts.st_mode) and facts.st_size == SIZE and os.read(descriptor, len(_MARK)) == _MARK
    except OSError:
        return False
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
