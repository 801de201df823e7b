"""Vectors of chunks on the server, with the extension pgvector where it is installed (ENG-26).

They are derived from chunks: deleting a chunk deletes its vector. Nearest neighbours are found by comparing all vectors in
scope.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple

from octavo.plugins.vector_tools import VectorTools
from octavo_contracts import OctavoError, ToolUnavailable
from sqlalchemy import Connection, text

from ..indexer import IndexTarget
from ..query import Query
from ..scope import Scope
from ..vectors import BATCH, NONE_YET, Embedded, refusal_of
from .indexer import Transactions
from .ranking import Key
from .scope import AMONG, FROM, IS_MEMBER, visible_chunks
from .tables import has_table, lock
from .words import Terms

NO_EXTENSION = "the server has no extension pgvector, which the vectors of the shared chunk index need"

MOST_SETS = 1_000
"""Sets without vectors that are looked up at once."""

MOST_COUNTED = 10_000
"""Documents without vectors up to which they are counted."""

_SCHEMA_OF = """
SELECT space.nspname FROM pg_extension AS extension JOIN pg_namespace AS space ON space.oid = extension.extnamespace
WHERE extension.extname = 'vector'
"""
_AVAILABLE = "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"
_CREATE = """
CREATE TABLE IF NOT EXISTS search_embedded(
    number bigint NOT NULL REFERENCES search_sets(number) ON DELETE CASCADE,
    model text COLLATE "C" NOT NULL,
    done integer NOT NULL,
    held integer NOT NULL,
    PRIMARY KEY (number, model)
);
CREATE TABLE IF NOT EXISTS search_vectors(
    number bigint NOT NULL,
    place integer NOT NULL,
    model text COLLATE "C" NOT NULL,
    embedding {schema}.vector NOT NULL,
    PRIMARY KEY (number, place, model),
    FOREIGN KEY (number, place) REFERENCES search_chunks(number, place) ON DELETE CASCADE
);
"""
# A chunk that the embedder cannot read has no vector, so `search_embedded` says which chunks of a set are done.
_IS_LACKING = """
sets.config = :config AND (SELECT count(*) FROM search_chunks AS chunk WHERE chunk.number = sets.number) > coalesce(
    (SELECT embedded.done FROM search_embedded AS embedded WHERE embedded.number = sets.number AND embedded.model = :model), 0)
