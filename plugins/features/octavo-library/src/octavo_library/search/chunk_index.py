"""Full-text and vector search over the chunks of a library, behind one object."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace as replace_fields
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from octavo.plugins.vector_tools import VectorTools
from octavo_contracts import (
    LibraryDamaged,
    LibraryReadOnly,
    StorageError,
    StorageExhausted,
)
from octavo_sandbox.filesystem.durable import has_no_room

from ..storage.files.refusal import refusal
from .chunk_search import CATCH_UP_SECONDS
from .frozen_storage import FrozenStorage
from .fusion import DEPTH, fuse
from .hits import hit_of
from .indexer import IndexTarget
from .library_tables import LibraryTables
from .opened_index import OpenedIndex
from .query import Query, parse
from .ranking import best
from .records import IndexingReport, SearchHit, SearchMethod, SearchResults
from .scope import Scope
from .storage import FOLDER, ROWS_PER_SET, DamagedError, Storage, Superseded, database_errors, newest, replace
from .vectors import OFF, Embedded, NearestChunks

SLICE_SECONDS = 1.0
"""Maximum time for embedding before searches of other threads get the lock."""

YIELD_SECONDS = 0.005
"""Pause in which a waiting search acquires the lock."""

READ_ONLY = "the library is open for reading only"
"""Why a search uses no vectors in a library that cannot be written."""

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
        self._opened: OpenedIndex | None = None

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

        def answer(opened: OpenedIndex) -> SearchResults:
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
            made = self._do(partial(OpenedIndex.embed, task=task, deadline=until))
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
            ToolUnavailable: no installed plugin does so, or a plugin that should cannot.
        """
        self._tools.require()

    def close(self) -> None:
        """Close the file. The next search opens it again."""
        with self._lock:
            self._let_go()

    def _do(self, work: Callable[[OpenedIndex], _T]) -> _T:
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

    def _open(self) -> OpenedIndex:
        if self._opened is None:
            storage = self._storage()
            self._opened = OpenedIndex(storage, self._library, self._tools)
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


def _found(connection: sqlite3.Connection, query: Query, near: NearestChunks, limit: int) -> list[tuple[int, float]]:
    """Row ids and scores of the hits: from full text alone, or from both rankings fused."""
    if near.refusal:
        return best(connection, query, limit=limit)
    by_words = best(connection, query, limit=max(limit, DEPTH))
    return fuse([number for number, _ in by_words], near.rows, limit=limit)


def _hits(connection: sqlite3.Connection, found: Sequence[tuple[int, float]]) -> list[SearchHit]:
    wanted = f"[{','.join(str(number) for number, _ in found)}]"
    rows = {row[0]: row[1:] for row in connection.execute(_HITS, (wanted,))}
    return [_hit(number, *rows[number], score=score) for number, score in found]


def _hit(number: int, *row: Any, score: float) -> SearchHit:
    *place, text, embedded = row
    return hit_of(place, text, score, embedding_id=str(number) if embedded else None)
