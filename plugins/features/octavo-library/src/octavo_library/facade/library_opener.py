"""Opens the components of a library, and recovers what a killed process left unfinished."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from octavo.plugins.vector_tools import VectorTools
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_contracts import LibraryReadOnly, OctavoError, StorageError, StorageExhausted, UsageError
from octavo_sandbox.tempdirs import sweep_stale
from pydantic import SecretStr

from ..ingestion.events import EventHub
from ..observability.observers import Observers
from ..search import ChunkIndex, ChunkSearch, tables_of
from ..storage import ArtifactStore, Index, ReadOnlyStore, check_not_lost, has_index, open_index, recover
from ..storage.files import reserve
from ..storage.files.layout import SEARCH
from ..storage.index.damage import damage_behind
from ..storage.objects.object_client import is_object_url
from ..storage.record_keeper import RecordKeeper
from .context import EngineAtFirstUse, LibraryContext, LibraryLifetime, LibraryParts, Reserve
from .maintenance.purge import finish_interrupted
from .recognition.background_run import BackgroundRuns
from .routing_review.idle_sampling import IdleSampling

if TYPE_CHECKING:
    from octavo_contracts import GraphIntake

    from ..graph.graph_feed import GraphFeed
    from ..ingestion.engine import Engine


OnCommit = Callable[[frozenset[str]], None]
"""Called after a transaction with the ids of the documents that it changed."""


def open_library(
    path: str | os.PathLike[str],
    *,
    settings: Settings | None,
    create: bool,
    runtime: Runtime | None,
    index: str | None,
    make_room: bool,
) -> LibraryContext:
    """See `Library.open`: read-only where the library cannot be written.

    Raises:
        UsageError, StorageError, LibraryDamaged, ToolUnavailable: see `Library.open`.
    """
    if is_object_url(path):
        from .object_library import open_objects

        given = runtime.settings if runtime is not None else settings or Settings()
        files = partial(open_objects, str(path), given, create=create, index=index)
        return open_context(files, settings=settings, runtime=runtime, index=index)
    folder = Path(os.path.abspath(path))
    if not create and not has_index(folder):
        check_not_lost(folder)
        raise UsageError(
            f"there is no library at {folder}", remedy="Create one with `octavo ingest`, or give --library"
        )
    gave_room = False
    while True:
        try:
            writable = partial(ArtifactStore, folder)
            context = open_context(writable, settings=settings, runtime=runtime, index=index, for_purge=gave_room)
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
        readable = partial(ReadOnlyStore, folder, why=why)
        return open_context(readable, settings=settings, runtime=runtime, index=index, read_only=why)


def open_context(
    files: Callable[[], ArtifactStore],
    *,
    settings: Settings | None,
    runtime: Runtime | None,
    index: str | None,
    read_only: StorageError | None = None,
    for_purge: bool = False,
) -> LibraryContext:
    """Open the components of a library, and recover what a killed process left unfinished.

    Args:
        files: opens the library's files.
        settings: settings; by default those of the specification.
        runtime: shared plugins and workers; by default the library's own, which end with it.
        index: URL of the PostgreSQL database of the index; by default the settings'.
        read_only: why the library is opened read-only, or None.
        for_purge: whether the disk is full and the reserve was released for a purge. Recovery writes more than the reserve
            holds, so it is left to the next opening; only interrupted purges are finished, as they free space.

    Raises:
        StorageError: the library cannot be opened, or cannot be written and `read_only` is None.
        LibraryDamaged: the index is damaged.
        UsageError: the index is at another place, or `index` is not the URL of a PostgreSQL database.
    """
    with ExitStack() as closing:
        artifacts = files()
        closing.callback(artifacts.close)
        path = artifacts.root
        space = Reserve(path, artifacts)
        closing.callback(space.restore)
        parts = _open_parts(path, artifacts, closing, settings=settings, runtime=runtime, index=index, why=read_only)
        if read_only is None:
            _recover(parts, space, for_purge=for_purge)
        lifetime = LibraryLifetime(artifacts.place, parts, closing.pop_all())
        return LibraryContext(path=path, place=artifacts.place, read_only=read_only, reserve=space, lifetime=lifetime)


def _open_parts(
    path: Path,
    artifacts: ArtifactStore,
    closing: ExitStack,
    *,
    settings: Settings | None,
    runtime: Runtime | None,
    index: str | None,
    why: StorageError | None,
) -> LibraryParts:
    """Open the other components; `closing` ends each: recognition first, then engine, logs, workers and indexes."""
    owned = Runtime(settings) if runtime is None else None
    runtime = owned or runtime
    assert runtime is not None  # one of the two
    with ExitStack() as if_opening_fails:
        if owned is not None:
            if_opening_fails.callback(owned.close)
        opened = _open_index(artifacts, index or _reveal(runtime.settings.index), why)
        closing.callback(opened.close)
        with _naming_damage(opened):
            if why is None and artifacts.store.is_shared:
                from .shared_library import share

                share(artifacts, opened, closing, lease_seconds=runtime.settings.objects.lease_seconds)
            chunk_index = _chunk_index(path, artifacts, opened, runtime, why)
            closing.callback(chunk_index.close)
            if_opening_fails.pop_all()
            if owned is not None:
                closing.callback(owned.close)  # workers end before the chunk index and the index are closed
            feed = _graph_feed(runtime, artifacts, opened) if runtime.settings.graph_intake and why is None else None
            if feed is not None:
                closing.callback(feed.close)  # after the engine, whose last commits it delivers
            events = EventHub()
            observers = Observers(events, root=path, settings=runtime.settings.log)
            closing.callback(observers.close)
            engine = EngineAtFirstUse(lambda: _make_engine(runtime, artifacts, opened, events))
            closing.callback(engine.close)  # before the logs, which record its last commits
            background = BackgroundRuns()
            closing.callback(background.close)
            sampling = IdleSampling()
            closing.callback(sampling.close)
    return LibraryParts(
        runtime=runtime,
        artifacts=artifacts,
        index=opened,
        events=events,
        engine=engine,
        chunk_index=chunk_index,
        observers=observers,
        background=background,
        sampling=sampling,
        graph_feed=feed,
    )


def _chunk_index(
    path: Path, artifacts: ArtifactStore, index: Index, runtime: Runtime, why: StorageError | None
) -> ChunkSearch:
    """The chunk index at the place that the settings name. A library that cannot be written has it on this machine."""
    if runtime.settings.search.shared and why is None:
        if index.url.get_backend_name() == "sqlite":
            raise UsageError(
                "the setting search.shared needs an index on PostgreSQL",
                remedy="Give the index's URL, or take the setting away",
            )
        from ..search.server.server_index import ServerChunkIndex

        return ServerChunkIndex(index, read=artifacts.read, vectors=VectorTools(lambda: runtime.services))
    return ChunkIndex(
        path,
        library=tables_of(index),
        library_id=index.library_id,
        read=artifacts.read,
        vectors=VectorTools(lambda: runtime.services),
        read_only=why,
    )


def _recover(parts: LibraryParts, space: Reserve, *, for_purge: bool) -> None:
    """Finish what killed processes left half done.

    The folders of dead hosts' workers are removed now, because no worker may be needed before the next opening.
    """
    with _naming_damage(parts.index):
        parts.index.on_commit = keeper = RecordKeeper(parts.artifacts, parts.index)
        if (feed := parts.graph_feed) is not None:
            parts.index.on_commit = _both(keeper, feed)
            feed.resume()
        finish_interrupted(parts.artifacts, parts.index)
        if for_purge:
            return
        sweep_stale()
        found = recover(parts.artifacts, parts.index)
        if found.jobs or found.removed_temp or parts.index.jobs.open_jobs(queued=False):
            parts.engine.get().resume(found)
        keeper.begin()
        space.keep()


def _both(first: OnCommit, second: OnCommit) -> OnCommit:
    def call(touched: frozenset[str]) -> None:
        first(touched)
        second(touched)

    return call


@contextmanager
def _naming_damage(index: Index) -> Iterator[None]:
    """Raise `LibraryDamaged` instead of an unexpected error where damage of the index may be its cause."""
    try:
        yield
    except BaseException as error:
        if (damage := damage_behind(error, index.url)) is not None:
            raise damage from error
        raise


def _make_engine(runtime: Runtime, artifacts: ArtifactStore, index: Index, events: EventHub) -> Engine:
    # Imported here: a library that is only read needs no engine.
    from ..entities.follow_up import EntityFollowUp
    from ..ingestion.attachment_follow_up import AttachmentFollowUp
    from ..ingestion.engine import Engine
    from ..summaries.follow_up import SummaryFollowUp

    return Engine(
        runtime,
        artifacts,
        index,
        events=events,
        safe_to_purge=lambda: _safe_to_purge(artifacts, index),
        # Jobs of summaries have the intent of entity extraction too: their owner is asked first.
        follow_ups=(SummaryFollowUp, EntityFollowUp, AttachmentFollowUp),
    )


def _graph_feed(runtime: Runtime, artifacts: ArtifactStore, index: Index) -> GraphFeed:
    """The feed of the plugin that the settings name.

    Raises:
        UsageError: no plugin of that name takes graphs.
    """
    # Imported here: a library without a graph intake needs none of it.
    from octavo_contracts.plugin_options import options_of

    from ..graph.graph_feed import GraphFeed
    from ..graph.index_graph import IndexGraph
    from ..graph.pending_graphs import PendingGraphs

    name = runtime.settings.graph_intake or ""
    service = runtime.services.find("graph_intake", name)
    assert service is not None  # `find` by name raises instead
    folder = artifacts.root / SEARCH / "graph"
    own = folder / f"intake-{name}"
    pending = PendingGraphs(folder)
    selection = runtime.settings.plugins
    options = options_of(service.plugin.manifest.options, selection.options.get(name, {}) if selection else {})
    own.mkdir(mode=0o700, exist_ok=True)
    return GraphFeed(
        IndexGraph(index, runtime.settings.entities),
        pending,
        open_intake=lambda: cast("GraphIntake", service.make({"folder": str(own), "options": options})),
        documents=lambda: (record.document_id for record in index.documents.iterate()),
    )


def _open_index(artifacts: ArtifactStore, url: str | None, read_only: StorageError | None) -> Index:
    try:
        return open_index(artifacts, url=url, read_only=read_only)
    except BaseException:
        artifacts.discard()
        raise


def _safe_to_purge(artifacts: ArtifactStore, index: Index) -> str:
    """A sentence that says how much `octavo purge --expired` would free; empty if nothing, or if that is unknown."""
    from .maintenance.retention import purgeable

    try:
        size = purgeable(artifacts, index).bytes
    except OctavoError:
        return ""
    return f"`octavo purge --expired` would free {size / 1e6:.1f} MB" if size else ""


def _reveal(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret is not None else None
