"""Full-text and vector search over the chunks of a library, behind one object."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace as replace_fields
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from octavo.plugins.vector_tools import VectorTools
from octavo_contracts import (
    LibraryDamaged,
    LibraryReadOnly,
    Locator,
    OctavoError,
    Span,
    StorageError,
    StorageExhausted,
)
from octavo_sandbox.filesystem.durable import has_no_room

from ..storage.files.refusal import refusal
from .frozen_storage import FrozenStorage
from .fusion import DEPTH, fuse
from .indexer import IndexTarget, fill
from .library_tables import LibraryTables
from .query import Query, parse
from .ranking import best
from .records import IndexingReport, SearchHit, SearchMethod, SearchResults
from .scope import Scope, ScopeTable
from .storage import FOLDER, ROWS_PER_SET, DamagedError, Storage, Superseded, database_errors, newest, replace
from .vectors import Embedded, NearestChunks, Vectors

CATCH_UP_SECONDS = 5.0
"""Maximum time that a search spends on updating the index before it answers; what remains is `pending`."""

VECTOR_SECONDS = 1.0
"""Maximum part of that time for vectors: without them, a search is still answered by full text."""

SLICE_SECONDS = 1.0
"""Maximum time for embedding before searches of other threads get the lock."""

YIELD_SECONDS = 0.005
"""Pause in which a waiting search acquires the lock."""

READ_ONLY = "the library is open for reading only"
"""Why a search uses no vectors in a library that cannot be written."""

OFF = "vectors were not requested"
"""Why a search uses no vectors if they are switched off."""

_log = logging.getLogger("octavo.search")

_T = TypeVar("_T")

_EMBEDDED = f"""
EXISTS (SELECT 1 FROM main.vectors
        WHERE vectors.number = sets.number AND chunks.id & {(1 << ROWS_PER_SET) - 1} < vectors.done)
"""
_HITS = f"""
SELECT chunks.id, sets.document_id, document.title, sets.version, chunks.chunk_id, chunks.page, chunks.page_start,
       chunks.start, chunks.end, chunks.markdown_start, chunks.markdown_end, chunks.text, {_EMBEDDED}
