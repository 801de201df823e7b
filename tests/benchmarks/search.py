"""How long a search by words takes: `Library.search` in-process over 100,000 chunks, 200 mixed queries.

The documents are synthetic: words drawn by Zipf's law, as in natural text, so that the commonest stand in most chunks.
They go into the library through the store, without a converter. Queries: the 20 commonest words alone, phrases, common
words beside rare ones, words of every frequency, exclusions. Usage: python -m tests.benchmarks.search [--chunks 100000] [--json]

With `--index postgresql://…`, a database that may be emptied, the library's index is there, and the same queries are asked
of the chunk index in a file and of the one on the server (`search.shared`), in turns; a row has the ratio of their medians.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from octavo.settings.settings import SearchSettings, Settings
from octavo_contracts import HAPPY_PATH, IngestionState, PageAnchor, PageAnchorMap
from octavo_library import Library
from octavo_library.storage import CompletedJob, ConversionFacts, DocumentFacts, NewJob, Provenance
from octavo_text.canonical import canonical_body, hash_texts, join_bodies
from octavo_text.chunking import make_chunks

TARGET_MS = 50.0
PAGES = 20
CHUNKS_A_PAGE = 10
VOCABULARY = 60_000
QUERIES = 200
COMMONEST = 20
CORPORA = ("tides", "harbours")

_CONVERTED = HAPPY_PATH.index(IngestionState.CONVERTED)


class Words:
    """A vocabulary whose words are drawn by Zipf's law.

    Args:
        rng: where chance comes from.
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        letters = "etaoinshrdlcumwfgypbvk"
        words = {"".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(VOCABULARY * 2)}
        self.by_rank = rng.sample(sorted(words), VOCABULARY)
        self._weights = list(accumulate(1 / (rank + 2.7) for rank in range(VOCABULARY)))

    def text(self, count: int) -> str:
        """A text of so many words, a full stop after every twelve or so."""
        drawn = self._rng.choices(self.by_rank, cum_weights=self._weights, k=count)
        return " ".join(word + "." if place % 12 == 11 else word for place, word in enumerate(drawn))


def build(library: Library, chunks: int, words: Words) -> int:
    """Put documents of `PAGES` pages into a library until it has so many chunks; returns how many it has."""
    corpora = [library.corpora.create(name).id for name in CORPORA]
    made = number = 0
    while made < chunks:
        with library.context.index.batch():
            for _ in range(50):
                if made < chunks:
                    made += add_document(library, number, words, corpora[number % len(corpora)])
                    number += 1
    return made


def add_document(library: Library, number: int, words: Words, corpus_id: str) -> int:
    """Store a document as the ingestor does, without converting anything; returns its number of chunks."""
    bodies = [canonical_body(words.text(CHUNKS_A_PAGE * 65)) for _ in range(PAGES)]
    text = join_bodies(bodies, paginated=True)
    anchors = PageAnchorMap(
        tuple(
            PageAnchor(
                page=page, text_start=span.start, text_end=span.end, markdown_start=span.start, markdown_end=span.end
            )
            for page, span in enumerate(text.pages, start=1)
        )
    )
    raw_hash = hashlib.sha256(f"document {number}".encode()).hexdigest()
    config = library.context.runtime.settings.chunking
    chunks = make_chunks(text, anchors, config)
    manifest = {
        "chunks": [chunk.model_dump(mode="json") for chunk in chunks],
        "chunk_hashes": hash_texts(chunk.span.of(text.text) for chunk in chunks),
    }
    store, index = library.context.artifacts, library.context.index
    job, _ = index.jobs.start(NewJob(raw_hash=raw_hash, steps=HAPPY_PATH[1:_CONVERTED]), owner=store.owner)
    version = store.put_version(raw_hash, {"canonical.txt": text.text.encode()}, job_id=job.job_id)
    store.put_chunks(raw_hash, version, config_version=config.version, data=json.dumps(manifest).encode())
    completed = CompletedJob(
        job=job,
        steps=HAPPY_PATH[_CONVERTED:],
        document=DocumentFacts(raw_hash=raw_hash, normalized_text_hash=text.sha256, title=f"Document {number}"),
        conversion=ConversionFacts(version=version, tool="synthetic"),
        sighting=Provenance(path=None, corpus_id=corpus_id, policy=library.corpora.list()[0].settings.policy),
    )
    index.jobs.complete([completed])
    return len(chunks)


