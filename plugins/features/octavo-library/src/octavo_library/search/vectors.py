"""Vectors of chunks: made in separate batches, stored by a plugin, queried for nearest neighbours (ENG-26).

They are derived from chunks, which are derived data themselves: if anything goes wrong with them, they are rebuilt, and
no search fails because of them. The rows of `octavo_library.search.vector_marks` say which chunks have vectors. Stored
vectors change only while this process holds the write lock of the chunk index, so that plugins need no locks between
processes.

They are stored in `search/vectors/N-K`: N is the number of the chunk file, K counts the rebuilds. A folder with a lower
name is obsolete and is removed.
"""

from __future__ import annotations

import logging
import re
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from octavo.plugins.vector_tools import VectorTools
from octavo_contracts import OctavoError, StorageError, ToolUnavailable, VectorIndex
from octavo_sandbox.filesystem.durable import write_failed
from octavo_sandbox.redaction import redacted

from . import vector_marks as marks
from .indexer import IndexTarget
from .query import Query
from .storage import Storage, writing

FOLDER = "vectors"
BATCH = 16
"""Number of chunks embedded and stored together: about half a second of work for a small model."""

MOST_LOSSES = 2
"""Number of losses, while one library is open, after which vectors are given up instead of being rebuilt forever."""

OFF = "vectors were not requested"
"""Why a search uses no vectors if they are switched off."""

NONE_YET = "no searched document has vectors yet"

_NAME = re.compile(r"\d{20}-\d{6}")
_FACT = "vectors"

_log = logging.getLogger("octavo.search")

_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class Embedded:
    """The result of making vectors.

    Attributes:
        chunks: number of chunks that got vectors.
        lacking: number of sets with missing vectors.
        refusal: why no vectors are made, or None.
        lost: whether the existing vectors were unusable and were discarded: a retry may succeed.
    """

    chunks: int = 0
    lacking: int = 0
    refusal: str | None = None
    lost: bool = False


@dataclass(frozen=True, kw_only=True)
class NearestChunks:
    """The nearest neighbours of a query vector.

    Attributes:
        rows: their row ids, nearest first.
        whole: number of sets in scope with all of their vectors.
        refusal: why no vectors were compared, or None.
        damage: the error if the vectors are unusable: call `lose` after the read transaction.
    """

    rows: tuple[int, ...] = ()
    whole: int = 0
    refusal: str | None = None
    damage: OctavoError | None = None


