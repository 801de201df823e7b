"""Chunk sets in batches of one transaction each, read from the store or made."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence

from octavo_contracts import OctavoError

from .chunk_sets import Missing, Row, Unreadable, Wanted, read_chunk_set
from .records import IndexingReport

BATCH_CHUNKS = 2_000
"""Approximate chunks per transaction: a larger one holds the write lock longer, a smaller one costs more per chunk."""

Write = Callable[[Sequence[tuple[Wanted, list[Row]]]], tuple[int, int]]
"""Adds a batch; returns how many sets it added, and how many of other versions it replaced."""

_log = logging.getLogger("octavo.search")


class ChunkSetReader:
    """Reads chunk sets, and makes missing ones if it has a function for that.

    Args:
        read: returns the bytes of a store reference.
        make: makes the chunk set of a version without one, or None.
    """

    def __init__(self, read: Callable[[str], bytes], make: Callable[[Wanted], None] | None) -> None:
        self._read = read
        self._make = make

    def rows(self, item: Wanted) -> list[Row]:
        """The chunks of a set.

        Raises:
            Unreadable: the set or its text is missing or was altered.
        """
        try:
            return read_chunk_set(self._read, item)
        except Missing:
            if self._make is None:
                raise
        try:
            self._make(item)
        except OctavoError as error:
            raise Unreadable(error.message) from error
        return read_chunk_set(self._read, item)


def add_missing(
    needed: Sequence[Wanted],
    optional: Sequence[Wanted],
    reader: ChunkSetReader,
    write: Write,
    *,
    removed: int,
    deadline: float | None,
) -> IndexingReport:
    """Add missing sets, batch by batch.

    Args:
        needed: sets that must be there; the report says which of them cannot be read.
        optional: sets that are added if they exist.
        reader: reads them.
        write: adds a batch.
        removed: number of sets that were removed before.
        deadline: when to stop, between two batches, in `time.monotonic` seconds; None for no limit.
    """
    missing = [*needed, *optional]
    indexed, done = 0, 0
    unreadable: dict[str, str] = {}
    for batch in _batches(missing, reader, unreadable, len(needed)):
        added, replaced = write([(item, rows) for item, rows in batch if rows is not None])
        indexed, removed = indexed + added, removed + replaced
        done += len(batch)
        if deadline is not None and time.monotonic() >= deadline:
            break
    return IndexingReport(indexed=indexed, removed=removed, pending=len(missing) - done, unreadable=unreadable)


def _batches(
    missing: Sequence[Wanted], reader: ChunkSetReader, unreadable: dict[str, str], needed: int
) -> Iterator[list[tuple[Wanted, list[Row] | None]]]:
    """Sets with their chunks, in batches of one transaction each; None for a set that cannot be read.

    Args:
        missing: the sets.
        reader: reads them.
        unreadable: gets the reasons for those that cannot be read: document id → reason.
        needed: number of sets, from the first, whose reasons are recorded.
    """
    batch: list[tuple[Wanted, list[Row] | None]] = []
    size = 0
    for place, item in enumerate(missing):
        rows: list[Row] | None = None
        try:
            rows = reader.rows(item)
        except Unreadable as error:
            if place < needed:
                unreadable[item.document_id] = str(error)
                _log.warning("document %s cannot be searched: %s", item.document_id, error)
        batch.append((item, rows))
        size += 1 + len(rows or ())
        if size >= BATCH_CHUNKS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
