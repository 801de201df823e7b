"""Opens the files of a library in an object store."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.settings.settings import Settings
from octavo_contracts import UsageError

from ..storage import ArtifactStore
from ..storage.files import layout

if TYPE_CHECKING:
    from ..storage.objects.object_store import ObjectStore


def open_objects(url: str, settings: Settings, *, create: bool, index: str | None) -> ArtifactStore:
    """Open the files of a library in an object store.

    Args:
        url: see `Library.open`.
        settings: the settings.
        create: whether to create a missing library.
        index: URL of the database of the index, if the caller gave one.

    Raises:
        UsageError: no database is named, or `create` is False and there is no library.
        StorageError: the store is unsuitable or does not answer.
        ToolUnavailable: obstore is not installed.
    """
    if index is None and settings.index is None:
        raise UsageError(
            f"the library at {url} needs its index in a database on a server",
            remedy="Give its URL as `index`: in Python, as --index, in octavo.toml, or as OCTAVO_INDEX",
        )
    store = open_store(url, settings)
    if not create and store.facts(layout.INDEX_ELSEWHERE) is None:
        raise UsageError(f"there is no library at {url}", remedy="Create one with `octavo ingest`, or give --library")
    return ArtifactStore(store)


def open_store(url: str, settings: Settings) -> ObjectStore:
    """Open the object store of a library, and try that it can be read and written.

    Raises:
        UsageError: the URL is invalid, or objects below the prefix are not a library's.
        StorageError: the store is unsuitable or does not answer.
        ToolUnavailable: obstore is not installed.
    """
    from ..storage.objects.object_store import ObjectStore

    objects = settings.objects
    workspace = Path(objects.workspace) if objects.workspace is not None else default_workspace(url)
    return ObjectStore(url, workspace=workspace.absolute(), cache_bytes=objects.cache_bytes, timeout=objects.timeout)


def default_workspace(url: str) -> Path:
    """The folder on this machine for what is derived from a library in an object store."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "octavo" / hashlib.sha256(url.rstrip("/").encode()).hexdigest()[:24]
