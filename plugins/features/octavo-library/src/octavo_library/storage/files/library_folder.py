"""Whose a folder is: a library is made and opened only where Octavo made one, or where nothing of its names is taken.

What a library sweeps and writes goes by names in its folder (`tmp`, `locks`, `originals`, …). A folder of the user's may
have these names too, so that it is refused before anything in it is made, opened or removed.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

from octavo.filesystem.folder_handle import FolderHandle
from octavo_contracts import UsageError

from . import layout

_SQLITE = b"SQLite format 3\0"
_OWN_TABLES = frozenset({"alembic_version", "meta"})
"""Tables that every index has, made in one transaction with all others."""
_TELLING_TABLE = "document_source_instances"


def check_folder(root: Path) -> None:
    """Raise where a folder cannot be a library; a folder that is not there, or is empty, can.

    A library is known by its marker, or by its index, where an older version of Octavo made it.

    Raises:
        UsageError: the folder has a name that a library would take for its own, and is none.
    """
    if is_marked(root) or (root / layout.INDEX_ELSEWHERE).is_file():
        return
    index = root / layout.INDEX
    if index.is_file() and index.stat().st_size:
        refuse_foreign_index(index)
        return
    # An empty index was made by an older version that was killed at that moment: it proves nothing. Whatever lies beside
    # it may be a user's, and is kept: folders are entered by names of Octavo's alone, files would be replaced.
    names = layout.FILES if index.is_file() else (*layout.FOLDERS, *layout.FILES)
    taken = [name for name in names if os.path.lexists(root / name)]
    if taken:
        raise UsageError(
            f"the folder {root} is no library, and {taken[0]!r} in it has a name that a library would use",
            remedy="Name a folder that is new or empty",
        )


def is_marked(root: Path) -> bool:
    """Whether the folder has the marker of a library, which is a folder itself: it is made in one step."""
    try:
        return stat.S_ISDIR((root / layout.MARKER).lstat().st_mode)
    except OSError:
        return False


def mark_folder(root: Path) -> bool:
    """Put the marker into a library's folder; whether this call did.

    Raises:
        OSError: it cannot be made; not raised for the library of an older version, which its index proves too.
    """
    if is_marked(root):
        return False
    try:
        with FolderHandle.open(root) as folder:
            return folder.make_folder(layout.MARKER)
    except OSError:
        if (root / layout.INDEX).is_file() or (root / layout.INDEX_ELSEWHERE).is_file():
            return False
        raise


def unmark_folder(root: Path) -> None:
    """Take the marker out of a folder that was to become a library and did not."""
    with suppress(OSError), FolderHandle.open(root) as folder:
        folder.remove_empty(layout.MARKER)


def refuse_foreign_index(path: Path) -> None:
    """Raise where a file is a database of another program's, before a connection changes anything in it.

    What is no database, or cannot be read, is left to SQLite, which then names the reason.

    Raises:
        UsageError: it has tables, and they are not an index's.
    """
    try:
        with path.open("rb") as stream:
            if stream.read(len(_SQLITE)) != _SQLITE:
                return
        # Immutable: nothing is locked, and no log is made beside it. What stands only in a log is not seen; then the
        # file has no table yet.
        uri = f"file:{quote(os.fsencode(path))}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except (OSError, sqlite3.Error):
        return
    # A damaged index may lack one of these; the other name is nobody else's.
    if tables and not tables >= _OWN_TABLES and _TELLING_TABLE not in tables:
        raise UsageError(
            f"{path} is the database of another program", remedy="Name a folder for the library that is new or empty"
        )
