"""Read every document with every engine, one after the other; readings may be kept on disk between runs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from octavo.runtime import Runtime
from octavo.settings import Settings

from . import installed, peers
from .manifest import Document
from .reading import Reading
from .scoring import Score, score


@dataclass(frozen=True, kw_only=True)
class Row:
    """A document, what one engine made of it, and how near that comes to the truth."""

    document: Document
    engine: str
    reading: Reading
    score: Score


def collect(
    documents: Sequence[Document], engines: Iterable[str], *, timeout: float, profile: str, cache: Path | None = None
) -> list[Row]:
    """Read and score.

    Args:
        documents: what to read.
        engines: plugins, `installed.ROUTER`, and names of `peers.PEERS`.
        timeout: seconds an engine may take for a document.
        profile: the router's rules.
        cache: a folder of readings; those it holds are not made again. It knows nothing of changed code.
    """
    rows = []
    for engine in engines:
        kept = _Kept(cache, f"{engine}-{profile}" if engine == installed.ROUTER else engine)
        missing = [document for document in documents if kept.get(document) is None]
        print(f"{engine}: {len(missing)} of {len(documents)} documents to read", file=sys.stderr)
        for document, reading in _read(missing, engine, timeout=timeout, profile=profile):
            kept.put(document, reading)
        for document in documents:
            reading = kept.get(document)
            assert reading is not None  # `_read` gives one for each
            rows.append(Row(document=document, engine=engine, reading=reading, score=score(document, reading)))
    return rows


def _read(
    documents: Sequence[Document], engine: str, *, timeout: float, profile: str
) -> Iterable[tuple[Document, Reading]]:
    if not documents:
        return
    if engine in peers.PEERS:
        yield from peers.read(documents, engine=engine, timeout=timeout)
        return
    with Runtime(Settings(workers=1, profile=profile)) as runtime:
        for document in documents:
            yield document, installed.read(runtime, document, engine=engine, timeout=timeout)


class _Kept:
    """The readings of one engine: in memory, and in a folder where one is given."""

    def __init__(self, folder: Path | None, engine: str) -> None:
        self._folder = None if folder is None else folder / engine
        self._held: dict[str, Reading] = {}
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)

    def get(self, document: Document) -> Reading | None:
        if document.id not in self._held and self._folder is not None:
            path = self._folder / f"{document.id}.json"
            if path.is_file():
                self._held[document.id] = Reading.from_json(path.read_text(encoding="utf-8"))
        return self._held.get(document.id)

    def put(self, document: Document, reading: Reading) -> None:
        self._held[document.id] = reading
        if self._folder is not None:
            (self._folder / f"{document.id}.json").write_text(reading.to_json(), encoding="utf-8")
