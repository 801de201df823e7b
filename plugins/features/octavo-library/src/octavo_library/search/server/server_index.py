"""`ServerChunkIndex`: the chunk index on a server, with the methods of the one in a file."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace as replace_fields
from typing import NamedTuple, TypeVar

from octavo.plugins.vector_tools import VectorTools
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError, ProgrammingError

from ...storage.index.snapshots import changed_since, snapshot_name
from ..chunk_search import CATCH_UP_SECONDS
from ..fusion import DEPTH, fuse
from ..hits import hit_of
from ..indexer import IndexTarget
from ..opened_index import VECTOR_SECONDS
from ..query import Query, parse
from ..records import IndexingReport, SearchHit, SearchMethod, SearchResults
from ..scope import Scope
from ..storage import ROWS_PER_SET
from ..vectors import OFF, Embedded
from .indexer import Transactions, fill
from .ranking import Key, best
from .scope import AMONG, visible_chunks, without_chunks
from .tables import fact, is_made, make, set_fact
from .vectors import NearestKeys, ServerVectors, embedded_chunks, with_vectors
from .words import Terms, Tokenizer, terms_of

_NOT_THERE = ("42P01", "42703")
"""PostgreSQL's codes for a table and a column that are not there."""

MOST_KEPT = 1_000
"""Unreadable documents up to which a state of the index is remembered."""

_HITS = """
SELECT chunk.number, chunk.place, sets.document_id, document.title, sets.version, chunk.chunk_id, chunk.page,
       chunk.page_start, chunk.span_start, chunk.span_end, chunk.markdown_start, chunk.markdown_end, chunk.content
FROM unnest(CAST(:numbers AS bigint[]), CAST(:places AS integer[])) AS found(number, place)
JOIN search_chunks AS chunk ON chunk.number = found.number AND chunk.place = found.place
JOIN search_sets AS sets ON sets.number = chunk.number JOIN documents AS document ON document.document_id = sets.document_id
"""


T = TypeVar("T")


class _Settled(NamedTuple):
    """A state of the library whose chunk sets are in the index.

    Attributes:
        snapshot: the name of a snapshot of the database.
        unreadable: the documents whose chunk sets could not be read.
    """

    snapshot: str
    unreadable: tuple[str, ...]


class ServerChunkIndex:
    """The chunk index of a library in the database of its index. Thread-safe; made at the first use.

    Args:
        database: the database of the library's index, on PostgreSQL.
        read: returns the bytes of a store reference.
        vectors: the embedder.
    """

    def __init__(self, database: Transactions, *, read: Callable[[str], bytes], vectors: VectorTools) -> None:
        self._database = database
        self._read = read
        self._vectors = ServerVectors(database, vectors)
        self._lock = threading.Lock()
        self._tokenizer = Tokenizer()
        self._is_made = False
        self._settled: dict[IndexTarget, _Settled] = {}
        self._embedded: dict[IndexTarget, str] = {}
        """Target → the name of a snapshot whose chunks have vectors."""

    def search(
        self, query: str, scope: Scope, *, limit: int, seconds: float | None = CATCH_UP_SECONDS, vectors: bool = True
    ) -> SearchResults:
        """As `octavo_library.search.ChunkIndex.search`."""
        *others, fallback = ((config, scope.corpus_id) for config in scope.configs)
        task = IndexTarget(wanted=(fallback,), optional=tuple(others))
        parsed = parse(query)
        terms = terms_of(parsed, self._tokenizer)

        def answer() -> SearchResults:
            deadline = None if seconds is None else time.monotonic() + seconds
            settled = self._catch_up(task, seconds)
            if vectors:
                self._make_vectors(task, deadline)
            with self._database.read_server() as connection:
                near = NearestKeys(refusal=OFF)
                if vectors:
                    near = self._nearest(connection, parsed, terms, scope, task, limit)
                return SearchResults(
                    _hits(connection, _found(connection, terms, scope, near, limit)),
                    pending=_pending(connection, scope, settled),
                    method=SearchMethod.FTS if near.refusal else SearchMethod.HYBRID,
                    without_vectors=near.without,
                    reason=near.refusal,
                )

        return self._do(answer)

    def update(self, task: IndexTarget, *, seconds: float | None = None, vectors: bool = True) -> IndexingReport:
        """As `octavo_library.search.ChunkIndex.update`."""
        deadline = None if seconds is None else time.monotonic() + seconds
        report = self._do(lambda: fill(self._database, self._tokenizer, task, read=self._read, seconds=seconds))
        made = self._vectors.fill(task, deadline=deadline) if vectors else Embedded(refusal=OFF)
        return replace_fields(report, embedded=made.chunks, without_vectors=made.lacking, no_vectors=made.refusal)

    def embedding_ids(self, document_id: str) -> dict[str, str]:
        """As `octavo_library.search.ChunkIndex.embedding_ids`."""

        def entries() -> dict[str, str]:
            with self._database.read_server() as connection:
                return {chunk_id: _entry(key) for chunk_id, key in embedded_chunks(connection, document_id).items()}

        return self._do(entries)

    def check_vectors(self) -> None:
        """As `octavo_library.search.ChunkIndex.check_vectors`."""
        self._do(self._vectors.require)

    def close(self) -> None:
        """Forget what is known of the index. The next search asks again."""
        self._forget()
        self._tokenizer.close()

    def _forget(self) -> None:
        with self._lock:
            self._is_made = False
            self._settled.clear()
            self._embedded.clear()
        self._vectors.forget()

    def _do(self, work: Callable[[], T]) -> T:
        """Do what needs the tables, and again if somebody has dropped them since they were made."""
        self._make_tables()
        try:
            return work()
        except ProgrammingError as error:
            if getattr(error.orig, "sqlstate", None) not in _NOT_THERE:
                raise
        self._forget()
        self._make_tables()
        return work()

    def _make_tables(self) -> None:
        with self._lock:
            if self._is_made:
                return
            with self._database.read_server() as connection:
                made = is_made(connection)
            if not made:
                with self._database.write_server() as connection:
                    make(connection)
            self._is_made = True

    def _catch_up(self, task: IndexTarget, seconds: float | None) -> _Settled | None:
        """Update the index from the documents that changed since it was settled; None if it is not complete."""
        with self._database.read_server() as connection:
            snapshot = snapshot_name(connection)
            settled = self._settled.get(task) or _kept(connection, task)
            if settled is not None and settled.snapshot == snapshot:
                return settled
            changed = None if settled is None else changed_since(connection, settled.snapshot)
        if settled is not None and changed is not None and not changed:
            settled = _Settled(snapshot, settled.unreadable)
        else:
            # Unreadable sets are tried again when a document changes, not at every search.
            among = None if settled is None or changed is None else [*{*changed, *settled.unreadable}]
            report = fill(self._database, self._tokenizer, task, read=self._read, seconds=seconds, among=among)
            if report.pending:
                return None
            settled = _Settled(snapshot, tuple(report.unreadable))
            self._keep(task, settled)
        self._settled[task] = settled
        return settled

    def _make_vectors(self, task: IndexTarget, deadline: float | None) -> None:
        """Make missing vectors, unless that was done since the last change of the library."""
        with self._database.read_server() as connection:
            snapshot = snapshot_name(connection)
            known = self._embedded.get(task)
            if known is not None and changed_since(connection, known) == ():
                return
        soon = time.monotonic() + VECTOR_SECONDS
        made = self._vectors.fill(task, deadline=soon if deadline is None else min(soon, deadline))
        if made.refusal is None and not made.lacking:
            self._embedded[task] = snapshot

    def _nearest(
        self, connection: Connection, query: Query, terms: Terms, scope: Scope, task: IndexTarget, limit: int
    ) -> NearestKeys:
        known = self._embedded.get(task)
        among = None if known is None else changed_since(connection, known)
        return self._vectors.nearest(connection, query, terms, scope, among=among, limit=max(limit, DEPTH))

    def _keep(self, task: IndexTarget, settled: _Settled) -> None:
        """Remember a state for other processes."""
        with self._database.write_server() as connection:
            server = _server(connection)
            if server is not None and len(settled.unreadable) <= MOST_KEPT:
                value = {"snapshot": settled.snapshot, "unreadable": settled.unreadable, "server": server}
                set_fact(connection, _name(task), json.dumps(value))


