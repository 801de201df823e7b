"""Which chunks have vectors: rows of the chunk index, a row for each chunk set and model.

A row is written before the first vector of its set is, and outlives the set until the vectors are gone: whatever moment
a process is killed at, no vector is anywhere that no row tells of.
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
    """Some of the chunks of a set.

    Attributes:
        number: the set's.
        start: place of the first of them.
        end: place after the last.
        chunks: how many the set has.
    """

    number: int
    start: int
    end: int
    chunks: int


class VectorCoverage(NamedTuple):
    """What of a search's scope has vectors.

    Attributes:
        done: number of a set → how many of its chunks were looked at for vectors, from the first.
        ids: their entries in the vector index.
        held: how many vectors there are; fewer than `ids` where the embedder was not made for some of the texts.
        whole: sets of which nothing is missing.
    """

    done: dict[int, int]
    ids: tuple[str, ...]
    held: int
    whole: int


class Outdated(NamedTuple):
    """Vectors of a set that is not in the index any more.

    Attributes:
        number: the set's.
        model: whose vectors they are.
        chunks: how many the set had.
        purged: whether its document was purged.
    """

    number: int
    model: str
    chunks: int
    purged: bool

    @property
    def ids(self) -> list[str]:
        """Entries of the vector index that may be there."""
        return entries(self.number, self.chunks)


def entries(number: int, count: int) -> list[str]:
    """Entries of the first chunks of a set: the chunks' row ids, which are never given out again in one file."""
    first = number << ROWS_PER_SET
    return [str(row) for row in range(first, first + count)]


def lacking(connection: sqlite3.Connection, task: IndexTarget, model: str) -> list[tuple[int, int, int]]:
    """Sets without all of their vectors: number, how many chunks are done, how many there are."""
    found: dict[int, tuple[int, int, int]] = {}
    for config, corpus in (*task.wanted, *task.optional):
        rows = connection.execute(_LACKING, {"model": model, "config": config, "corpus": corpus})
        found.update((number, (number, done, chunks)) for number, done, chunks in rows)
    return list(found.values())


def outdated(connection: sqlite3.Connection) -> list[Outdated]:
    """Vectors that have to go."""
    return [
        Outdated(number, model, chunks, bool(purged)) for number, model, chunks, purged in connection.execute(_OUTDATED)
    ]


def reach(connection: sqlite3.Connection, model: str) -> VectorCoverage:
    """What of `temp.scope` has vectors of a model."""
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
    """The chunks that lack vectors, so many at a time."""
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
    """Row ids and texts of chunks."""
    first = piece.number << ROWS_PER_SET
    return connection.execute(_TEXTS, (first + piece.start, first + piece.end)).fetchall()


def announce(connection: sqlite3.Connection, batch: Sequence[Piece], model: str) -> None:
    """Write down that vectors of these sets are about to be kept."""
    with writing(connection):
        connection.executemany(
            "INSERT OR IGNORE INTO vectors SELECT number, ?, ?, 0, 0, 0 FROM sets WHERE number = ?",
            ((model, piece.chunks, piece.number) for piece in batch),
        )


def is_wanted(connection: sqlite3.Connection, piece: Piece, model: str) -> bool:
    """Whether the set is still there, and nobody has kept these vectors meanwhile."""
    return connection.execute(_PRESENT, (piece.number, model, piece.start)).fetchone() is not None


def kept(connection: sqlite3.Connection, piece: Piece, model: str, *, vectors: int) -> None:
    """Write down that the vectors of a piece are kept."""
    connection.execute(
        "UPDATE vectors SET done = ?, held = held + ? WHERE number = ? AND model = ?",
        (piece.end, vectors, piece.number, model),
    )


def gone(connection: sqlite3.Connection, rows: Sequence[Outdated]) -> None:
    """Write down that the vectors of sets are gone."""
    connection.executemany(
        "DELETE FROM vectors WHERE number = ? AND model = ?", ((row.number, row.model) for row in rows)
    )
