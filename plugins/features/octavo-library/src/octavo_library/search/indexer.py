"""Updates the chunk index: removes sets that are no longer active and adds new ones, batch by batch.

Every batch is one transaction that checks again which versions are active. So two processes may update at once, and
either may be killed: each chunk set is in the index completely and once, or not at all.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .chunk_batches import ChunkSetReader, add_missing
from .chunk_sets import Row, Wanted
from .records import IndexingReport
from .storage import ROWS_PER_SET, writing

_NO_LONGER = """
SELECT sets.number, document.document_id IS NULL AS purged FROM main.sets
LEFT JOIN library.documents AS document ON document.document_id = sets.document_id
WHERE (document.active_conversion_version IS NOT 'v' || sets.version
   OR document.normalized_text_hash IS NOT sets.text_hash)
   {among}
"""

_MISSING = """
SELECT document.document_id, document.content_hash, CAST(substr(document.active_conversion_version, 2) AS INTEGER),
       document.normalized_text_hash, :config
FROM library.documents AS document
LEFT JOIN main.sets ON sets.document_id = document.document_id AND sets.config = :config
      AND 'v' || sets.version = document.active_conversion_version AND sets.text_hash IS document.normalized_text_hash
WHERE document.active_conversion_version IS NOT NULL AND sets.number IS NULL
  AND (:corpus IS NULL OR EXISTS (SELECT 1 FROM library.document_corpus_memberships AS member
       WHERE member.document_id = document.document_id AND member.corpus_id = :corpus))
  {among}
ORDER BY document.first_ingested_at, document.document_id
"""

_AMONG = "AND {table}.document_id IN (SELECT value FROM json_each(:among))"

_STILL_ACTIVE = """
SELECT 1 FROM library.documents
WHERE document_id = ? AND active_conversion_version = 'v' || ? AND normalized_text_hash IS ?
"""


@dataclass(frozen=True, kw_only=True)
class IndexTarget:
    """The chunk sets that the index should contain.

    Attributes:
        wanted: pairs of a chunking config and the corpus whose documents must have such a set (None: all documents).
        optional: further pairs, whose sets are added if they exist.
        make: makes the chunk set of a version without one under a config; None: that version cannot be searched (STO-7:
            documents are chunked again only on request).
    """

    wanted: tuple[tuple[str, str | None], ...]
    optional: tuple[tuple[str, str | None], ...] = ()
    make: Callable[[Wanted], None] | None = None


def fill(
    connection: sqlite3.Connection,
    task: IndexTarget,
    *,
    read: Callable[[str], bytes],
    refresh: Callable[[], None],
    seconds: float | None,
    among: Iterable[str] | None = None,
) -> IndexingReport:
    """Update the chunk index from the library.

    Args:
        connection: of the chunk index, with the library attached.
        task: the chunk sets that it should contain.
        read: returns the bytes of a store reference.
        refresh: updates the schema `library` from the library's index; called before each batch.
        seconds: stop after this time, between two batches; None for no limit.
        among: ids of the documents to look at; None: all.
    """
    refresh()
    deadline = None if seconds is None else time.monotonic() + seconds
    ids = None if among is None else json.dumps(list(among))
    removed = remove_outdated(connection, among=ids)
    needed, optional = (
        [item for config, corpus in pairs for item in _missing(connection, config, corpus, ids)]
        for pairs in (task.wanted, task.optional)
    )

    def write(batch: Sequence[tuple[Wanted, list[Row]]]) -> tuple[int, int]:
        refresh()
        return _write(connection, batch)

    return add_missing(needed, optional, ChunkSetReader(read, task.make), write, removed=removed, deadline=deadline)


def remove_outdated(connection: sqlite3.Connection, *, among: str | None = None) -> int:
    """Remove the sets of purged documents and of inactive versions; words of purged documents are erased.

    Args:
        connection: of the chunk index, with the library attached.
        among: ids of the documents to look at, as a JSON array; None: all.

    Returns:
        The number of removed sets.
    """
    rows = connection.execute(_restricted(_NO_LONGER, "sets", among), {"among": among}).fetchall()
    for number, purged in rows:
        with writing(connection):
            _remove(connection, number, purged=bool(purged))
    if any(purged for _, purged in rows):
        # Deleted words stay in old segments until these are merged; nothing of a purged document may remain.
        with writing(connection):
            connection.execute("INSERT INTO words(words) VALUES ('optimize')")
        connection.execute("PRAGMA main.wal_checkpoint(TRUNCATE)").fetchall()
    return len(rows)


def _missing(connection: sqlite3.Connection, config: str, corpus: str | None, among: str | None) -> list[Wanted]:
    statement = _restricted(_MISSING, "document", among)
    rows = connection.execute(statement, {"config": config, "corpus": corpus, "among": among})
    return [Wanted._make(row) for row in rows]


def _restricted(statement: str, table: str, among: str | None) -> str:
    """A statement for all documents, or for those of the parameter `among`."""
    return statement.format(among="" if among is None else _AMONG.format(table=table))


def _write(connection: sqlite3.Connection, batch: Sequence[tuple[Wanted, list[Row]]]) -> tuple[int, int]:
    """Add sets; returns how many were added, and how many sets of other versions they replaced."""
    added = replaced = 0
    with writing(connection):
        for item, rows in batch:
            here = (item.document_id, item.version, item.text_hash)
            if not connection.execute(_STILL_ACTIVE, here).fetchone():
                continue  # another version was activated meanwhile, or the document was purged
            former = _add(connection, item, rows)
            added += former is not None
            replaced += bool(former)
    return added, replaced


def _add(connection: sqlite3.Connection, item: Wanted, rows: Sequence[Row]) -> int | None:
    """Add a set in place of the document's former ones; returns their number, or None if another process already did."""
    known = "SELECT number, version, text_hash FROM sets WHERE document_id = ? AND config = ?"
    former = connection.execute(known, (item.document_id, item.config)).fetchone()
    if former is not None:
        if former[1:] == (item.version, item.text_hash):
            return None
        _remove(connection, former[0], purged=False)
    add = "INSERT INTO sets(document_id, version, text_hash, config) VALUES (?, ?, ?, ?)"
    number = connection.execute(add, (item.document_id, item.version, item.text_hash, item.config)).lastrowid
    assert number is not None  # an INSERT into a table with a row id has one
    first = number << ROWS_PER_SET
    connection.executemany(
        "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((first + place, *row) for place, row in enumerate(rows)),
    )
    connection.execute(
        "INSERT INTO words(rowid, text) SELECT id, searchable(text) FROM chunks WHERE id >= ? AND id < ?",
        (first, first + len(rows)),
    )
    return int(former is not None)


def _remove(connection: sqlite3.Connection, number: int, *, purged: bool) -> None:
    ids = (number << ROWS_PER_SET, (number + 1) << ROWS_PER_SET)
    connection.execute(
        "INSERT INTO words(words, rowid, text) "
        "SELECT 'delete', id, searchable(text) FROM chunks WHERE id >= ? AND id < ?",
        ids,
    )
    connection.execute("DELETE FROM chunks WHERE id >= ? AND id < ?", ids)
    connection.execute("DELETE FROM sets WHERE number = ?", (number,))
    if purged:
        connection.execute("UPDATE vectors SET purged = 1 WHERE number = ?", (number,))
