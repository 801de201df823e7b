"""The chunk index of a library that cannot be written: the existing file, or a copy of it in memory.

If the file is up to date, a search reads it. Otherwise it works on a copy in memory with the same content, which is
updated instead of the file; the copy is discarded when the library is closed.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from ..storage.index.sqlite_reader import SqliteReader
from .cjk_segmentation import searchable
from .library_tables import LibraryTables
from .storage import SCHEMA, Storage, database_errors, newest

_NONE = "chunks-00000000000000000000.sqlite"


class FrozenStorage(Storage):
    """As `Storage`, read-only.

    Args:
        folder: the folder of the file, if it exists.
        library: the library's index.
        library_id: the library's own id; a file of another library is not used.
        in_memory: whether to work on a writable copy in memory.

    Raises:
        LibraryReadOnly: there is no file that can be read unchanged; set `in_memory`.
    """

    def __init__(self, folder: Path, *, library: LibraryTables, library_id: str, in_memory: bool) -> None:
        found = newest(folder)
        self._path = found or folder / _NONE
        with database_errors(self._path):
            if in_memory:
                self.connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False, uri=True)
            else:
                self.connection = SqliteReader(self._path).connect()
        try:
            with database_errors(self._path):
                if in_memory and found is not None:
                    self._copy(found, library_id)
                library.attach(self.connection)
                self.connection.create_function("searchable", 1, searchable, deterministic=True)
                self._check(library_id)
        except BaseException:
            self.connection.close()
            raise

    def check_current(self) -> None:
        """Do nothing: the opened file or copy is never replaced."""

    def _copy(self, path: Path, library_id: str) -> None:
        """Copy the content of the file, unless it is unusable: then everything is indexed again, in memory."""
        try:
            with closing(SqliteReader(path).connect()) as source:
                owner = source.execute("SELECT value FROM facts WHERE key = 'library_id'").fetchone()
                if source.execute("PRAGMA user_version").fetchone()[0] == SCHEMA and owner == (library_id,):
                    source.backup(self.connection)
        except sqlite3.Error:
            return
