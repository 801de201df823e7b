"""The vectors beside the words: made in batches of their own, kept by a plugin, asked for the nearest (ENG-26).

They are derived twice over, from chunks that are themselves derived, so whatever goes wrong with them they are made anew,
and no search fails because of them. The rows of `octavo_library.search.vector_marks` say which chunks have one. Everything that
changes what is kept happens while this process holds the chunk index's write lock, so that plugins need no lock of
their own between processes.

They are kept in `search/vectors/N-K`: N is the chunk file's number, K counts how often they were begun anew. A folder of
a lower name belongs to nobody any more and is removed.
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

from octavo.filesystem.durable import write_failed
from octavo.plugins.vector_tools import VectorTools
from octavo_contracts import OctavoError, StorageError, ToolUnavailable, VectorIndex
from octavo_sandbox.redaction import redacted

from . import vector_marks as marks
from .indexer import IndexTarget
from .query import Query
from .storage import Storage, writing

FOLDER = "vectors"
BATCH = 16
"""Chunks of which the vectors are made and kept together: about half a second's work for a small model."""

MOST_LOSSES = 2
"""Vectors that are lost so often while one library is open are given up: making them again and again helps nobody."""

NONE_YET = "no document that is searched has vectors yet"

_NAME = re.compile(r"\d{20}-\d{6}")
_FACT = "vectors"

_log = logging.getLogger("octavo.search")

_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class Embedded:
    """What making vectors did.

    Attributes:
        chunks: how many chunks got vectors.
        lacking: sets that have not all of their vectors yet.
        refusal: why none are made, or None.
        lost: whether the vectors that there were turned out to be no use: it is worth another try.
    """

    chunks: int = 0
    lacking: int = 0
    refusal: str | None = None
    lost: bool = False


@dataclass(frozen=True, kw_only=True)
class NearestChunks:
    """The chunks whose meaning is nearest.

    Attributes:
        rows: their row ids, the nearest first.
        whole: sets in scope that have all of their vectors.
        refusal: why nothing was compared, or None.
        damage: the error, where the vectors are no use: `lose` them once nothing is being read.
    """

    rows: tuple[int, ...] = ()
    whole: int = 0
    refusal: str | None = None
    damage: OctavoError | None = None


class Vectors:
    """The vectors of one opened chunk index.

    Args:
        storage: the chunk index.
        tools: what they are made with and kept in.
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
        """Take out the vectors of sets that are not in the chunk index any more; those of purged documents at any price."""
        rows = marks.outdated(self._connection)
        try:
            for model in sorted({row.model for row in rows}):
                self._using(model, self._removal([row for row in rows if row.model == model]))
        except ToolUnavailable:
            if any(row.purged for row in rows):
                self.begin_anew()  # the plugin that could take them out one by one is not here
        except OctavoError as error:
            self.lose(error)

    def fill(self, task: IndexTarget, *, deadline: float | None) -> Embedded:
        """Make the vectors that are lacking.

        Args:
            task: chunk sets of which corpora.
            deadline: when to stop, between two batches, by `time.monotonic`; None for no limit.
        """
        try:
            self._tools.check()
            model = self._tools.embedder.model_id
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
        """The vector of a query, or None and why there is none."""
        if not query.wanted:
            return None, "the query holds no word"
        if query.literal:
            return None, "a phrase in quotation marks is looked for as it stands"
        try:
            self._tools.check()
            if not self._connection.execute("SELECT 1 FROM vectors WHERE held > 0 LIMIT 1").fetchone():
                return None, NONE_YET
            if not self._tools.reads(query.words):
                return None, "the embedding model was not made for the query's script"
            return self._tools.embedder.embed([query.words])[0], None
        except OctavoError as error:
            return None, error.message

    def nearest(self, vector: Sequence[float], query: Query, *, scope: object, limit: int) -> NearestChunks:
        """The nearest chunks in scope. Called in the transaction that reads, so that it sees the same state.

        Args:
            vector: the query's.
            query: what its chunks may not hold.
            scope: the state of the scope's table: what is read of it is kept while that stays the same.
            limit: at most so many.
        """
        model = self._tools.embedder.model_id
        try:
            found = self._reached(scope, model)
            if not found.held:
                return NearestChunks(refusal=NONE_YET)
            among = self._without_excluded(found.ids, query)
            hits = self._using(model, lambda index: index.search(vector, limit=limit, among=among)) if among else []
            if not hits and len(among) == len(found.ids):
                raise StorageError("the vector index has lost what it was given")
        except ToolUnavailable as error:
            return NearestChunks(refusal=error.message)
        except OctavoError as error:
            return NearestChunks(refusal="the vectors were unusable and are being rebuilt", damage=error)
        allowed = set(among)
        # A plugin that disregards `among` gives nothing away.
        rows = tuple(int(hit.embedding_id) for hit in hits if hit.embedding_id in allowed)
        return NearestChunks(rows=rows, whole=found.whole)

    def lose(self, error: OctavoError) -> None:
        """Begin anew, because the vectors that there are turned out to be no use, unless another process has done so."""
        if self._used != self._folder:
            self._indexes.clear()
            return
        self._losses += 1
        said = redacted(error.message)  # an embedder's error may quote the chunks that it was given
        _log.warning("the vectors in %s are made anew: %s", self._base, said)
        if self._losses >= MOST_LOSSES:
            self._tools.given_up = f"the vectors were lost {self._losses} times: {said}"
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget every vector and remove the folder they are in."""
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
        """Remove the folders that nobody uses any more."""
        if self._base.is_dir() and not self._base.is_symlink():  # behind a link may be another library's
            own = self._folder.name
            for path in self._base.iterdir():
                if _NAME.fullmatch(path.name) and path.name < own:
                    shutil.rmtree(path, ignore_errors=True)  # what somebody holds open, the next sweep removes

    def _using(self, model: str, work: Callable[[VectorIndex], _T]) -> _T:
        """Work on the index; once more on one opened anew, as another process may have tidied up meanwhile."""
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
                raise StorageError(f"the folder {folder} is gone")
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
        """Make and keep the vectors of a batch; returns how many."""
        marks.announce(self._connection, batch, model)
        texts = {
            piece: [row for row in marks.texts(self._connection, piece) if self._tools.reads(row[1])] for piece in batch
        }
        rows = [row for of_piece in texts.values() for row in of_piece]
        vectors = self._tools.embedder.embed([text for _, text in rows]) if rows else []
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


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        remedy = "Free space, or make the library writable for you"
        raise write_failed(error, f"the folder of the vectors {folder} cannot be made", remedy=remedy) from error
