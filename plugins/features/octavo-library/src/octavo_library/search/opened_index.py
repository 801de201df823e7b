"""`OpenedIndex`: the open chunk index, which knows up to which state of the library it was updated."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from octavo.plugins.vector_tools import VectorTools
from octavo_contracts import OctavoError

from .frozen_storage import FrozenStorage
from .fusion import DEPTH
from .indexer import IndexTarget, fill
from .library_tables import LibraryTables, Mark
from .query import Query
from .records import IndexingReport
from .scope import ScopeTable
from .storage import Storage
from .vectors import Embedded, NearestChunks, Vectors

VECTOR_SECONDS = 1.0
"""Maximum part of a search's time that is spent on vectors: without them, it is still answered by full text."""


class _Settled(NamedTuple):
    """A state of the library whose chunk sets are in the index.

    Attributes:
        state: of the library's tables.
        mark: the place in the log of changed documents from which on changes were not looked at; None without a log.
        unreadable: the documents whose chunk sets could not be read.
    """

    state: int
    mark: Mark | None
    unreadable: tuple[str, ...]


class OpenedIndex:
    """The open index, with its cached state. Used by one thread at a time.

    Args:
        storage: the file.
        library: the library's index.
        tools: the embedder and the vector index.

    Attributes:
        storage: the file.
        scope: the table of the chunk sets that a search may see.
        vectors: the vectors of the chunks.
        written: number of writes by this object.
        is_frozen: whether the library's own chunk index is left unchanged because it cannot be written.
    """

    def __init__(self, storage: Storage, library: LibraryTables, tools: VectorTools) -> None:
        self.storage = storage
        self.is_frozen = isinstance(storage, FrozenStorage)
        self.scope = ScopeTable(storage.connection, library)
        self.vectors = Vectors(storage, tools)
        self._library = library
        self.written = 0
        self._settled: dict[IndexTarget, _Settled] = {}
        self._embedded: dict[IndexTarget, tuple[int, int]] = {}

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A transaction that sees one state of both databases and writes temporary tables only."""
        connection = self.storage.connection
        connection.execute("BEGIN")
        try:
            yield connection
        finally:
            if connection.in_transaction:  # some errors end it
                connection.execute("COMMIT")

    def refresh(self) -> None:
        """Update the library's tables from its index."""
        self._library.refresh(self.storage.connection)

    def catch_up(
        self, task: IndexTarget, read: Callable[[str], bytes], seconds: float | None, *, vectors: bool
    ) -> None:
        """Update the index, unless that was done since the last change of the library; then the vectors."""
        self.refresh()
        deadline = None if seconds is None else time.monotonic() + seconds
        before = self._library.state(self.storage.connection)
        settled = self._settled.get(task)
        if settled is None or settled.state != before:
            self._settle(task, read, seconds, settled, before)
        if vectors and self._embedded.get(task) != (before, self.written):
            soon = None if deadline is None else min(deadline, time.monotonic() + VECTOR_SECONDS)
            made = self.embed(task, soon)
            if not (made.lacking or made.lost):
                self._embedded[task] = (before, self.written)

    def _settle(
        self,
        task: IndexTarget,
        read: Callable[[str], bytes],
        seconds: float | None,
        settled: _Settled | None,
        state: int,
    ) -> None:
        """Update the index from the documents that changed since it was settled, or from all of them."""
        connection = self.storage.connection
        mark = self._library.mark(connection)  # before the changes are read: a change in between is looked at twice
        changed = None if settled is None else self._library.changed(connection, settled.mark)
        among = None if changed is None or settled is None else {*changed, *settled.unreadable}
        unreadable: Iterable[str] = ()
        if among is None or among:
            report = self.update(task, read, seconds, among=among)
            if report.pending:
                return
            unreadable = report.unreadable
        # Unreadable sets are retried when the library changes, not at every search.
        self._settled[task] = _Settled(state, mark, tuple(unreadable))

    def update(
        self,
        task: IndexTarget,
        read: Callable[[str], bytes],
        seconds: float | None,
        *,
        among: Iterable[str] | None = None,
    ) -> IndexingReport:
        """As `octavo_library.search.indexer.fill`; also removes the vectors of removed sets."""
        self.written += 1
        report = fill(self.storage.connection, task, read=read, refresh=self.refresh, seconds=seconds, among=among)
        if not self.is_frozen and (among is None or report.removed):
            self.vectors.clean()
        return report

    def embed(self, task: IndexTarget, deadline: float | None) -> Embedded:
        """As `octavo_library.search.vectors.Vectors.fill`."""
        made = self.vectors.fill(task, deadline=deadline)
        self.written += bool(made.chunks)
        return made

    def nearest(self, vector: Sequence[float], query: Query, limit: int) -> NearestChunks:
        """As `octavo_library.search.vectors.Vectors.nearest`, in the current scope."""
        return self.vectors.nearest(vector, query, scope=self.scope.state, limit=max(limit, DEPTH))

    def lose_vectors(self, error: OctavoError) -> None:
        """As `octavo_library.search.vectors.Vectors.lose`."""
        self.vectors.lose(error)
        self.written += 1
        self._embedded.clear()
