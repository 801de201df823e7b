"""Full-text search over the chunks of a library: the one object the library asks."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from octavo_contracts import Locator, Span, StorageError

from .attached import LibraryTables
from .filling import Task, fill
from .query import parse
from .ranking import best
from .records import IndexingReport, SearchHit, SearchResults
from .scope import Scope, ScopeTable
from .storage import FOLDER, ROWS_PER_SET, DamagedError, Storage, Superseded, database_errors, newest, replace

CATCH_UP_SECONDS = 5.0
"""Longest time a search spends on bringing the index up to date before it answers; what is left is `pending`."""

_log = logging.getLogger(__name__)

_T = TypeVar("_T")

_HITS = f"""
SELECT chunks.id, sets.document_id, document.title, sets.version, chunks.chunk_id, chunks.page, chunks.page_start,
       chunks.start, chunks.end, chunks.markdown_start, chunks.markdown_end, chunks.text
FROM main.chunks JOIN main.sets ON sets.number = chunks.id >> {ROWS_PER_SET}
JOIN library.documents AS document ON document.document_id = sets.document_id
WHERE chunks.id IN (SELECT value FROM json_each(?))
"""


class ChunkIndex:
    """The chunk index of a library. Nothing is opened before it is first used.

    Thread-safe: searches of one object queue. Several processes may use one library's.

    Args:
        root: the library's folder.
        library: the library's index.
        library_id: gives the library's id.
        read: gives the bytes of a store reference.
    """

    def __init__(
        self, root: Path, *, library: LibraryTables, library_id: Callable[[], str], read: Callable[[str], bytes]
    ) -> None:
        self._folder = root / FOLDER
        self._library = library
        self._library_id = library_id
        self._read = read
        self._lock = threading.Lock()
        self._opened: _Opened | None = None

    def search(self, text: str, scope: Scope, *, limit: int, seconds: float | None = CATCH_UP_SECONDS) -> SearchResults:
        """The chunks that answer a query best, after the index was brought up to date for the scope.

        Args:
            text: the query, see `octavo.search.query`.
            scope: who asks.
            limit: at most so many hits.
            seconds: longest time for bringing it up to date; None for no limit.

        Raises:
            StorageError: the chunk index can not be written, or the library's index is damaged.
        """
        query = parse(text)

        def answer(opened: _Opened) -> SearchResults:
            *others, fallback = ((config, scope.corpus_id) for config in scope.configs)
            opened.catch_up(Task(wanted=(fallback,), optional=tuple(others)), self._read, seconds)
            with opened.reading() as connection:
                pending = opened.scope.fill(scope, written=opened.written)
                found = best(connection, query, limit=limit)
                return SearchResults(_hits(connection, found), pending=pending)

        return self._do(answer)

    def update(self, task: Task, *, seconds: float | None = None) -> IndexingReport:
        """Bring the index up to date.

        Args:
            task: what it should hold.
            seconds: stop after so many, between two batches; None for no limit.

        Raises:
            StorageError: as `search`.
        """
        return self._do(lambda opened: opened.update(task, self._read, seconds))

    def close(self) -> None:
        """Close the file. The next search opens it again."""
        with self._lock:
            self._let_go()

    def _do(self, work: Callable[[_Opened], _T]) -> _T:
        """Work on the opened index, on a new one where the present one turns out to be no use."""
        with self._lock:
            replaced = False
            while True:
                try:
                    with database_errors(self._folder):
                        opened = self._open()
                        opened.storage.check_current()
                        return work(opened)
                except Superseded:
                    self._let_go()
                except DamagedError as error:
                    damaged = self._opened.storage.path if self._opened else newest(self._folder)
                    self._let_go()
                    if replaced:
                        raise StorageError(
                            f"the chunk index in {self._folder} or the library's index is damaged: {error}",
                            remedy="Run `octavo verify-store`",
                        ) from error
                    _log.warning("the chunk index %s is made anew: %s", damaged, error)
                    replace(self._folder, damaged)
                    replaced = True

    def _open(self) -> _Opened:
        if self._opened is None:
            storage = Storage(self._folder, library=self._library, library_id=self._library_id())
            self._opened = _Opened(storage, self._library)
        return self._opened

    def _let_go(self) -> None:
        if self._opened is not None:
            self._opened.storage.close()
            self._opened = None


class _Opened:
    """The index while it is open, and what is known of it.

    Attributes:
        storage: the file.
        scope: the table of what a search may see.
        written: how often this object has written.
    """

    def __init__(self, storage: Storage, library: LibraryTables) -> None:
        self.storage = storage
        self.scope = ScopeTable(storage.connection, library)
        self._library = library
        self.written = 0
        self._settled: dict[Task, int] = {}

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A transaction that sees one state of both databases and changes temporary tables only."""
        connection = self.storage.connection
        connection.execute("BEGIN")
        try:
            yield connection
        finally:
            if connection.in_transaction:  # some errors end it
                connection.execute("COMMIT")

    def refresh(self) -> None:
        """Have the library's tables say what its index says now."""
        self._library.refresh(self.storage.connection)

    def catch_up(self, task: Task, read: Callable[[str], bytes], seconds: float | None) -> None:
        """Bring the index up to date, unless it was since the library last changed."""
        self.refresh()
        before = self._library.state(self.storage.connection)
        if self._settled.get(task) == before:
            return
        report = self.update(task, read, seconds)
        if not report.pending:
            # What can not be read is looked at again when the library changes, not at every search.
            self._settled[task] = before

    def update(self, task: Task, read: Callable[[str], bytes], seconds: float | None) -> IndexingReport:
        """As `octavo.search.filling.fill`."""
        self.written += 1
        return fill(self.storage.connection, task, read=read, refresh=self.refresh, seconds=seconds)


def _hits(connection: sqlite3.Connection, found: Sequence[tuple[int, float]]) -> list[SearchHit]:
    wanted = f"[{','.join(str(number) for number, _ in found)}]"
    rows = {row[0]: row[1:] for row in connection.execute(_HITS, (wanted,))}
    return [_hit(rows[number], score) for number, score in found]


def _hit(row: tuple[Any, ...], score: float) -> SearchHit:
    document_id, title, version, chunk_id, page, page_start, start, end, shown_from, shown_to, text = row
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
    )