"""
_CHUNKS = """
SELECT chunk.number, chunk.place, chunk.content FROM search_chunks AS chunk
LEFT JOIN search_embedded AS embedded ON embedded.number = chunk.number AND embedded.model = :model
WHERE chunk.number = ANY(CAST(:numbers AS bigint[])) AND chunk.place >= coalesce(embedded.done, 0)
ORDER BY array_position(CAST(:numbers AS bigint[]), chunk.number), chunk.place LIMIT :most
"""
_PRESENT = "SELECT number FROM search_sets WHERE number = ANY(CAST(:numbers AS bigint[])) FOR KEY SHARE"
_ADD = """
INSERT INTO search_vectors VALUES (:number, :place, :model, CAST(:embedding AS {schema}.vector)) ON CONFLICT DO NOTHING
"""
_DONE = """
INSERT INTO search_embedded AS known VALUES (:number, :model, :done, :held)
ON CONFLICT (number, model) DO UPDATE SET done = excluded.done, held = known.held + excluded.held
WHERE known.done < excluded.done
"""
_NEAREST = """
SELECT chunk.number, chunk.place {tables}
JOIN search_vectors AS vectors ON vectors.number = chunk.number AND vectors.place = chunk.place AND vectors.model = :model
WHERE {scope}
ORDER BY vectors.embedding OPERATOR({schema}.<=>) CAST(:vector AS {schema}.vector), chunk.number, chunk.place LIMIT :most
"""


class NearestKeys(NamedTuple):
    """The nearest neighbours of a query.

    Attributes:
        keys: their chunks, nearest first.
        without: number of documents in scope without all of their vectors.
        refusal: why no vectors were compared, or None.
    """

    keys: tuple[Key, ...] = ()
    without: int = 0
    refusal: str | None = None


class ServerVectors:
    """The vectors of the chunk index on a server. Thread-safe.

    Args:
        database: the database.
        tools: the embedder.
    """

    def __init__(self, database: Transactions, tools: VectorTools) -> None:
        self._database = database
        self._tools = tools
        self._lock = threading.Lock()
        self._schema: str | None = None
        self._salt = secrets.token_hex(8)

    def require(self) -> None:
        """Raise if vectors cannot be made or stored.

        Raises:
            ToolUnavailable: there is no embedder, or no extension.
        """
        self._tools.check_embedder()
        self._opened()

    def forget(self) -> None:
        """Ask again at the next call whether the tables are there."""
        with self._lock:
            self._schema = None

    def fill(self, task: IndexTarget, *, deadline: float | None) -> Embedded:
        """Make the missing vectors.

        Args:
            task: the chunk sets.
            deadline: when to stop, between two batches, in `time.monotonic` seconds; None for no limit.
        """
        chunks = 0
        try:
            self.require()
            model = self._tools.model
            while numbers := self._lacking(task, model):
                while batch := self._chunks(numbers, model):
                    if deadline is not None and time.monotonic() >= deadline:
                        return Embedded(chunks=chunks, lacking=len(numbers))
                    chunks += self._embed(batch, model)
        except OctavoError as error:
            return Embedded(chunks=chunks, refusal=error.message)
        return Embedded(chunks=chunks)

    def nearest(
        self,
        connection: Connection,
        query: Query,
        terms: Terms,
        scope: Scope,
        *,
        among: Sequence[str] | None,
        limit: int,
    ) -> NearestKeys:
        """The nearest chunks in scope.

        Args:
            connection: the transaction of the search.
            query: the query.
            terms: the query, for its exclusions.
            scope: what the search may see.
            among: the documents that may lack vectors; None: any.
            limit: maximum number of results.
        """
        refusal = refusal_of(query)
        if refusal is not None:
            return NearestKeys(refusal=refusal)
        try:
            self.require()
            model, schema = self._tools.model, self._opened()
            if (
                connection.scalar(
                    text("SELECT EXISTS (SELECT 1 FROM search_vectors WHERE model = :model)"), {"model": model}
                )
                is False
            ):
                return NearestKeys(refusal=NONE_YET)
            if not self._tools.reads(query.words):
                return NearestKeys(refusal="the embedding model does not support the query's script")
            (vector,) = self._tools.embed([query.words])
        except OctavoError as error:
            return NearestKeys(refusal=error.message)
        visible = visible_chunks(scope)
        values = {**visible.values, "model": model, "vector": _vector_text(vector), "most": limit}
        condition = visible.sql
        if terms.excluded:
            condition += " AND NOT chunk.words @@ CAST(:excluded AS tsquery)"
            values["excluded"] = " | ".join(term.expression for term in terms.excluded)
        statement = _NEAREST.format(tables=FROM, scope=condition, schema=schema)
        keys = tuple((number, place) for number, place in connection.execute(text(statement), values))
        return NearestKeys(keys, without=_without(connection, scope, model, among))

    def _opened(self) -> str:
        """The schema of the extension; makes it and the tables at the first call.

        Raises:
            ToolUnavailable: the server has no such extension, or this user may not create it.
        """
        with self._lock:
            if self._schema is None:
                with self._database.read_server() as connection:
                    schema = connection.scalar(text(_SCHEMA_OF))
                    made = has_table(connection, "search_vectors")
                if schema is None or not made:
                    schema = self._made()
                self._schema = f'"{schema}"'
            return self._schema

    def _made(self) -> str:
        with self._database.write_server() as connection:
            lock(connection)
            if connection.scalar(text(_AVAILABLE)) is None:
                raise ToolUnavailable(
                    NO_EXTENSION, remedy="Install pgvector on the server, or set search.vectors = false"
                )
            if connection.scalar(text(_SCHEMA_OF)) is None:
                if not connection.scalar(text("SELECT has_database_privilege(current_database(), 'CREATE')")):
                    raise ToolUnavailable(NO_EXTENSION, remedy="Let an administrator run: CREATE EXTENSION vector")
                connection.exec_driver_sql("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
            schema = str(connection.scalar(text(_SCHEMA_OF)))
            connection.exec_driver_sql(_CREATE.format(schema=f'"{schema}"'))
        return schema

    def _lacking(self, task: IndexTarget, model: str) -> list[int]:
        """Sets with missing vectors, in an order of this process: machines that make vectors at once rarely meet."""
        found: dict[int, None] = {}
        with self._database.read_server() as connection:
            for config, corpus in (*task.wanted, *task.optional):
                member = f"AND {IS_MEMBER.format(table='sets')}" if corpus is not None else ""
                statement = f"""
                SELECT sets.number FROM search_sets AS sets WHERE {_IS_LACKING} {member}
                ORDER BY md5(sets.number || :salt) LIMIT :most
                """
                values = {"config": config, "corpus": corpus, "model": model, "salt": self._salt, "most": MOST_SETS}
                found.update(dict.fromkeys(connection.scalars(text(statement), values)))
        return list(found)

    def _chunks(self, numbers: Sequence[int], model: str) -> list[tuple[int, int, str]]:
        with self._database.read_server() as connection:
            rows = connection.execute(text(_CHUNKS), {"numbers": list(numbers), "model": model, "most": BATCH})
            return [(number, place, bytes(content).decode()) for number, place, content in rows]

    def _embed(self, batch: Sequence[tuple[int, int, str]], model: str) -> int:
        """Make and store the vectors of a batch; returns their number."""
        readable = [row for row in batch if self._tools.reads(row[2])]
        vectors = self._tools.embed([row[2] for row in readable]) if readable else []
        schema = self._opened()
        numbers = sorted({number for number, _, _ in batch})
        with self._database.write_server() as connection:
            lock(connection)
            present = set(connection.scalars(text(_PRESENT), {"numbers": numbers}))
            rows = [
                {"number": number, "place": place, "model": model, "embedding": _vector_text(vector)}
                for (number, place, _), vector in zip(readable, vectors, strict=True)
                if number in present
            ]
            if rows:
                connection.execute(text(_ADD.format(schema=schema)), rows)
            for number in numbers:
                if number in present:
                    done = 1 + max(place for of, place, _ in batch if of == number)
                    held = sum(row["number"] == number for row in rows)
                    connection.execute(text(_DONE), {"number": number, "model": model, "done": done, "held": held})
        return len(rows)


def embedded_chunks(connection: Connection, document_id: str) -> dict[str, Key]:
    """Ids of a document's chunks that have vectors → their keys."""
    if not has_table(connection, "search_embedded"):
        return {}
    statement = """
    SELECT DISTINCT chunk.chunk_id, chunk.number, chunk.place FROM search_sets AS sets
    JOIN search_chunks AS chunk ON chunk.number = sets.number
    JOIN search_embedded AS embedded ON embedded.number = chunk.number AND chunk.place < embedded.done
    WHERE sets.document_id = :document
    """
    rows = connection.execute(text(statement), {"document": document_id})
    return {chunk_id: (number, place) for chunk_id, number, place in rows}


