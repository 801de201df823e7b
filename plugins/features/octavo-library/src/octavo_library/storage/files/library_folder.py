"""Decides whether a folder may become or be opened as a library: only if Octavo created it, or if no name collides.

A library sweeps and writes by names in its folder (`tmp`, `locks`, `originals`, …). A user's folder may contain these
names too; it is refused before anything in it is created, opened or removed.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

from octavo_contracts import UsageError
from octavo_sandbox.filesystem.folder_handle import FolderHandle

from . import layout

_SQLITE = b"SQLite format 3\0"
_OWN_TABLES = frozenset({"alembic_version", "meta"})
"""Tables of every index, created in one transaction with all others."""
_TELLING_TABLE = "document_source_instances"


def check_folder(root: Path) -> None:
    """Raise if a folder cannot be a library; a folder that is missing or empty can.

    A library is recognised by its marker, or by its index if an older version of Octavo created it.

    Raises:
        UsageError: the folder is not a library and contains a name that a library would use.
    """
    if is_marked(root) or (root / layout.INDEX_ELSEWHERE).is_file():
        return
    index = root / layout.INDEX
    if index.is_file() and index.stat().st_size:
        refuse_foreign_index(index)
        return
    # An empty index was made by an older version that was killed at that moment, and proves nothing. Files beside it
    # may be a user's and are kept: a library enters folders only by Octavo's own names, but it would replace files.
    names = layout.FILES if index.is_file() else (*layout.FOLDERS, *layout.FILES)
    taken = [name for name in names if os.path.lexists(root / name)]
    # Another process may create the library meanwhile: it makes the marker first, then the folders.
    if taken and not is_marked(root):
        raise UsageError(
            f"the folder {root} is not a library and contains {taken[0]!r}, a name that a library would use",
            remedy="Name a new or empty folder",
        )


def is_marked(root: Path) -> bool:
    """Whether the folder has the library marker. The marker is a folder because a folder is created in one step."""
    try:
        return stat.S_ISDIR((root / layout.MARKER).lstat().st_mode)
    except OSError:
        return False


def mark_folder(root: Path) -> bool:
    """Create the marker in a library's folder; returns whether this call created it.

    Raises:
        OSError: the marker cannot be created. Not raised for a library of an older version: its index identifies it.
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
    """Remove the marker from a folder that did not become a library."""
    with suppress(OSError), FolderHandle.open(root) as folder:
        folder.remove_empty(layout.MARKER)


def refuse_foreign_index(path: Path) -> None:
    """Raise if a file is another program's database, before a connection changes it.

    A file that is no database or cannot be read is left to SQLite, which reports the reason.

    Raises:
        UsageError: the file has tables, and they are not those of an index.
    """
    try:
        with path.open("rb") as stream:
            if stream.read(len(_SQLITE)) != _SQLITE:
                return
        # Immutable: SQLite takes no lock and creates no log. Tables that are only in a log are not seen; the database
        # file has no table then.
        uri = f"file:{quote(os.fsencode(path))}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except (OSError, sqlite3.Error):
        return
    # A damaged index may lack one of these tables; no other program uses the name of `_TELLING_TABLE`.
    if tables and not tables >= _OWN_TABLES and _TELLING_TABLE not in tables:
        raise UsageError(f"{path} is another program's database", remedy="Name a new or empty folder for the library")