class Vectors:
    """The vectors of one open chunk index.

    Args:
        storage: the chunk index.
        tools: the embedder and the vector index.
    """

    def __init__(self, storage: Storage, tools: VectorTools) -> None:
        self._storage = storage
        self._connection = storage.connection
        self._tools = tools
        self._base = storage.path.parent / FOLDER
        self._indexes: dict[tuple[Path, str], VectorIndex] = {}
        self._reach: tuple[object, marks.VectorCoverage] | None = None
        self._losses = 0
        self._used: Path | None = None
        self._sweep()

    def clean(self) -> None:
        """Remove the vectors of sets that are no longer in the chunk index; for purged documents, whatever it takes."""
        rows = marks.outdated(self._connection)
        try:
            for model in sorted({row.model for row in rows}):
                self._using(model, self._removal([row for row in rows if row.model == model]))
        except ToolUnavailable:
            if any(row.purged for row in rows):
                self.begin_anew()  # the plugin that could remove them one by one is not installed
        except OctavoError as error:
            self.lose(error)

    def fill(self, task: IndexTarget, *, deadline: float | None) -> Embedded:
        """Make the missing vectors.

        Args:
            task: the chunk sets.
            deadline: when to stop, between two batches, in `time.monotonic` seconds; None for no limit.
        """
        try:
            self._tools.check()
            model = self._tools.model
            lacking = marks.lacking(self._connection, task, model)
            chunks = 0
            for batch in marks.pieces(lacking, size=BATCH):
                if deadline is not None and time.monotonic() >= deadline:
                    break
                chunks += self._embed(batch, model)
        except ToolUnavailable as error:
            return Embedded(refusal=error.message)
        except OctavoError as error:
            self.lose(error)
            return Embedded(refusal=error.message, lost=True)
        left = len(marks.lacking(self._connection, task, model)) if lacking else 0
        return Embedded(chunks=chunks, lacking=left)

    def of_query(self, query: Query) -> tuple[list[float] | None, str | None]:
        """The vector of a query, or None with the reason."""
        refusal = refusal_of(query)
        if refusal is not None:
            return None, refusal
        try:
            self._tools.check()
            if not self._connection.execute("SELECT 1 FROM vectors WHERE held > 0 LIMIT 1").fetchone():
                return None, NONE_YET
            if not self._tools.reads(query.words):
                return None, "the embedding model does not support the query's script"
            return self._tools.embed([query.words])[0], None
        except OctavoError as error:
            return None, error.message

    def nearest(self, vector: Sequence[float], query: Query, *, scope: object, limit: int) -> NearestChunks:
        """The nearest chunks in scope. Call it in the read transaction of the search, so that it sees the same state.

        Args:
            vector: the query's vector.
            query: the query, for its exclusions.
            scope: the state of the scope table: data read for it is cached as long as the state is the same.
            limit: maximum number of results.
        """
        try:
            model = self._tools.model
            found = self._reached(scope, model)
            if not found.held:
                return NearestChunks(refusal=NONE_YET)
            among = self._without_excluded(found.ids, query)
            hits = self._using(model, lambda index: index.search(vector, limit=limit, among=among)) if among else []
            if not hits and len(among) == len(found.ids):
                raise StorageError("the vector index has lost its entries")
        except ToolUnavailable as error:
            return NearestChunks(refusal=error.message)
        except OctavoError as error:
            return NearestChunks(refusal="the vectors were unusable and are being rebuilt", damage=error)
        allowed = set(among)
        # Filtered again, so that a plugin that ignores `among` discloses nothing.
        rows = tuple(int(hit.embedding_id) for hit in hits if hit.embedding_id in allowed)
        return NearestChunks(rows=rows, whole=found.whole)

    def lose(self, error: OctavoError) -> None:
        """Discard unusable vectors so that they are rebuilt, unless another process already did."""
        if self._used != self._folder:
            self._indexes.clear()
            return
        self._losses += 1
        said = redacted(error.message)  # an embedder's error may quote its input chunks
        _log.warning("rebuilding the vectors in %s: %s", self._base, said)
        if self._losses >= MOST_LOSSES:
            self._tools.given_up = f"the vectors were lost {self._losses} times: {said}"
        self.begin_anew()

    def begin_anew(self) -> None:
        """Discard all vectors and remove their folder."""
        with writing(self._connection):
            self._connection.execute("DELETE FROM vectors")
            add = "INSERT INTO facts VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value"
            self._connection.execute(add, (_FACT, str(self._count() + 1)))
        self._indexes.clear()
        self._reach = None
        self._sweep()

    # -- inside ---------------------------------------------------------------------------------------------

    def _count(self) -> int:
        row = self._connection.execute("SELECT value FROM facts WHERE key = ?", (_FACT,)).fetchone()
        return int(row[0]) if row else 0

    @property
    def _folder(self) -> Path:
        return self._base / f"{self._storage.number}-{self._count():06d}"

    def _sweep(self) -> None:
        """Remove obsolete folders."""
        if self._base.is_dir() and not self._base.is_symlink():  # the target may be another library's
            own = self._folder.name
            for path in self._base.iterdir():
                if _NAME.fullmatch(path.name) and path.name < own:
                    shutil.rmtree(path, ignore_errors=True)  # files that are still open are left to the next sweep

    def _using(self, model: str, work: Callable[[VectorIndex], _T]) -> _T:
        """Run work on the index; retry once on a reopened one, as another process may have compacted it meanwhile."""
        try:
            return work(self._index(model))
        except ToolUnavailable:
            raise
        except OctavoError:
            self._indexes.clear()
            return work(self._index(model))

    def _index(self, model: str) -> VectorIndex:
        folder = self._used = self._folder
        if not folder.is_dir():
            if self._connection.execute("SELECT 1 FROM vectors WHERE held > 0").fetchone():
                raise StorageError(f"the folder {folder} is missing")
            _make(folder)
        if (folder, model) not in self._indexes:
            self._indexes[folder, model] = self._tools.open_index(folder, model)
        return self._indexes[folder, model]

    def _removal(self, rows: Sequence[marks.Outdated]) -> Callable[[VectorIndex], None]:
        def remove(index: VectorIndex) -> None:
            with writing(self._connection):
                index.remove([entry for row in rows for entry in row.ids])
                marks.gone(self._connection, rows)

        return remove

    def _embed(self, batch: Sequence[marks.Piece], model: str) -> int:
        """Make and store the vectors of a batch; returns their number."""
        marks.announce(self._connection, batch, model)
        texts = {
            piece: [row for row in marks.texts(self._connection, piece) if self._tools.reads(row[1])] for piece in batch
        }
        rows = [row for of_piece in texts.values() for row in of_piece]
        vectors = self._tools.embed([text for _, text in rows]) if rows else []
        made = {str(number): vector for (number, _), vector in zip(rows, vectors, strict=True)}

        def keep(index: VectorIndex) -> int:
            with writing(self._connection):
                wanted = [piece for piece in batch if marks.is_wanted(self._connection, piece, model)]
                ids = [str(number) for piece in wanted for number, _ in texts[piece]]
                if ids:
                    index.add({entry: made[entry] for entry in ids})
                for piece in wanted:
                    marks.kept(self._connection, piece, model, vectors=len(texts[piece]))
            return len(ids)

        return self._using(model, keep)

    def _reached(self, scope: object, model: str) -> marks.VectorCoverage:
        state = (scope, model, self._folder)
        if self._reach is None or self._reach[0] != state:
            self._reach = (state, marks.reach(self._connection, model))
        return self._reach[1]

    def _without_excluded(self, ids: tuple[str, ...], query: Query) -> Sequence[str]:
        if not query.excluded:
            return ids
        found = self._connection.execute("SELECT rowid FROM words WHERE words MATCH ?", (query.any_excluded(),))
        excluded = {str(number) for (number,) in found}
        return [entry for entry in ids if entry not in excluded]


def refusal_of(query: Query) -> str | None:
    """Why a query is not compared by meaning; None if it can be."""
    if not query.wanted:
        return "the query contains no word"
    return "a phrase in quotation marks is compared by words alone" if query.literal else None


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        remedy = "Free space, or make the library writable for you"
        raise write_failed(error, f"the folder of the vectors {folder} cannot be created", remedy=remedy) from error
