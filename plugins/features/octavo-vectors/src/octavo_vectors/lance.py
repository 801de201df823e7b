"""Stores vectors with LanceDB: a folder for the database, a table for each embedding model (ENG-26).

The caller holds its own lock while it adds and removes, so there is only one writer at a time among all processes. Only
for this reason can old versions of the table be removed as soon as there is a new one.
"""

from __future__ import annotations

import hashlib
import math
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from octavo_contracts import StorageError, ToolUnavailable, UsageError, VectorHit

from .filtering import NUMBER, condition

if TYPE_CHECKING:
    import pyarrow as pa

INSTALL = "pip install 'octavo-vectors[lancedb]'"
TIDY_EVERY = 16
"""Additions after which the table's many small files are merged: each search opens all of them."""

EXACT_BELOW = 20_000
"""Up to this many rows every vector is compared; above, an IVF_FLAT index selects candidates."""

PROBES = 0.25
"""Share of the index's partitions that a search compares."""


def index_from(settings: Mapping[str, Any]) -> LanceVectorIndex:
    """Open the vectors of one model in a folder.

    Args:
        settings: `folder`, an existing folder for the database alone; `model`, the id of the embedding model.

    Raises:
        UsageError: a setting is missing or unknown.
        ToolUnavailable: LanceDB is not installed.
    """
    if set(settings) != {"folder", "model"}:
        raise UsageError(f"the settings of the vector index are folder and model; got {', '.join(settings)}")
    return LanceVectorIndex(Path(settings["folder"]), model=str(settings["model"]))


