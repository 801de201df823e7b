"""Room that a library sets aside for the moment when its disk is full: without any, not even a purge could be noted.

A purge writes before it deletes: SQLite needs 32 KB for the file that its users share, and the log of a transaction that
says what goes (STO-12). So each library keeps a file that is of no other use, and gives it back when a purge needs room.
After that, the chunk index goes, which is made again from the rest by the next search.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

from . import layout
from .durable import FILE_MODE

SIZE = 1 << 20
"""Bytes of the reserve."""

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
    try:
        if path.stat().st_size >= SIZE:
            return True
    except FileNotFoundError:
        pass
    except OSError:
        return False
    try:
        if not again and shutil.disk_usage(root).free < _SPARE:
            return False
        # Random bytes: a file system that compresses would set nothing aside for zeros.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
        try:
            os.write(descriptor, os.urandom(SIZE))
        finally:
            os.close(descriptor)
    except OSError:  # it is a convenience for later: an opening does not fail for it
        return False
    return True


def give_back(root: Path) -> bool:
    """Free what is set aside, or else the chunk index; returns whether there was anything to free."""
    with suppress(FileNotFoundError):
        os.unlink(root / layout.RESERVE)
        return True
    folder = root / layout.SEARCH
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