def queries(words: Words, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Kinds and queries, the commonest words first."""
    ranks = words.by_rank
    for word in ranks[:COMMONEST]:
        yield "a commonest word", word
    kinds = (QUERIES - COMMONEST) // 6
    for _ in range(kinds):
        yield "a word of any rank", rng.choice(ranks[COMMONEST:20_000])
        yield "a common and a rare word", f"{rng.choice(ranks[:50])} {rng.choice(ranks[1_000:])}"
        yield "three common words", " ".join(rng.sample(ranks[:100], 3))
        yield "a phrase of common words", f'"{rng.choice(ranks[:20])} {rng.choice(ranks[:20])}"'
        yield "five words of any rank", " ".join(rng.sample(ranks[:20_000], 5))
        yield "an exclusion", f"{rng.choice(ranks[50:2_000])} -{rng.choice(ranks[:50])}"


Taken = tuple[float, float]
"""Milliseconds of a search: by the clock, and of this process's work alone, which a busy machine changes little."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What one chunk index took.

    Attributes:
        name: where it is.
        indexed: seconds for its making.
        megabytes: its size.
        whole: what each search of the library took, by kind of query.
        half: what each search of a corpus with half of the documents took.
    """

    name: str
    indexed: float
    megabytes: float
    whole: dict[str, list[Taken]]
    half: dict[str, list[Taken]]

    @property
    def clock(self) -> list[float]:
        """Milliseconds of all searches of the library, by the clock."""
        return [wall for values in self.whole.values() for wall, _ in values]


def measure(
    libraries: Sequence[Library], asked: list[tuple[str, str]], corpus: str | None
) -> list[dict[str, list[Taken]]]:
    """What each search took in each library, by kind. The libraries take turns."""
    taken: list[dict[str, list[Taken]]] = [{} for _ in libraries]
    for library in libraries:
        library.search(asked[-1][1], corpus=corpus, vectors=False)
    for kind, query in asked:
        for library, figures in zip(libraries, taken, strict=True):
            begun, worked = time.perf_counter(), time.process_time()
            library.search(query, corpus=corpus, vectors=False)
            figures.setdefault(kind, []).append(
                ((time.perf_counter() - begun) * 1000, (time.process_time() - worked) * 1000)
            )
    return taken


def indexed(library: Library) -> tuple[float, float]:
    """Make the chunk index; returns the seconds, and its size in MB."""
    begun = time.perf_counter()
    library.search_index.update(vectors=False)
    taken = time.perf_counter() - begun
    if not library.context.runtime.settings.search.shared:
        return taken, sum(path.stat().st_size for path in (library.path / "search").iterdir()) / 1e6
    with library.context.index.read_server() as connection:
        statement = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND starts_with(relname, 'search_')"
        size = connection.exec_driver_sql(statement).scalar_one()
    return taken, float(size) / 1e6


def compare(folder: Path, index: str | None, chunks: int) -> tuple[int, float, list[Measured]]:
    """Make a library and measure its chunk indexes; returns its chunks, the seconds in which it was made, and the figures."""
    rng = random.Random(4)
    words = Words(rng)
    with ExitStack() as closing:
        in_file = closing.enter_context(Library.open(folder / "library", index=index))
        begun = time.perf_counter()
        made = build(in_file, chunks, words)
        built = time.perf_counter() - begun
        libraries = {"in a file": in_file}
        if index is not None:
            settings = Settings(search=SearchSettings(shared=True))
            libraries["on the server"] = closing.enter_context(
                Library.open(folder / "library", index=index, settings=settings)
            )
        sizes = [indexed(library) for library in libraries.values()]
        asked = list(queries(words, rng))
        whole = measure([*libraries.values()], asked, None)
        half = measure([*libraries.values()], asked, CORPORA[0])
    return (
        made,
        built,
        [
            Measured(name=name, indexed=seconds, megabytes=size, whole=of_all, half=of_half)
            for name, (seconds, size), of_all, of_half in zip(libraries, sizes, whole, half, strict=True)
        ],
    )


def p95(values: list[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(values, n=20)[-1]


def row(name: str, taken: list[Taken], beside: list[Taken] | None) -> str:
    """A row of the table; the last figure is the ratio of its median to that of the file."""
    clock, work = [wall for wall, _ in taken], [cpu for _, cpu in taken]
    figures = (statistics.median(clock), p95(clock), max(clock), statistics.median(work), p95(work))
    ratio = "" if beside is None else f"{figures[0] / statistics.median([wall for wall, _ in beside]):9.2f}"
    return f"{name:32} {len(taken):5} " + " ".join(f"{figure:9.1f}" for figure in figures) + ratio


def table(one: Measured, beside: Measured | None) -> Iterator[str]:
    """The lines of a chunk index, beside those of the file."""
    heads = ("median ms", "p95 ms", "max ms", "cpu med.", "cpu p95", *(["to file"] if beside else []))
    yield f"{one.name}: indexed in {one.indexed:.1f} s, {one.megabytes:.0f} MB"
    yield f"{'queries':32} {'count':>5} " + " ".join(f"{head:>9}" for head in heads)
    for kind, values in one.whole.items():
        yield row(kind, values, beside.whole[kind] if beside else None)
    yield row("all, in a corpus of half of it", flat(one.half), flat(beside.half) if beside else None)
    yield row("all", flat(one.whole), flat(beside.whole) if beside else None)


def flat(taken: dict[str, list[Taken]]) -> list[Taken]:
    """The figures of all kinds."""
    return [figures for values in taken.values() for figures in values]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--index", help="a database on PostgreSQL that may be emptied")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        chunks, built, figures = compare(Path(folder), options.index, options.chunks)
    in_file, *others = figures
    if options.json:
        told = {
            one.name: {
                "index_s": one.indexed,
                "mb": one.megabytes,
                "median_ms": statistics.median(one.clock),
                "p95_ms": p95(one.clock),
            }
            for one in figures
        }
        print(json.dumps({"chunks": chunks, "build_s": built, "indexes": told}))
        return
    print(f"{chunks} chunks, stored in {built:.0f} s")
    print(*table(in_file, None), sep="\n")
    for other in others:
        print(*table(other, in_file), sep="\n")
    median = statistics.median(in_file.clock)
    print(f"target of the file: median under {TARGET_MS:.0f} ms: {'met' if median < TARGET_MS else 'MISSED'}")


if __name__ == "__main__":
    main()