class LanceVectorIndex:
    """The vectors of one model. Not thread-safe; opens and imports nothing before the first use.

    Args:
        folder: the folder of the database.
        model: the embedding model's id: vectors of different models are in different tables.

    Raises:
        ToolUnavailable: LanceDB is not installed.
    """

    def __init__(self, folder: Path, *, model: str) -> None:
        for module in ("lancedb", "numpy", "pyarrow"):
            if find_spec(module) is None:
                raise ToolUnavailable(f"the Python module {module!r} is not installed", remedy=f"Run: {INSTALL}")
        self._folder = folder
        self._name = table_name(model)
        self._added = 0
        self._numbers: dict[str, int] = {}
        self._seen: int | None = None
        self._asked: tuple[Sequence[str], str | None] | None = None
        self._table: Any = None

    def add(self, items: Mapping[str, Sequence[float]]) -> None:
        """Add or replace vectors by id.

        Raises:
            StorageError: the folder cannot be written, or is damaged.
            UsageError: the vectors differ in length from each other or from the stored ones.
        """
        if not items:
            return
        sizes = {len(vector) for vector in items.values()}
        if len(sizes) > 1:
            raise UsageError(f"vectors of one model must have equal lengths, got {', '.join(map(str, sorted(sizes)))}")
        with _database_errors(self._folder):
            self._look()
            self._check_size(sizes.pop())
            rows = self._rows(items)
            if self._table is None:
                self._table = self._database.create_table(self._name, data=rows)
            elif any(item in self._numbers for item in items):
                merge = self._table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
                merge.execute(rows)
            else:
                self._table.add(rows)
            self._added += 1
            if self._added % TIDY_EVERY == 0:
                self._tidy()

    def remove(self, ids: Sequence[str]) -> None:
        """Remove vectors, also from the files; unknown ids are ignored.

        Raises:
            StorageError: see `add`.
        """
        with _database_errors(self._folder):
            self._look()
            numbers = sorted(self._numbers[item] for item in set(ids) if item in self._numbers)
            if not numbers:
                return
            if len(numbers) == len(self._numbers):
                self._database.drop_table(self._name)
                self._table, self._numbers, self._seen = None, {}, None
                return
            # Deleting only marks rows and leaves their vectors in the files; rewriting the files removes them.
            kept = condition(set(self._numbers.values()).difference(numbers), self._numbers.values())
            rows = self._table.search().where(kept).limit(len(self._numbers)).to_arrow()
            self._table.add(rows.select(["id", NUMBER, "vector"]), mode="overwrite")
            self._tidy()

    def search(
        self, vector: Sequence[float], *, limit: int = 10, among: Sequence[str] | None = None
    ) -> list[VectorHit]:
        """Return the nearest vectors with their cosine, best first; equal ones in order of addition.

        Raises:
            StorageError: see `add`.
            UsageError: the vector differs in length from the stored ones.
        """
        with _database_errors(self._folder):
            self._look()
            if not self._numbers:
                return []
            self._check_size(len(vector))
            asked = self._table.search(list(vector), vector_column_name="vector").distance_type("dot").limit(limit)
            if among is not None:
                where = self._where(among)
                if where == "":
                    return []
                if where is not None:
                    asked = asked.where(where, prefilter=True)
            if probes := self._probes():
                asked = asked.nprobes(probes)
            found = asked.select(["id", NUMBER, "_distance"]).to_arrow().to_pylist()
        found.sort(key=lambda row: (row["_distance"], row[NUMBER]))
        return [VectorHit(embedding_id=row["id"], score=1.0 - row["_distance"]) for row in found]

    # -- inside ---------------------------------------------------------------------------------------------

    @cached_property
    def _database(self) -> Any:
        import lancedb

        return lancedb.connect(str(self._folder), read_consistency_interval=timedelta(0))

    def _look(self) -> None:
        """Refresh: read what other processes have added or removed."""
        if self._table is None:
            if self._name not in _tables(self._database):
                return
            self._table = self._database.open_table(self._name)
        version = self._table.version
        if version != self._seen:
            count = self._table.count_rows()
            rows = self._table.search().select(["id", NUMBER]).limit(max(1, count)).to_arrow()
            self._numbers = dict(zip(rows["id"].to_pylist(), rows[NUMBER].to_pylist(), strict=True))
            self._seen, self._asked = version, None

    def _rows(self, items: Mapping[str, Sequence[float]]) -> pa.Table:
        import numpy as np
        import pyarrow as pa

        free = max(self._numbers.values(), default=-1) + 1
        numbers = []
        for item in items:
            known = self._numbers.get(item)
            numbers.append(free if known is None else known)
            free += known is None
        flat = np.asarray(list(items.values()), np.float32)
        vectors = pa.FixedSizeListArray.from_arrays(pa.array(flat.ravel()), flat.shape[1])
        return pa.table({"id": pa.array(list(items)), NUMBER: pa.array(numbers, pa.int64()), "vector": vectors})

    def _check_size(self, size: int) -> None:
        if self._table is None:
            return
        length = self._table.schema.field("vector").type.list_size
        if size != length:
            raise UsageError(f"vectors of this index must have {length} numbers, got {size}")

    def _where(self, among: Sequence[str]) -> str | None:
        """Return the condition for ids; '' if none is stored. The last one is cached because scopes are large."""
        if self._asked is None or self._asked[0] != among:
            numbers = {self._numbers[item] for item in among if item in self._numbers}
            self._asked = (among, condition(numbers, self._numbers.values()) if numbers else "")
        return self._asked[1]

    def _tidy(self) -> None:
        """Merge files, remove old versions, and create or update the indexes that the number of rows requires."""
        from lancedb.index import BTree, IvfFlat

        table = self._table
        count = table.count_rows()
        indexed = {column for index in table.list_indices() for column in index.columns}
        if count >= EXACT_BELOW and "vector" not in indexed:
            table.create_index("vector", config=IvfFlat(distance_type="dot", num_partitions=_partitions(count)))
        if NUMBER not in indexed:
            table.create_index(NUMBER, config=BTree())
        with warnings.catch_warnings():
            # It warns of other writers, but there are none: see above.
            warnings.simplefilter("ignore", UserWarning)
            table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)

    def _probes(self) -> int | None:
        """Number of partitions that a search compares, or None if the table is too small for an index."""
        count = len(self._numbers)
        return None if count < EXACT_BELOW else math.ceil(_partitions(count) * PROBES)


def table_name(model: str) -> str:
    """Return the table name of a model: readable and unique to the model."""
    readable = re.sub(r"[^A-Za-z0-9]+", "-", model).strip("-")[:40]
    return f"{readable}-{hashlib.sha256(model.encode()).hexdigest()[:8]}"


def _partitions(rows: int) -> int:
    return math.isqrt(rows)


def _tables(database: Any) -> list[str]:
    return list(database.list_tables().tables)


@contextmanager
def _database_errors(folder: Path) -> Iterator[None]:
    """Convert LanceDB's exceptions to `StorageError`: LanceDB has no exception class of its own.

    Raises:
        StorageError: files are missing or altered, the disk is full, or writing is not permitted.
    """
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise StorageError(
            f"the vectors in {folder} cannot be read or written: {words[0][:300]}",
            remedy="Free space, or delete the folder: the vectors are then computed again",
        ) from error
