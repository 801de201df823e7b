"""Opens a library at its place: a folder, or the URL of an object store."""

from __future__ import annotations

import hashlib
import os
from functools import partial
from pathlib import Path

from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_contracts import LibraryReadOnly, StorageExhausted, UsageError

from ..storage import ArtifactStore, ReadOnlyStore, check_not_lost, has_index
from ..storage.files import layout, reserve
from ..storage.objects.object_client import is_object_url
from .context import LibraryContext, open_context


def open_place(
    place: str | os.PathLike[str],
    *,
    settings: Settings | None,
    create: bool,
    runtime: Runtime | None,
    index: str | None,
    make_room: bool,
) -> LibraryContext:
    """Open the components of a library; see `Library.open`."""
    if is_object_url(place):
        return _in_object_store(str(place), settings=settings, create=create, runtime=runtime, index=index)
    folder = Path(os.path.abspath(place))
    if not create and not has_index(folder):
        check_not_lost(folder)
        raise _no_library(str(folder))
    gave_room = False
    while True:
        try:
            context = open_context(
                lambda: ArtifactStore(folder), settings=settings, runtime=runtime, index=index, for_purge=gave_room
            )
        except (LibraryReadOnly, StorageExhausted) as error:
            if not has_index(folder):
                raise
            if make_room and isinstance(error, StorageExhausted) and reserve.give_back(folder):
                gave_room = True
                continue
            why = error.with_traceback(None)
        else:
            context.reserve.was_given_back = gave_room
            return context
        files = partial(ReadOnlyStore, folder, why=why)
        return open_context(files, settings=settings, runtime=runtime, index=index, read_only=why)


def _in_object_store(
    url: str, *, settings: Settings | None, create: bool, runtime: Runtime | None, index: str | None
) -> LibraryContext:
    given = runtime.settings if runtime is not None else settings or Settings()
    if index is None and given.index is None:
        raise UsageError(
            f"the library at {url} needs its index in a database on a server",
            remedy="Give its URL as `index`: in Python, as --index, in octavo.toml, or as OCTAVO_INDEX",
        )
    from ..storage.objects.object_store import ObjectStore

    objects = given.objects
    workspace = Path(objects.workspace) if objects.workspace is not None else default_workspace(url)

    def files() -> ArtifactStore:
        store = ObjectStore(
            url, workspace=workspace.absolute(), cache_bytes=objects.cache_bytes, timeout=objects.timeout
        )
        if not create and store.facts(layout.INDEX_ELSEWHERE) is None:
            raise _no_library(url)
        return ArtifactStore(store)

    return open_context(files, settings=settings, runtime=runtime, index=index)


def default_workspace(url: str) -> Path:
    """The folder on this machine for what is derived from a library in an object store."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "octavo" / hashlib.sha256(url.rstrip("/").encode()).hexdigest()[:24]


def _no_library(place: str) -> UsageError:
    return UsageError(f"there is no library at {place}", remedy="Create one with `octavo ingest`, or give --library")
