"""The open components of a library, shared by its namespaces and documents."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.runtime import Runtime
from octavo_contracts import LibraryDamaged, StorageError, UsageError

from ..ingestion.events import EventHub
from ..observability.audit import AuditLog
from ..observability.observers import Observers
from ..search import ChunkSearch
from ..storage import ArtifactStore, Index
from ..storage.files import reserve
from ..storage.files.folder_store import FolderStore
from ..storage.index.damage import damage_behind
from .recognition.background_run import BackgroundRuns
from .routing_review.idle_sampling import IdleSampling

if TYPE_CHECKING:
    from octavo.plugins.services import Services

    from ..graph.graph_feed import GraphFeed
    from ..ingestion.engine import Engine


class EngineAtFirstUse:
    """Makes an engine when it is first asked for, and ends it: a library that is only read loads no converter. Thread-safe.

    Args:
        make: makes the engine.
    """

    def __init__(self, make: Callable[[], Engine]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: Engine | None = None
        self._is_closed = False

    @property
    def made(self) -> Engine | None:
        """The engine if it was made, or None."""
        return self._made

    def get(self) -> Engine:
        """The engine.

        Raises:
            UsageError: the library is closed, and nothing has used the engine before.
        """
        if (made := self._made) is not None:
            return made
        with self._lock:
            if self._made is None:
                if self._is_closed:
                    raise UsageError("the library is closed", remedy="Open it with Library.open")
                self._made = self._make()
            return self._made

    def close(self) -> None:
        """End the engine if it was made; no other is made."""
        with self._lock:
            self._is_closed = True
            made = self._made
        if made is not None:
            made.close()


@dataclass(frozen=True, kw_only=True, eq=False)
class LibraryParts:
    """The components of one open library.

    Attributes:
        runtime: plugins, workers and settings.
        artifacts: the files.
        index: the index.
        events: publishes the events of the engine.
        engine: the ingestion engine, made at its first use.
        chunk_index: the index of chunks.
        observers: logs and metrics.
        background: recognition runs in background threads.
        sampling: comparisons while the library is idle.
        graph_feed: gives graphs of changed documents to a plugin; None if the settings name none.
    """

    runtime: Runtime
    artifacts: ArtifactStore
    index: Index
    events: EventHub
    engine: EngineAtFirstUse
    chunk_index: ChunkSearch
    observers: Observers
    background: BackgroundRuns
    sampling: IdleSampling
    graph_feed: GraphFeed | None = None


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
            held = self._open
            if held is not None:
                # before the parts are gone: a run that misses them is a cancelled run
                held[0].background.cancel()
            self._open = None
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
        """The ingestion engine, made at its first use."""
        return self.lifetime.parts.engine.get()

    @property
    def engine_if_made(self) -> Engine | None:
        """The ingestion engine; None if nothing has used it, so that nothing is at work."""
        return self.lifetime.parts.engine.made

    @property
    def chunk_index(self) -> ChunkSearch:
        """The chunk index for searches."""
        return self.lifetime.parts.chunk_index

    @property
    def events(self) -> EventHub:
        """Publishes the events of the engine."""
        return self.lifetime.parts.events

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
    def sampling(self) -> IdleSampling:
        """Comparisons while the library is idle."""
        return self.lifetime.parts.sampling

    @property
    def graph_feed(self) -> GraphFeed | None:
        """Gives graphs of changed documents to a plugin; None if the settings name none."""
        return self.lifetime.parts.graph_feed

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
