"""Locates a library's index: in its folder, or in a database on a server, for which the folder contains a note.

The note names the library, not the server: a URL may contain a password, and servers move. Without the note, a folder
whose index is on a server would be taken for an empty library, and any database for the index of any folder.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path

from octavo_contracts import LibraryDamaged, Retry, StorageError, UsageError

from ..files import layout
from ..files.artifacts import ArtifactStore
from ..files.file_store import FileReader
from ..files.folder_store import FolderStore
from ..files.read_only import ReadOnlyStore
from .dialect import REBUILD, library_url
from .index import Index
from .server import server_url, shown

_HASH = re.compile(r"[0-9a-f]{64}")
_LIBRARY_ID = re.compile(rb'"key":\s*"library_id",\s*"value":\s*"([0-9a-f]{32})"')
_HEAD = 4096
"""Bytes at the start of a library's record that contain its id: the first table has it."""


def has_index(folder: Path) -> bool:
    """Whether a folder is a library."""
    return (folder / layout.INDEX).is_file() or (folder / layout.INDEX_ELSEWHERE).is_file()


def check_not_lost(folder: Path) -> None:
    """Raise if a library has documents but no index: a new, empty one would treat the documents as orphans.

    Raises:
        LibraryDamaged: the index is missing.
    """
    if not has_index(folder) and has_documents(folder):
        raise LibraryDamaged(
            f"the library at {folder} has documents and no index: {layout.INDEX} is missing", remedy=REBUILD
        )


def has_documents(folder: Path) -> bool:
    """Whether a library's folder contains a document folder, whatever its index says."""
    with suppress(FileNotFoundError), os.scandir(folder / layout.BY_HASH) as entries:
        # Only folders named by a hash count: a folder of the user's may also be called `by_hash`.
        return any(_HASH.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False) for entry in entries)
    return False


def recorded_id(store: ArtifactStore) -> str | None:
    """The library id in the record beside the index; None if that record is missing or damaged."""
    found = _LIBRARY_ID.search((store.find(layout.LIBRARY_RECORD) or b"")[:_HEAD])
    return found[1].decode() if found else None


def open_index(store: ArtifactStore, *, url: str | None = None, read_only: StorageError | None = None) -> Index:
    """Open a library's index; created if it does not exist.

    Args:
        store: the library's opened files.
        url: of a PostgreSQL database for the index; None if the index is in the folder.
        read_only: why the index cannot be written, or None; see `Index`.

    Raises:
        UsageError: the index is on a server and no URL is given, it is in the folder and a URL is given, the URL is not
            one of a PostgreSQL database, or the database is the index of another library.
        LibraryDamaged: the library has documents, and the index is missing, empty, or that of another library.
        IndexUnreachable: the server cannot be reached or rejects the login.
        ToolUnavailable: the driver of PostgreSQL is not installed.
        StorageError: the index cannot be opened or written, is damaged, or was made by a newer Octavo.
    """
    folder = store.root
    is_folder = isinstance(store.store, FolderStore)
    noted = noted_id(store.store)
    if url is None:
        if noted is not None or not is_folder:
            raise UsageError(
                f"the index of the library at {store.place} is in a database on a server",
                remedy="Give its URL as `index`: in Python, in octavo.toml, or as OCTAVO_INDEX",
            )
        check_not_lost(folder)
        may_be_empty = not has_documents(folder)
        index = Index(library_url(folder), read_only=read_only, may_be_empty=may_be_empty)
        try:
            if not may_be_empty:
                _check_own(store, index)
        except BaseException:
            index.close()
            raise
        return index
    place = server_url(url)
    if is_folder and (folder / layout.INDEX).is_file():
        raise UsageError(
            f"the library at {folder} has its index in {layout.INDEX}, not on a server",
            remedy="Omit the index URL, or ingest the documents into a new library",
        )
    index = Index(place, read_only=read_only, may_be_empty=not _has_documents(store))
    try:
        _check(store, index, noted)
    except BaseException:
        index.close()
        raise
    return index


def _has_documents(store: ArtifactStore) -> bool:
    if isinstance(store.store, FolderStore):
        return has_documents(store.root)
    return any(True for _ in store.documents())


def _check_own(store: ArtifactStore, index: Index) -> None:
    """Raise if the documents beside an index belong to another library: it would treat them as orphans."""
    recorded = recorded_id(store)
    if recorded is not None and recorded != index.library_id():
        raise LibraryDamaged(
            f"{store.root / layout.INDEX} is the index of a different library than the documents beside it",
            remedy=REBUILD,
        )


def _check(store: ArtifactStore, index: Index, noted: str | None) -> None:
    library_id = index.library_id()
    if (
        noted is None
        and not isinstance(store, ReadOnlyStore)
        and not _has_documents(store)
        and not index.documents.page(limit=1)
        and not index.jobs.open_jobs()
    ):
        _note(store, library_id)
        return
    if noted != library_id:
        raise UsageError(
            f"the database {shown(index.url)} is the index of a different library than {store.place}",
            remedy="Give each library its own database; open this library with the database that it was made with",
        )


def noted_id(store: FileReader) -> str | None:
    """The library id in the note about an index on a server; None without a note.

    Raises:
        LibraryDamaged: the note cannot be read.
        StorageError: the store does not answer.
    """
    try:
        return str(json.loads(store.read(layout.INDEX_ELSEWHERE))["library_id"])
    except FileNotFoundError:
        return None
    except (StorageError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, StorageError) and error.retry is Retry.AUTOMATIC:
            raise
        path = f"{store.place}/{layout.INDEX_ELSEWHERE}"
        raise LibraryDamaged(f"{path} cannot be read: {error}", remedy="Restore it from a backup") from error


def _note(store: ArtifactStore, library_id: str) -> None:
    store.store.create(layout.INDEX_ELSEWHERE, json.dumps({"format": 1, "library_id": library_id}).encode())
