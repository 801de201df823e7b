"""Read every document with every engine, one after the other; readings may be kept on disk between runs."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from octavo.profiles.profile import load_profile
from octavo.runtime import Runtime
from octavo.settings.settings import Settings

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
    documents: Sequence[Document],
    engines: Iterable[str],
    *,
    timeout: float,
    profile: str,
    cache: Path | None = None,
    kept_only: bool = False,
) -> list[Row]:
    """Read and score.

    Accuracies, scores and flags are made anew from what was kept, all by the same code: a change of the score or of
    a measure needs no reading.

    Args:
        documents: what to read.
        engines: plugins, `installed.ROUTER`, names that `installed.beside` gave, and names of `peers.PEERS`.
        timeout: seconds an engine may take for a document.
        profile: the router's rules.
        cache: a folder of readings; those it holds are not made again, unless the document, the engine's version or, for
            the router, any engine's version or the profile's rules changed. It knows nothing of edited code.
        kept_only: read nothing; what is not kept has no row.
    """
    rows = []
    engines = list(engines)
    profiles = {engine: installed.profile_beside(engine) or profile for engine in engines}
    versions = _versions({engine: profiles[engine] for engine in engines if installed.is_router(engine)})
    with Runtime(Settings(workers=1)) as runtime:
        seen = {document.id: installed.inspected(runtime, document) for document in documents}
    for engine in engines:
        name = installed.beside(profile) if engine == installed.ROUTER else engine
        kept = _Kept(cache, name, version=versions[engine])
        missing = [document for document in documents if kept.get(document) is None and not kept_only]
        print(f"{engine}: {len(missing)} of {len(documents)} documents to read", file=sys.stderr, flush=True)
        progress = _Progress(engine, of=len(missing))
        for document, reading in _read(missing, engine, timeout=timeout, profile=profiles[engine]):
            kept.put(document, reading)
            progress.done()
        for document in documents:
            found = kept.get(document)
            if found is None:
                continue  # only where nothing is to be read: `_read` gives one for each
            reading = installed.judged(found, seen[document.id])
            rows.append(Row(document=document, engine=engine, reading=reading, score=score(document, reading)))
    return rows


def _versions(routers: Mapping[str, str]) -> dict[str, str]:
    """Engine → what its readings depend on besides the document.

    That is its plugin and engine; for a router all of them, and the rules of its profile.

    Args:
        routers: name → profile.
    """
    with Runtime() as runtime:
        found = {
            plugin.name: f"{plugin.distribution} {plugin.engine_version}"
            for plugin in runtime.catalogue.having("convert")
        }
    engines = sorted(found.values())
    for name, profile in routers.items():
        rules = hashlib.sha256(repr(load_profile(profile)).encode()).hexdigest()
        found[name] = "; ".join((*engines, f"rules {rules}"))
    distributions = metadata.packages_distributions()
    for name in peers.available():
        distribution = distributions[peers.PEERS[name][0]][0]
        found[name] = f"{distribution} {metadata.version(distribution)}"
    return found


class _Progress:
    """Tells every so many documents how far a run is, on standard error."""

    EVERY = 20

    def __init__(self, engine: str, *, of: int) -> None:
        self._engine, self._of = engine, of
        self._count, self._begun = 0, time.monotonic()

    def done(self) -> None:
        """One more document was read."""
        self._count += 1
        if self._count % self.EVERY == 0 or self._count == self._of:
            spent = time.monotonic() - self._begun
            print(f"{self._engine}: {self._count} of {self._of} in {spent:.0f} s", file=sys.stderr, flush=True)


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
    """The readings of one engine: in memory, and in a folder where one is given.

    A file's name is the hash of the document's bytes and password and of the engine's version: what changed is read anew.
    """

    def __init__(self, folder: Path | None, engine: str, *, version: str) -> None:
        self._folder = None if folder is None else folder / engine
        self._version = version
        self._held: dict[str, Reading] = {}
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)

    def get(self, document: Document) -> Reading | None:
        if document.id not in self._held and self._folder is not None:
            path = self._folder / self._name(document)
            if path.is_file():
                self._held[document.id] = Reading.from_json(path.read_text(encoding="utf-8"))
        return self._held.get(document.id)

    def put(self, document: Document, reading: Reading) -> None:
        self._held[document.id] = reading
        if self._folder is not None:
            path = self._folder / self._name(document)
            half = path.with_suffix(".part")  # a run that is broken off leaves no half of a reading
            half.write_text(reading.to_json(), encoding="utf-8")
            half.replace(path)

    def _name(self, document: Document) -> str:
        of_bytes = hashlib.sha256(document.path.read_bytes())
        of_bytes.update(f"\0{document.path.name}\0{document.password}\0{self._version}".encode())
        return f"{of_bytes.hexdigest()[:32]}.json"
