"""Where a library's index is: in its folder, or in a database on a server that the folder has a note of.

The note names the library and not the server: a URL may hold a password, and servers move. It is there so that a folder
whose index is elsewhere is not taken for an empty library, and a database not for the index of a folder it knows
nothing of.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path

from octavo.filesystem import durable
from octavo_contracts import LibraryDamaged, StorageError, UsageError

from ..files import layout
from ..files.artifacts import ArtifactStore
from ..files.read_only import ReadOnlyStore
from .dialect import REBUILD, library_url
from .index import Index
from .server import server_url, shown

_HASH = re.compile(r"[0-9a-f]{64}")
_LIBRARY_ID = re.compile(rb'"key":\s*"library_id",\s*"value":\s*"([0-9a-f]{32})"')
_HEAD = 4096
"""Bytes of a library's record in which its id stands: the first table is the one that has it."""


def has_index(folder: Path) -> bool:
    """Whether a folder is that of a library."""
    return (folder / layout.INDEX).is_file() or (folder / layout.INDEX_ELSEWHERE).is_file()


def check_not_lost(folder: Path) -> None:
    """Raise where a library has documents and its index is gone: a new, empty one would take them for orphans.

    Raises:
        LibraryDamaged: it is.
    """
    if not has_index(folder) and has_documents(folder):
        raise LibraryDamaged(
            f"the library at {folder} has documents and no index: {layout.INDEX} is missing", remedy=REBUILD
        )


def has_documents(folder: Path) -> bool:
    """Whether a library's folder has the folder of a document, whatever its index says."""
    with suppress(FileNotFoundError), os.scandir(folder / layout.BY_HASH) as entries:
        # By the names that Octavo gives: a folder of the user's may be called `by_hash` too.
        return any(_HASH.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False) for entry in entries)
    return False


def recorded_id(folder: Path) -> str | None:
    """The id that the library's record beside the index gives it; None where there is no such record, or a damaged one."""
    try:
        with (folder / layout.LIBRARY_RECORD).open("rb") as stream:
            found = _LIBRARY_ID.search(stream.read(_HEAD))
    except OSError:
        return None
    return found[1].decode() if found else None


def open_index(store: ArtifactStore, *, url: str | None = None, read_only: StorageError | None = None) -> Index:
    """Open a library's index, made if it is not there.

    Args:
        store: the library's opened folder.
        url: of a PostgreSQL database for the index; None where it is in the folder.
        read_only: why nothing is to be written, or None; see `Index`.

    Raises:
        UsageError: the index is on a server and no URL is given, it is in the folder and one is, the URL is none of a
            PostgreSQL database, or the database is the index of another library.
        LibraryDamaged: the library has documents, and the index is gone, empty, or that of another library.
        IndexUnreachable: the server cannot be reached, or does not let us in.
        ToolUnavailable: the driver of PostgreSQL is not installed.
        StorageError: the index cannot be opened or written, is damaged, or was made by a newer Octavo.
    """
    folder = Path(store.root)
    noted = _noted(folder)
    if url is None:
        if noted is not None:
            raise UsageError(
                f"the index of the library at {folder} is in a database on a server",
                remedy="Give its URL as `index`: in Python, in octavo.toml, or as OCTAVO_INDEX",
            )
        check_not_lost(folder)
        may_be_empty = not has_documents(folder)
        index = Index(library_url(folder), read_only=read_only, may_be_empty=may_be_empty)
        try:
            if not may_be_empty:
                _check_own(folder, index)
        except BaseException:
            index.close()
            raise
        return index
    place = server_url(url)
    if (folder / layout.INDEX).is_file():
        raise UsageError(
            f"the library at {folder} has its index in {layout.INDEX}, not on a server",
            remedy="Leave the index's URL out, or take the documents into a new library",
        )
    index = Index(place, read_only=read_only, may_be_empty=not has_documents(folder))
    try:
        _check(store, index, noted)
    except BaseException:
        index.close()
        raise
    return index


def _check_own(folder: Path, index: Index) -> None:
    """Raise where the documents beside an index are of another library: it would take them for orphans."""
    recorded = recorded_id(folder)
    if recorded is not None and recorded != index.library_id():
        raise LibraryDamaged(
            f"{folder / layout.INDEX} is the index of another library than the documents beside it", remedy=REBUILD
        )


def _check(store: ArtifactStore, index: Index, noted: str | None) -> None:
    library_id = index.library_id()
    if (
        noted is None
        and not isinstance(store, ReadOnlyStore)
        and not has_documents(Path(store.root))
        and not index.documents.page(limit=1)
        and not index.jobs.open_jobs()
    ):
        _note(store, library_id)
        return
    if noted != library_id:
        raise UsageError(
            f"the database {shown(index.url)} is the index of another library than {store.root}",
            remedy="Give each library a database of its own, and this one the database it was made with",
        )


def _noted(folder: Path) -> str | None:
    """The id of the library whose folder this is, where its index is elsewhere."""
    path = folder / layout.INDEX_ELSEWHERE
    try:
        return str(json.loads(path.read_bytes())["library_id"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LibraryDamaged(f"{path} cannot be read: {error}", remedy="Restore it from a copy") from error


def _note(store: ArtifactStore, library_id: str) -> None:
    staged = f"{store.root}/{layout.TMP}/{store.owner}/{layout.INDEX_ELSEWHERE}"
    with durable.storage_errors(Path(store.root), doing="noting where the index is"):
        durable.write_file(staged, json.dumps({"format": 1, "library_id": library_id}).encode())
        durable.publish_file(staged, f"{store.root}/{layout.INDEX_ELSEWHERE}")
