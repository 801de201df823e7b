"""The open components of a library, shared by its namespaces and documents."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from octavo.plugins.services import Services
from octavo.plugins.vector_tools import VectorTools
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_contracts import LibraryDamaged, OctavoError, StorageError, UsageError
from pydantic import SecretStr

from ..entities.follow_up import EntityFollowUp
from ..ingestion.attachment_follow_up import AttachmentFollowUp
from ..ingestion.engine import Engine
from ..ingestion.events import EventHub
from ..observability.audit import AuditLog
from ..observability.observers import Observers
from ..search import ChunkIndex, tables_of
from ..storage import ArtifactStore, Index, open_index
from ..storage.files import reserve
from ..storage.files.folder_store import FolderStore
from ..storage.index.damage import damage_behind
from ..storage.record_keeper import RecordKeeper
from .maintenance.purge import finish_interrupted
from .maintenance.retention import purgeable
from .recognition.background_run import BackgroundRuns
from .shared_library import share


@dataclass(frozen=True, kw_only=True, eq=False)
class LibraryParts:
    """The components of one open library.

    Attributes:
        runtime: plugins, workers and settings.
        artifacts: the files.
        index: the index.
        engine: the ingestion engine.
        chunk_index: the index of chunks.
        observers: logs and metrics.
        background: recognition runs in background threads.
    """

    runtime: Runtime
    artifacts: ArtifactStore
    index: Index
    engine: Engine
    chunk_index: ChunkIndex
    observers: Observers
    background: BackgroundRuns


class LibraryLifetime:
    """Holds the components until the library is closed, or until a fork leaves them to the parent process.

    Args:
        place: the library's folder or URL.
        parts: the parts.
        closing: closes them, in reverse order of registration.
    """

    def __init__(self, place: str, parts: LibraryParts, closing: ExitStack) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._open: tuple[LibraryParts, ExitStack] | None = (parts, closing)
        self._why_gone = "is closed"
        _opened.add(self)

    @property
    def is_open(self) -> bool:
        """Whether the parts can be used."""
        return self._open is not None

    @property
    def parts(self) -> LibraryParts:
        """The parts.

        Raises:
            UsageError: the library is closed, or was opened by the parent process.
        """
        held = self._open
        if held is None:
            raise UsageError(f"the library at {self._place} {self._why_gone}", remedy="Open it with Library.open")
        return held[0]

    def close(self) -> None:
        """Close the parts. Calling it again does nothing."""
        with self._lock:
            held, self._open = self._open, None
        if held is not None:
            held[1].close()

    def leave_to_parent(self) -> None:
        """In a forked child: drop the components without closing or removing anything."""
        self._lock = threading.Lock()  # another thread of the parent may have held it
        self._why_gone = "was opened by another process"
        held, self._open = self._open, None
        if held is not None:
            _left_to_parent.append(held)


_opened: weakref.WeakSet[LibraryLifetime] = weakref.WeakSet()
_left_to_parent: list[tuple[LibraryParts, ExitStack]] = []
"""Components inherited by a fork. They are kept alive: collecting them would close the parent's files."""


def _after_fork() -> None:
    for lifetime in list(_opened):
        lifetime.leave_to_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@dataclass(eq=False)
class Reserve:
    """Disk space that a library reserves for a purge on a full disk.

    Attributes:
        path: the library's folder.
        artifacts: its files; the reserve is restored before they are closed.
        was_given_back: whether the reserve was freed since the library was opened; it is restored at `close`.
    """

    path: Path
    artifacts: ArtifactStore
    was_given_back: bool = False

    def give_back(self) -> bool:
        """Free the reserve; return whether there was one."""
        if not reserve.give_back(self.path):
            return False
        self.was_given_back = True
        return True

    def restore(self) -> None:
        """Restore the reserve if it was freed."""
        if self.was_given_back:
            self.keep(again=True)

    def keep(self, *, again: bool = False) -> None:
        """Create the reserve if it is missing; see `reserve.keep`."""
        if isinstance(self.artifacts.store, FolderStore):
            with self.artifacts.store.staging() as staged:
                reserve.keep(self.path, staged=staged, again=again)


