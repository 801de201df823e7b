"""Bookkeeping of vectors in the chunk index: one row for each chunk set and model.

A row is written before the first vector of its set, and outlives the set until the vectors are removed: whenever a
process is killed, every stored vector has a row.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .indexer import IndexTarget
from .storage import ROWS_PER_SET, writing

_LACKING = f"""
SELECT number, done, chunks FROM (
    SELECT sets.number, coalesce(vectors.done, 0) AS done,
           (SELECT count(*) FROM main.chunks
            WHERE id >= sets.number << {ROWS_PER_SET} AND id < (sets.number + 1) << {ROWS_PER_SET}) AS chunks
    FROM main.sets LEFT JOIN main.vectors ON vectors.number = sets.number AND vectors.model = :model
    WHERE sets.config = :config AND coalesce(vectors.done < vectors.chunks, 1)
      AND (:corpus IS NULL OR EXISTS (SELECT 1 FROM library.document_corpus_memberships AS member
           WHERE member.document_id = sets.document_id AND member.corpus_id = :corpus))
) WHERE done < chunks ORDER BY number
"""

_OUTDATED = """
SELECT number, model, chunks, purged FROM main.vectors WHERE number NOT IN (SELECT number FROM main.sets)
"""

_IN_SCOPE = """
SELECT scope.number, vectors.done, vectors.held, vectors.done < vectors.chunks
FROM temp.scope JOIN main.vectors ON vectors.number = scope.number AND vectors.model = ?
"""

_PRESENT = """
SELECT 1 FROM main.vectors JOIN main.sets ON sets.number = vectors.number
WHERE vectors.number = ? AND vectors.model = ? AND vectors.done = ?
"""

_TEXTS = "SELECT id, text FROM main.chunks WHERE id >= ? AND id < ? ORDER BY id"


class Piece(NamedTuple):
    """A range of chunks of one set.

    Attributes:
        number: the set's number.
        start: position of the first chunk.
        end: position after the last chunk.
        chunks: number of chunks in the set.
    """

    number: int
    start: int
    end: int
    chunks: int


class VectorCoverage(NamedTuple):
    """The vectors available in a search's scope.

    Attributes:
        done: number of a set → how many of its chunks, from the first, were processed.
        ids: their entries in the vector index.
        held: number of stored vectors; lower than `ids` if the embedder does not support some of the texts.
        whole: number of sets that are fully processed.
    """

    done: dict[int, int]
    ids: tuple[str, ...]
    held: int
    whole: int


class Outdated(NamedTuple):
    """Vectors of a set that is no longer in the index.

    Attributes:
        number: the set's number.
        model: the embedding model.
        chunks: number of chunks in the set.
        purged: whether its document was purged.
    """

    number: int
    model: str
    chunks: int
    purged: bool

    @property
    def ids(self) -> list[str]:
        """Entries that the vector index may contain."""
        return entries(self.number, self.chunks)


def entries(number: int, count: int) -> list[str]:
    """Entries of the first chunks of a set: the chunks' row ids, which are never reused in one file."""
    first = number << ROWS_PER_SET
    return [str(row) for row in range(first, first + count)]


def lacking(connection: sqlite3.Connection, task: IndexTarget, model: str) -> list[tuple[int, int, int]]:
    """Sets with missing vectors: number, processed chunks, all chunks."""
    found: dict[int, tuple[int, int, int]] = {}
    for config, corpus in (*task.wanted, *task.optional):
        rows = connection.execute(_LACKING, {"model": model, "config": config, "corpus": corpus})
        found.update((number, (number, done, chunks)) for number, done, chunks in rows)
    return list(found.values())


def outdated(connection: sqlite3.Connection) -> list[Outdated]:
    """Vectors that must be removed."""
    return [
        Outdated(number, model, chunks, bool(purged)) for number, model, chunks, purged in connection.execute(_OUTDATED)
    ]


def reach(connection: sqlite3.Connection, model: str) -> VectorCoverage:
    """The vectors of a model available in `temp.scope`."""
    done: dict[int, int] = {}
    held = whole = 0
    for number, count, vectors, partly in connection.execute(_IN_SCOPE, (model,)):
        done[number] = count
        held += vectors
        whole += not partly
    return VectorCoverage(
        done, tuple(entry for number, count in done.items() for entry in entries(number, count)), held, whole
    )


def pieces(sets: Sequence[tuple[int, int, int]], *, size: int) -> Iterator[list[Piece]]:
    """The chunks without vectors, in batches of `size`."""
    batch: list[Piece] = []
    room = size
    for number, done, chunks in sets:
        while done < chunks:
            end = min(chunks, done + room)
            batch.append(Piece(number, done, end, chunks))
            room -= end - done
            done = end
            if not room:
                yield batch
                batch, room = [], size
    if batch:
        yield batch


def texts(connection: sqlite3.Connection, piece: Piece) -> list[tuple[int, str]]:
    """Row ids and texts of the chunks of a piece."""
    first = piece.number << ROWS_PER_SET
    return connection.execute(_TEXTS, (first + piece.start, first + piece.end)).fetchall()


def announce(connection: sqlite3.Connection, batch: Sequence[Piece], model: str) -> None:
    """Record that vectors of these sets are about to be stored."""
    with writing(connection):
        connection.executemany(
            "INSERT OR IGNORE INTO vectors SELECT number, ?, ?, 0, 0, 0 FROM sets WHERE number = ?",
            ((model, piece.chunks, piece.number) for piece in batch),
        )


def is_wanted(connection: sqlite3.Connection, piece: Piece, model: str) -> bool:
    """Whether the set still exists, and no other process has stored these vectors meanwhile."""
    return connection.execute(_PRESENT, (piece.number, model, piece.start)).fetchone() is not None


def kept(connection: sqlite3.Connection, piece: Piece, model: str, *, vectors: int) -> None:
    """Record that the vectors of a piece are stored."""
    connection.execute(
        "UPDATE vectors SET done = ?, held = held + ? WHERE number = ? AND model = ?",
        (piece.end, vectors, piece.number, model),
    )


def gone(connection: sqlite3.Connection, rows: Sequence[Outdated]) -> None:
    """Record that the vectors of sets are removed."""
    connection.executemany(
        "DELETE FROM vectors WHERE number = ? AND model = ?", ((row.number, row.model) for row in rows)
    )