FROM main.chunks JOIN main.sets ON sets.number = chunks.id >> {ROWS_PER_SET}
JOIN library.documents AS document ON document.document_id = sets.document_id
WHERE chunks.id IN (SELECT value FROM json_each(?))
"""
_ENTRIES = f"""
SELECT chunks.chunk_id, chunks.id FROM main.sets
JOIN main.chunks ON chunks.id >= sets.number << {ROWS_PER_SET} AND chunks.id < (sets.number + 1) << {ROWS_PER_SET}
WHERE sets.document_id = ? AND {_EMBEDDED}
"""


class ChunkIndex:
    """The chunk index of a library. Opened on first use.

    Thread-safe: searches of one object queue. Several processes may use the index of one library.

    Args:
        root: the library's folder.
        library: the library's index.
        library_id: returns the library's id.
        read: returns the bytes of a store reference.
        vectors: the embedder and the vector index.
        read_only: why the library cannot be written, or None. If it cannot, searches use no vectors, and work on a copy
            in memory unless the file is up to date.
    """

    def __init__(
        self,
        root: Path,
        *,
        library: LibraryTables,
        library_id: Callable[[], str],
        read: Callable[[str], bytes],
        vectors: VectorTools,
        read_only: StorageError | None = None,
    ) -> None:
        self._read_only = read_only
        self._in_memory = False
        self._folder = root / FOLDER
        self._library = library
        self._library_id = library_id
        self._read = read
        self._tools = vectors
        self._lock = threading.Lock()
        self._opened: _Opened | None = None

    def search(
        self, text: str, scope: Scope, *, limit: int, seconds: float | None = CATCH_UP_SECONDS, vectors: bool = True
    ) -> SearchResults:
        """Update the index for the scope, then return the chunks that match a query best.

        Args:
            text: the query, see `octavo_library.search.query`.
            scope: what the user may see.
            limit: maximum number of hits.
            seconds: maximum time for the update; None for no limit.
            vectors: whether to use vectors too, if available.

        Raises:
            StorageError: the chunk index cannot be written, or the library's index is damaged.
        """
        query = parse(text)
        *others, fallback = ((config, scope.corpus_id) for config in scope.configs)
        task = IndexTarget(wanted=(fallback,), optional=tuple(others))

        def answer(opened: _Opened) -> SearchResults:
            compares = vectors and not opened.is_frozen
            opened.catch_up(task, self._read, seconds, vectors=compares)
            off = READ_ONLY if vectors else OFF
            vector, refusal = opened.vectors.of_query(query) if compares else (None, off)
            with opened.reading() as connection:
                pending = opened.scope.fill(scope, written=opened.written)
                near = opened.nearest(vector, query, limit) if vector else NearestChunks(refusal=refusal)
                found = _found(connection, query, near, limit)
                results = SearchResults(
                    _hits(connection, found),
                    pending=pending,
                    method=SearchMethod.FTS if near.refusal else SearchMethod.HYBRID,
                    without_vectors=0 if near.refusal else opened.scope.count() - near.whole,
                    reason=near.refusal,
                )
            if near.damage is not None:
                opened.lose_vectors(near.damage)
            return results

        return self._do(answer)

    def update(self, task: IndexTarget, *, seconds: float | None = None, vectors: bool = True) -> IndexingReport:
        """Update the index.

        Args:
            task: what the index should contain.
            seconds: stop after this time, between two batches; None for no limit.
            vectors: whether to make vectors too, if possible.

        Raises:
            StorageError: as `search`.
        """
        if self._read_only is not None:
            raise refusal(self._read_only)
        deadline = None if seconds is None else time.monotonic() + seconds
        report = self._do(lambda opened: opened.update(task, self._read, seconds))
        chunks, made = self._embed(task, deadline) if vectors else (0, Embedded(refusal=OFF))
        return replace_fields(report, embedded=chunks, without_vectors=made.lacking, no_vectors=made.refusal)

    def _embed(self, task: IndexTarget, deadline: float | None) -> tuple[int, Embedded]:
        """Make the missing vectors; returns how many, and the result of the last batches.

        Embedding takes minutes where full text takes seconds, so searches of other threads run in between.
        """
        chunks = 0
        while True:
            soon = time.monotonic() + SLICE_SECONDS
            until = soon if deadline is None else min(soon, deadline)
            made = self._do(partial(_Opened.embed, task=task, deadline=until))
            chunks += made.chunks
            if not made.lacking or (deadline is not None and time.monotonic() >= deadline):
                return chunks, made
            time.sleep(YIELD_SECONDS)  # a thread that releases a lock and reacquires it at once starves the others

    def embedding_ids(self, document_id: str) -> dict[str, str]:
        """Ids of a document's indexed chunks that have vectors → their entries in the vector index (STO-15).

        Raises:
            StorageError: as `search`.
        """
        if newest(self._folder) is None:
            return {}
        found = self._do(lambda opened: opened.storage.connection.execute(_ENTRIES, (document_id,)).fetchall())
        return {chunk_id: str(row) for chunk_id, row in found}

    def check_vectors(self) -> None:
        """Raise if vectors cannot be made or stored.

        Raises:
            ToolUnavailable: no installed plugin does so.
        """
        self._tools.check()

    def close(self) -> None:
        """Close the file. The next search opens it again."""
        with self._lock:
            self._let_go()

    def _do(self, work: Callable[[_Opened], _T]) -> _T:
        """Run work on the open index, and again on a new one if the present one is superseded or damaged."""
        with self._lock:
            replaced = False
            if self._in_memory and self._read_only is None and not has_no_room(self._folder):
                self._let_go()  # the disk was full and has space again
                self._in_memory = False
            while True:
                try:
                    with database_errors(self._folder):
                        opened = self._open()
                        opened.storage.check_current()
                        return work(opened)
                except Superseded:
                    self._let_go()
                except (LibraryReadOnly, StorageExhausted):
                    if self._in_memory:
                        raise
                    self._let_go()
                    self._in_memory = True
                except DamagedError as error:
                    if self._read_only is not None and not self._in_memory:
                        self._let_go()
                        self._in_memory = True
                        continue
                    damaged = self._opened.storage.path if self._opened else newest(self._folder)
                    self._let_go()
                    if replaced:
                        raise LibraryDamaged(
                            f"the chunk index in {self._folder} or the library's index is damaged: {error}",
                            remedy="Run `octavo verify-store`",
                        ) from error
                    _log.warning("rebuilding the chunk index %s: %s", damaged, error)
                    replace(self._folder, damaged)
                    replaced = True

    def _open(self) -> _Opened:
        if self._opened is None:
            storage = self._storage()
            self._opened = _Opened(storage, self._library, self._tools)
        return self._opened

    def _storage(self) -> Storage:
        if self._read_only is None and not self._in_memory:
            return Storage(self._folder, library=self._library, library_id=self._library_id())
        return FrozenStorage(
            self._folder, library=self._library, library_id=self._library_id(), in_memory=self._in_memory
        )

    def _let_go(self) -> None:
        if self._opened is not None:
            self._opened.storage.close()
            self._opened = None


class _Opened:
    """The open index, with its cached state.

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
        self._settled: dict[IndexTarget, int] = {}
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
        if self._settled.get(task) != before:
            report = self.update(task, read, seconds)
            if not report.pending:
                # Unreadable sets are retried when the library changes, not at every search.
                self._settled[task] = before
        if vectors and self._embedded.get(task) != (before, self.written):
            soon = None if deadline is None else min(deadline, time.monotonic() + VECTOR_SECONDS)
            made = self.embed(task, soon)
            if not (made.lacking or made.lost):
                self._embedded[task] = (before, self.written)

    def update(self, task: IndexTarget, read: Callable[[str], bytes], seconds: float | None) -> IndexingReport:
        """As `octavo_library.search.indexer.fill`; also removes the vectors of removed sets."""
        self.written += 1
        report = fill(self.storage.connection, task, read=read, refresh=self.refresh, seconds=seconds)
        if not self.is_frozen:
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


def _found(connection: sqlite3.Connection, query: Query, near: NearestChunks, limit: int) -> list[tuple[int, float]]:
    """Row ids and scores of the hits: from full text alone, or from both rankings fused."""
    if near.refusal:
        return best(connection, query, limit=limit)
    by_words = best(connection, query, limit=max(limit, DEPTH))
    return fuse([number for number, _ in by_words], near.rows, limit=limit)


def _hits(connection: sqlite3.Connection, found: Sequence[tuple[int, float]]) -> list[SearchHit]:
    wanted = f"[{','.join(str(number) for number, _ in found)}]"
    rows = {row[0]: row[1:] for row in connection.execute(_HITS, (wanted,))}
    return [_hit(number, rows[number], score) for number, score in found]


def _hit(number: int, row: tuple[Any, ...], score: float) -> SearchHit:
    document_id, title, version, chunk_id, page, page_start, start, end, shown_from, shown_to, text, embedded = row
    place = Locator(page=page, start=start - page_start, end=end - page_start)
    return SearchHit(
        document_id=document_id,
        title=title,
        version=version,
        chunk_id=chunk_id,
        page=page,
        locator=str(place),
        snippet=text,
        score=score,
        markdown_span=None if shown_from is None else Span(start=shown_from, end=shown_to),
        embedding_id=str(number) if embedded else None,
    )
