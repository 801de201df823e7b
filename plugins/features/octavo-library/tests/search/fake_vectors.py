"""A plugin of the tests that makes and keeps vectors: a fake of both services, for the core's own logic alone.

Its text is installed as a plugin by the tests. Words of like meaning have one axis; the index is a JSON file in its folder,
so that it outlives a process and can be damaged. What real ones do is tested in the distribution octavo-vectors.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from octavo_contracts import Conversion, Page, StorageError, VectorHit, hookimpl

SIZE = 64
MEANINGS = {"gale": "wind", "storm": "wind", "breeze": "wind", "physician": "doctor", "surgeon": "doctor"}

MODEL = "fake/1"
LEAKS = False
"""Whether `among` is disregarded, as no index may."""
FAILS = 0
"""How many of the next calls of an index fail."""
EMBEDDER_FAILS: BaseException | None = None
"""What the embedder raises instead of an answer."""
ASKED: list[tuple[int, tuple[str, ...] | None]] = []
"""Limit and `among` of each search."""
EMBEDDED: list[str] = []
"""Every text that was embedded."""


@hookimpl
def convert(source: Any) -> Conversion:
    """A page of the text as it is."""
    return Conversion(pages=(Page(number=1, kind="whole", markdown=source.read_bytes().decode()),), paginated=False)


class FakeEmbedder:
    """Counts words by their meaning, on axes that their names give."""

    @property
    def model_id(self) -> str:
        """The model that a test chose."""
        return MODEL

    def reads(self, text: str) -> bool:
        """All but texts with Cyrillic letters."""
        return not any("Ѐ" <= letter <= "ӿ" for letter in text)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector of unit length for each text."""
        if EMBEDDER_FAILS is not None:
            raise EMBEDDER_FAILS
        EMBEDDED.extend(texts)
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        values = [0.0] * SIZE
        values[0] = 0.01
        for word in text.lower().split():
            word = word.strip(".,")
            values[1 + zlib.crc32(MEANINGS.get(word, word).encode()) % (SIZE - 1)] += 1.0
        length = math.sqrt(sum(value * value for value in values))
        return [value / length for value in values]


class FakeVectorIndex:
    """Keeps vectors in a file."""

    def __init__(self, folder: Path, model: str) -> None:
        self._path = folder / f"{model.replace('/', '-')}.json"
        self._read()

    def add(self, items: Mapping[str, Sequence[float]]) -> None:
        """Add or replace."""
        self._write({**self._read(), **{key: list(vector) for key, vector in items.items()}})

    def remove(self, ids: Sequence[str]) -> None:
        """Remove; unknown ones are ignored."""
        gone = set(ids)
        self._write({key: vector for key, vector in self._read().items() if key not in gone})

    def search(
        self, vector: Sequence[float], *, limit: int = 10, among: Sequence[str] | None = None
    ) -> list[VectorHit]:
        """The nearest, best first."""
        ASKED.append((limit, None if among is None else tuple(among)))
        allowed = None if among is None or LEAKS else set(among)
        scores = {
            key: sum(one * other for one, other in zip(vector, known, strict=True))
            for key, known in self._read().items()
            if allowed is None or key in allowed
        }
        ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        return [VectorHit(embedding_id=key, score=score) for key, score in ordered[:limit]]

    def _read(self) -> dict[str, list[float]]:
        global FAILS
        if FAILS:
            FAILS -= 1
            raise StorageError("a fault that a test asked for")
        try:
            found: dict[str, list[float]] = json.loads(self._path.read_text()) if self._path.exists() else {}
        except ValueError as error:
            raise StorageError(f"{self._path} is damaged") from error
        return found

    def _write(self, held: Mapping[str, Sequence[float]]) -> None:
        self._path.write_text(json.dumps(held))


def make_embedder() -> FakeEmbedder:
    """As a manifest names it."""
    return FakeEmbedder()


def make_vector_index(settings: Mapping[str, Any]) -> FakeVectorIndex:
    """As a manifest names it."""
    return FakeVectorIndex(Path(settings["folder"]), settings["model"])
