"""Room that a library sets aside for the moment when its disk is full: without any, not even a purge could be noted.

A purge writes before it deletes: SQLite needs 32 KB for the file that its users share, and the log of a transaction that
says what goes (STO-12). So each library keeps a file that is of no other use, and gives it back when a purge needs room.
After that, the chunk index goes, which is made again from the rest by the next search.
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
"""The beginning of the file: by it and by its size the file is known as Octavo's own before it is removed."""

_SPARE = 8 * SIZE
"""Bytes that have to be free before a reserve is made: a full disk is not made fuller."""

_OF_SEARCH = re.compile(r"chunks-\d{20}\.sqlite(-wal|-shm)?")


def keep(root: Path, *, again: bool = False) -> bool:
    """Set the reserve aside, unless it is there or the disk has little room.

    Args:
        root: the library's folder.
        again: it was given back and is to be restored, as far as the disk has room.

    Returns:
        Whether it is there now.
    """
    path = root / layout.RESERVE
    if os.path.lexists(path):
        return _is_own(path)
    try:
        if not again and shutil.disk_usage(root).free < _SPARE:
            return False
        # Random bytes: a file system that compresses would set nothing aside for zeros.
        # Only ever under a free name: a file or link of the user's in this place is neither followed nor written.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
        try:
            written = os.write(descriptor, _MARK + os.urandom(SIZE - len(_MARK)))
        finally:
            os.close(descriptor)
        if written < SIZE:
            os.unlink(path)  # made above, by this call
            return False
    except OSError:  # it is a convenience for later: an opening does not fail for it
        return False
    return True


def _is_own(path: Path) -> bool:
    """Whether this is the reserve that `keep` made: a regular file of its size that begins with its mark."""
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
    """Free what is set aside, or else the chunk index; returns whether there was anything to free."""
    if _is_own(root / layout.RESERVE):
        with suppress(FileNotFoundError):  # another process was quicker
            os.unlink(root / layout.RESERVE)
            return True
    folder = root / layout.SEARCH
    if folder.is_symlink():  # behind a link may be another library's
        return False
    freed = 0
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return False
    for name in names:
        if _OF_SEARCH.fullmatch(name):
            path = folder / name
            with suppress(OSError):  # another process may have it open, on Windows
                size = path.stat().st_size
                path.unlink()
                freed += size
    return freed > 0