def with_vectors(connection: Connection, keys: Sequence[Key]) -> set[Key]:
    """Those of some chunks that have vectors."""
    if not has_table(connection, "search_embedded"):
        return set()
    statement = """
    SELECT found.number, found.place FROM unnest(CAST(:numbers AS bigint[]), CAST(:places AS integer[])) AS found(number, place)
    WHERE EXISTS (SELECT 1 FROM search_embedded AS embedded WHERE embedded.number = found.number AND found.place < embedded.done)
    """
    values = {"numbers": [number for number, _ in keys], "places": [place for _, place in keys]}
    return {(number, place) for number, place in connection.execute(text(statement), values)}


def _without(connection: Connection, scope: Scope, model: str, among: Sequence[str] | None) -> int:
    """The number of documents in scope without all of their vectors, up to `MOST_COUNTED`."""
    if among is not None and not among:
        return 0
    visible = visible_chunks(scope)
    restricted = "" if among is None else AMONG
    statement = f"""
    SELECT count(*) FROM (
        SELECT 1 {FROM} LEFT JOIN search_embedded AS embedded ON embedded.number = sets.number AND embedded.model = :model
        WHERE {visible.sql} {restricted} AND chunk.place >= coalesce(embedded.done, 0)
        GROUP BY sets.number LIMIT :most
    ) AS lacking
    """
    values: dict[str, object] = {**visible.values, "model": model, "most": MOST_COUNTED}
    if among is not None:
        values["among"] = list(among)
    return int(connection.scalar(text(statement), values))


def _vector_text(vector: Sequence[float]) -> str:
    return f"[{','.join(repr(float(value)) for value in vector)}]"