@dataclass(frozen=True, kw_only=True, eq=False)
class LibraryContext:
    """The shared context of an open library's namespaces and documents.

    Every property except `path`, `place`, `read_only` and `reserve` raises `UsageError` after the library is closed, and in a
    forked child of the process that opened it.

    Attributes:
        path: the library's folder; of a library in an object store, its workspace on this machine.
        place: the folder or URL, for messages.
        read_only: None; or the error why the library cannot be written.
        reserve: disk space for a purge on a full disk.
        lifetime: holds the components while the library is open.
    """

    path: Path
    place: str
    read_only: StorageError | None
    reserve: Reserve = field(repr=False)
    lifetime: LibraryLifetime = field(repr=False)

    @property
    def runtime(self) -> Runtime:
        """Plugins, workers and settings."""
        return self.lifetime.parts.runtime

    @property
    def artifacts(self) -> ArtifactStore:
        """The library's files."""
        return self.lifetime.parts.artifacts

    @property
    def index(self) -> Index:
        """The library's index."""
        return self.lifetime.parts.index

    @property
    def engine(self) -> Engine:
        """The ingestion engine."""
        return self.lifetime.parts.engine

    @property
    def chunk_index(self) -> ChunkIndex:
        """The chunk index for searches."""
        return self.lifetime.parts.chunk_index

    @property
    def events(self) -> EventHub:
        """Publishes the events of the engine."""
        return self.engine.events

    @property
    def observers(self) -> Observers:
        """The library's logs and metrics."""
        return self.lifetime.parts.observers

    @property
    def audit(self) -> AuditLog:
        """The audit log of the library."""
        return self.observers.audit

    @property
    def background(self) -> BackgroundRuns:
        """Recognition runs in background threads."""
        return self.lifetime.parts.background

    @property
    def services(self) -> Services:
        """Services of the installed plugins."""
        return self.lifetime.parts.runtime.services

    def close(self) -> None:
        """Release the folder and stop the library's workers. Calling it again does nothing."""
        self.lifetime.close()

    def damage_behind(self, error: BaseException | None) -> LibraryDamaged | None:
        """The damage of the index that may have caused an unexpected error; None if the index is undamaged."""
        return damage_behind(error, self.index.url) if self.lifetime.is_open else None


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
        return LibraryContext(
            path=path,
            place=artifacts.place,
            read_only=read_only,
            reserve=space,
            lifetime=LibraryLifetime(artifacts.place, parts, closing.pop_all()),
        )


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
            if why is None:
                share(artifacts, opened, closing, lease_seconds=runtime.settings.objects.lease_seconds)
            chunk_index = ChunkIndex(
                path,
                library=tables_of(opened),
                library_id=opened.library_id,
                read=artifacts.read,
                vectors=VectorTools(lambda: runtime.services),
                read_only=why,
            )
            closing.callback(chunk_index.close)
            if_opening_fails.pop_all()
            if owned is not None:
                closing.callback(owned.close)  # workers end before the chunk index and the index are closed
            engine, observers = _start_engine(path, artifacts, opened, runtime, closing)
            background = BackgroundRuns()
            closing.callback(background.close)
    return LibraryParts(
        runtime=runtime,
        artifacts=artifacts,
        index=opened,
        engine=engine,
        chunk_index=chunk_index,
        observers=observers,
        background=background,
    )


def _recover(parts: LibraryParts, space: Reserve, *, for_purge: bool) -> None:
    """Finish what killed processes left half done."""
    with _naming_damage(parts.index):
        parts.index.on_commit = keeper = RecordKeeper(parts.artifacts, parts.index)
        finish_interrupted(parts.artifacts, parts.index)
        if for_purge:
            return
        parts.engine.recover()
        keeper.begin()
        space.keep()


@contextmanager
def _naming_damage(index: Index) -> Iterator[None]:
    """Raise `LibraryDamaged` instead of an unexpected error where damage of the index may be its cause."""
    try:
        yield
    except BaseException as error:
        if (damage := damage_behind(error, index.url)) is not None:
            raise damage from error
        raise


def _start_engine(
    path: Path, artifacts: ArtifactStore, index: Index, runtime: Runtime, closing: ExitStack
) -> tuple[Engine, Observers]:
    engine = Engine(
        runtime,
        artifacts,
        index,
        safe_to_purge=lambda: _safe_to_purge(artifacts, index),
        follow_ups=(EntityFollowUp, AttachmentFollowUp),
    )
    with ExitStack() as if_logs_fail:
        if_logs_fail.callback(engine.close)
        observers = Observers(engine.events, root=path, settings=runtime.settings.log)
        if_logs_fail.pop_all()
    closing.callback(observers.close)
    closing.callback(engine.close)  # before the logs, which record its last commits
    return engine, observers


def _open_index(artifacts: ArtifactStore, url: str | None, read_only: StorageError | None) -> Index:
    try:
        return open_index(artifacts, url=url, read_only=read_only)
    except BaseException:
        artifacts.discard()
        raise


def _safe_to_purge(artifacts: ArtifactStore, index: Index) -> str:
    """A sentence that says how much `octavo purge --expired` would free; empty if nothing, or if that is unknown."""
    try:
        size = purgeable(artifacts, index).bytes
    except OctavoError:
        return ""
    return f"`octavo purge --expired` would free {size / 1e6:.1f} MB" if size else ""


def _reveal(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret is not None else None
