"""Updates the chunk index on a server: removes sets that are no longer active and adds new ones, batch by batch.

Every batch is one transaction that checks again which versions are active. Writers on all machines take turns, so that
each set is written once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Protocol

from sqlalchemy import Connection, text

from ..chunk_batches import ChunkSetReader, add_missing
from ..chunk_sets import Row, Wanted
from ..indexer import IndexTarget
from ..records import IndexingReport
from .scope import AMONG, IS_ACTIVE, IS_MEMBER
from .tables import compact, lock
from .words import Tokenizer, length_of, vector_text

_CURRENT = IS_ACTIVE.format(document="document", sets="sets")
_IS_OUTDATED = f"document.document_id = sets.document_id AND NOT coalesce({_CURRENT}, false)"
_ANY_OUTDATED = (
    f"SELECT EXISTS (SELECT 1 FROM search_sets AS sets, documents AS document WHERE {_IS_OUTDATED} {{among}})"
)
_REMOVE_OUTDATED = f"DELETE FROM search_sets AS sets USING documents AS document WHERE {_IS_OUTDATED} {{among}}"
_MISSING = f"""
SELECT document.document_id, document.content_hash, CAST(substr(document.active_conversion_version, 2) AS integer),
       document.normalized_text_hash, CAST(:config AS text)
FROM documents AS document
WHERE document.active_conversion_version IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM search_sets AS sets
                  WHERE sets.document_id = document.document_id AND sets.config = :config AND {_CURRENT})
  {{member}} {{among}}
ORDER BY document.first_ingested_at, document.document_id
"""
_STALE = """
DELETE FROM search_sets WHERE document_id = :document AND config = :config
  AND (version <> :version OR text_hash IS DISTINCT FROM CAST(:hash AS text))
"""
_ADD_SET = """
INSERT INTO search_sets(document_id, version, text_hash, config)
SELECT document_id, CAST(:version AS integer), CAST(:hash AS text), CAST(:config AS text) FROM documents
WHERE document_id = :document AND active_conversion_version = 'v' || CAST(:version AS integer)
  AND normalized_text_hash IS NOT DISTINCT FROM CAST(:hash AS text)
FOR KEY SHARE
ON CONFLICT (document_id, config) DO NOTHING RETURNING number
"""
_ADD_CHUNK = """
INSERT INTO search_chunks VALUES (:number, :place, :chunk_id, :page, :page_start, :start, :end, :markdown_start,
    :markdown_end, :content, :length, CAST(:words AS tsvector))
"""


class Transactions(Protocol):
    """Transactions of the database of the library's index."""

    def read_server(self) -> AbstractContextManager[Connection]:
        """One that sees one state."""

    def write_server(self) -> AbstractContextManager[Connection]:
        """One that may write."""


def fill(
    database: Transactions,
    tokenizer: Tokenizer,
    task: IndexTarget,
    *,
    read: Callable[[str], bytes],
    seconds: float | None,
    among: Sequence[str] | None = None,
) -> IndexingReport:
    """Update the index from the library.

    Args:
        database: the database of both.
        tokenizer: splits texts into words.
        task: the chunk sets that the index should contain.
        read: returns the bytes of a store reference.
        seconds: stop after this time, between two batches; None for no limit.
        among: ids of the documents to look at; None: all.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    removed = _remove_outdated(database, among)
    with database.read_server() as connection:
        needed, optional = (
            [item for config, corpus in pairs for item in _missing(connection, config, corpus, among)]
            for pairs in (task.wanted, task.optional)
        )
    return add_missing(
        needed,
        optional,
        ChunkSetReader(read, task.make),
        partial(_write, database, tokenizer),
        removed=removed,
        deadline=deadline,
    )


def _remove_outdated(database: Transactions, among: Sequence[str] | None) -> int:
    restricted, values = _restriction(among)
    with database.read_server() as connection:
        if not connection.scalar(text(_ANY_OUTDATED.format(among=restricted)), values):
            return 0
    with database.write_server() as connection:
        lock(connection)
        removed = connection.execute(text(_REMOVE_OUTDATED.format(among=restricted)), values).rowcount
        compact(connection)
    return removed


def _missing(connection: Connection, config: str, corpus: str | None, among: Sequence[str] | None) -> list[Wanted]:
    restricted, values = _restriction(among)
    member = f"AND {IS_MEMBER.format(table='document')}" if corpus is not None else ""
    statement = _MISSING.format(member=member, among=restricted)
    rows = connection.execute(text(statement), {**values, "config": config, "corpus": corpus})
    return [Wanted._make(row) for row in rows]


def _restriction(among: Sequence[str] | None) -> tuple[str, dict[str, object]]:
    """What restricts a statement to some documents, with its values; nothing for all documents."""
    return ("", {}) if among is None else (AMONG, {"among": list(among)})


def _write(database: Transactions, tokenizer: Tokenizer, batch: Sequence[tuple[Wanted, list[Row]]]) -> tuple[int, int]:
    """Add sets; returns how many were added, and how many sets of other versions they replaced."""
    words = [tokenizer.of_chunk([row.text for row in rows]) for _, rows in batch]
    added = replaced = 0
    with database.write_server() as connection:
        lock(connection)
        chunks: list[dict[str, object]] = []
        for (item, rows), places in zip(batch, words, strict=True):
            here = {
                "document": item.document_id,
                "version": item.version,
                "hash": item.text_hash,
                "config": item.config,
            }
            replaced += connection.execute(text(_STALE), here).rowcount
            number = connection.scalar(text(_ADD_SET), here)
            if number is None:
                continue  # another process did it, another version was activated, or the document was purged
            added += 1
            chunks += [
                _chunk(number, place, row, of_row) for place, (row, of_row) in enumerate(zip(rows, places, strict=True))
            ]
        if chunks:
            connection.execute(text(_ADD_CHUNK), chunks)
        compact(connection)
    return added, replaced


def _chunk(number: int, place: int, row: Row, words: dict[str, list[int]]) -> dict[str, object]:
    return {
        "number": number,
        "place": place,
        "chunk_id": row.chunk_id,
        "page": row.page,
        "page_start": row.page_start,
        "start": row.start,
        "end": row.end,
        "markdown_start": row.markdown_start,
        "markdown_end": row.markdown_end,
        "content": row.text.encode(),
        "length": length_of(words),
        "words": vector_text(words),
    }