def _kept(connection: Connection, task: IndexTarget) -> _Settled | None:
    """The state that a process remembered, unless it is of another server, whose transactions have other numbers."""
    value = fact(connection, _name(task))
    if value is None:
        return None
    kept = json.loads(value)
    return _Settled(kept["snapshot"], tuple(kept["unreadable"])) if kept["server"] == _server(connection) else None


def _name(task: IndexTarget) -> str:
    return "settled " + hashlib.sha256(json.dumps([task.wanted, task.optional]).encode()).hexdigest()


def _server(connection: Connection) -> str | None:
    """What tells this server from all others; None if it does not say."""
    try:
        with connection.begin_nested():
            return str(connection.scalar(text("SELECT system_identifier FROM pg_control_system()")))
    except DBAPIError:
        return None


def _pending(connection: Connection, scope: Scope, settled: _Settled | None) -> int:
    changed = None if settled is None else changed_since(connection, settled.snapshot)
    among = None if settled is None or changed is None else [*{*changed, *settled.unreadable}]
    if among is not None and not among:
        return 0
    condition = without_chunks(scope)
    statement, values = f"SELECT count(*) FROM documents AS document WHERE {condition.sql}", condition.values
    if among is not None:
        statement += AMONG
        values["among"] = among
    return int(connection.scalar(text(statement), values))


def _found(
    connection: Connection, terms: Terms, scope: Scope, near: NearestKeys, limit: int
) -> list[tuple[Key, float]]:
    """Keys and scores of the hits: from full text alone, or from both rankings fused."""
    visible = visible_chunks(scope)
    if near.refusal:
        return best(connection, terms, visible, limit=limit)
    by_words = best(connection, terms, visible, limit=max(limit, DEPTH))
    return fuse([key for key, _ in by_words], near.keys, limit=limit)


def _entry(key: Key) -> str:
    """The id of a vector, as the index in a file would number it."""
    number, place = key
    return str((number << ROWS_PER_SET) + place)


def _hits(connection: Connection, found: Sequence[tuple[Key, float]]) -> list[SearchHit]:
    keys = {"numbers": [number for (number, _), _ in found], "places": [place for (_, place), _ in found]}
    rows = {(row[0], row[1]): row[2:] for row in connection.execute(text(_HITS), keys)}
    embedded = with_vectors(connection, list(rows))
    return [
        hit_of(place, bytes(content).decode(), score, embedding_id=_entry(key) if key in embedded else None)
        for key, score in found
        for *place, content in [rows[key]]
    ]
