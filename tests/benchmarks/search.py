"""How long a search by words takes: `Library.search` in-process over 100,000 chunks, 200 mixed queries.

The documents are synthetic: words drawn by Zipf's law, as in natural text, so that the commonest stand in most chunks.
They go into the library through the store, without a converter. Queries: the 20 commonest words alone, phrases, common
words beside rare ones, words of every frequency, exclusions. Usage: python -m tests.benchmarks.search [--chunks 100000]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

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


def measure(library: Library, asked: list[tuple[str, str]], corpus: str | None) -> dict[str, list[Taken]]:
    """What each search took, by kind."""
    library.search(asked[-1][1], corpus=corpus, vectors=False)
    taken: dict[str, list[Taken]] = {}
    for kind, query in asked:
        begun, worked = time.perf_counter(), time.process_time()
        library.search(query, corpus=corpus, vectors=False)
        figures = ((time.perf_counter() - begun) * 1000, (time.process_time() - worked) * 1000)
        taken.setdefault(kind, []).append(figures)
    return taken


def p95(values: list[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(values, n=20)[-1]


def row(name: str, taken: list[Taken]) -> str:
    """A row of the table."""
    clock, work = [wall for wall, _ in taken], [cpu for _, cpu in taken]
    figures = (statistics.median(clock), p95(clock), max(clock), statistics.median(work), p95(work))
    return f"{name:32} {len(taken):5} " + " ".join(f"{figure:9.1f}" for figure in figures)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rng = random.Random(4)
    words = Words(rng)
    with tempfile.TemporaryDirectory() as folder, Library.open(Path(folder) / "library") as library:
        begun = time.perf_counter()
        chunks = build(library, options.chunks, words)
        built = time.perf_counter() - begun
        begun = time.perf_counter()
        report = library.search_index.update(vectors=False)
        indexed = time.perf_counter() - begun
        size = sum(path.stat().st_size for path in (library.path / "search").iterdir()) / 1e6
        asked = list(queries(words, rng))
        whole = measure(library, asked, None)
        half = measure(library, asked, CORPORA[0])
    every = [figures for values in whole.values() for figures in values]
    within = [figures for values in half.values() for figures in values]
    clock = [wall for wall, _ in every]
    median = statistics.median(clock)
    if options.json:
        figures = {"chunks": chunks, "documents": report.indexed, "build_s": built, "index_s": indexed, "file_mb": size}
        print(json.dumps({**figures, "median_ms": median, "p95_ms": p95(clock)}))
        return
    print(
        f"{chunks} chunks of {report.indexed} documents: stored in {built:.0f} s, indexed in {indexed:.1f} s, {size:.0f} MB"
    )
    heads = ("median ms", "p95 ms", "max ms", "cpu med.", "cpu p95")
    print(f"{'queries':32} {'count':>5} " + " ".join(f"{head:>9}" for head in heads))
    for kind, values in whole.items():
        print(row(kind, values))
    print(row("all, in a corpus of half of it", within))
    print(row("all", every))
    print(f"target: median under {TARGET_MS:.0f} ms: {'met' if median < TARGET_MS else 'MISSED'}")


if __name__ == "__main__":
    main()
