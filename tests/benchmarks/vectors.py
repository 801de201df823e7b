"""What vectors add to a library's search, and what they cost: recall, time to make them, time to search.

Recall: the corpus's labelled questions, each asked of one library that holds the documents of all of them; an answer counts
when a chunk among the first five is its place. Nothing was tuned on these questions. Cost: a library of so many chunks of
the same documents, in copies of which each begins with words of its own. Needs the extra `vectors` and the corpus.
Usage: python -m tests.benchmarks.vectors [--chunks 10000] [--json]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from octavo.runtime import Runtime
from octavo_contracts import HAPPY_PATH, EvidenceSnippet, IngestionState, PageAnchor, PageAnchorMap
from octavo_library import Library
from octavo_library.storage import CompletedJob, ConversionFacts, DocumentFacts, NewJob, Provenance
from octavo_text.canonical import CanonicalText, canonical_body, hash_texts, join_bodies
from octavo_text.chunking import make_chunks

from .corpus import corpus_folder
from .digest.questions import Question, labelled

TOP = 5
QUERIES = 200
CORPORA = ("even", "odd")
_CONVERTED = HAPPY_PATH.index(IngestionState.CONVERTED)


def add_text(library: Library, text: CanonicalText, corpus_id: str | None) -> tuple[str, int]:
    """Store a canonical text as the ingestor does; gives the document's id and its number of chunks."""
    spans = enumerate(text.pages if text.paginated else (), start=1)
    anchors = PageAnchorMap(
        tuple(
            PageAnchor(page=n, text_start=at.start, text_end=at.end, markdown_start=at.start, markdown_end=at.end)
            for n, at in spans
        )
    )
    raw_hash = hashlib.sha256(text.text.encode()).hexdigest()
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
        document=DocumentFacts(raw_hash=raw_hash, normalized_text_hash=text.sha256),
        conversion=ConversionFacts(version=version, tool="benchmark"),
        sighting=Provenance(path=None, corpus_id=corpus_id, policy=library.corpora.list()[0].settings.policy),
    )
    index.jobs.complete([completed])
    (document_id,) = index.documents.find_by_hash([raw_hash]).values()
    return str(getattr(document_id, "document_id", document_id)), len(chunks)


def recall(library: Library, asked: Sequence[Question], ids: dict[int, str], *, vectors: bool) -> dict[str, list[bool]]:
    """Whether each question is answered by one of the first chunks, by kind of document."""
    found: dict[str, list[bool]] = defaultdict(list)
    for question in asked:
        hits = library.search(question.query, limit=TOP, vectors=vectors)
        own = [hit for hit in hits if hit.document_id == ids[id(question.text)]]
        snippets = tuple(EvidenceSnippet(text=hit.snippet, locator=hit.locator, relevance_score=0.0) for hit in own)
        found[question.kind].append(question.found_by(snippets))
    return found


def copies(texts: Sequence[CanonicalText]) -> Iterator[CanonicalText]:
    """The texts again and again, each copy with a word of its own on its first page."""
    for number in count():
        for text in texts:
            bodies = [canonical_body(span.of(text.text)) for span in text.pages]
            bodies[0] = canonical_body(f"Copy {number}. {bodies[0].text}")
            yield join_bodies(bodies, paginated=text.paginated)


def timed(library: Library, queries: Sequence[str], *, vectors: bool, corpus: str | None = None) -> list[float]:
    """Milliseconds of each search."""
    library.search(queries[0], vectors=vectors, corpus=corpus)
    taken = []
    for query in queries:
        begun = time.perf_counter()
        library.search(query, vectors=vectors, corpus=corpus)
        taken.append((time.perf_counter() - begun) * 1000)
    return taken


def print_recall(words: dict[str, list[bool]], both: dict[str, list[bool]], chunks: int) -> dict[str, float]:
    """Print recall by kind and in all."""
    total = sum(map(len, words.values()))
    print(f"labelled questions of one library of {chunks:,} chunks: {total} queries, recall@{TOP}")
    print(f"{'kind':32}{'queries':>8}{'words':>8}{'hybrid':>8}")
    for kind, hits in sorted(words.items()):
        print(f"{kind:32}{len(hits):8}{_mean(hits):8.3f}{_mean(both[kind]):8.3f}")
    figures = {}
    for name, found in (("fts", words), ("hybrid", both)):
        figures[name] = _mean([hit for hits in found.values() for hit in hits])
        figures[f"{name}_by_kind"] = _mean([_mean(hits) for hits in found.values()])
    print(f"{'all queries':32}{total:8}{figures['fts']:8.3f}{figures['hybrid']:8.3f}")
    print(f"{'mean of kinds':40}{figures['fts_by_kind']:8.3f}{figures['hybrid_by_kind']:8.3f}")
    return figures


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def measure_recall(asked: Sequence[Question], folder: Path, runtime: Runtime) -> dict[str, float]:
    """Fill a library with the questions' documents, and ask."""
    texts = {id(question.text): question.text for question in asked}
    with Library.open(folder, runtime=runtime) as library:
        library.corpora.create("all")
        stored = {key: add_text(library, text, None) for key, text in texts.items()}
        library.search_index.update(vectors=True)
        ids = {key: document for key, (document, _) in stored.items()}
        words = recall(library, asked, ids, vectors=False)
        both = recall(library, asked, ids, vectors=True)
    return print_recall(words, both, sum(chunks for _, chunks in stored.values()))


def measure_cost(asked: Sequence[Question], folder: Path, runtime: Runtime, chunks: int) -> dict[str, float]:
    """Fill a library with so many chunks, make their vectors, and search."""
    texts = list({id(question.text): question.text for question in asked}.values())
    queries = [question.query for question in asked][:QUERIES]
    with Library.open(folder, runtime=runtime) as library:
        corpora = [library.corpora.create(name).id for name in CORPORA]
        made = 0
        with library.context.index.batch():
            for number, text in enumerate(copies(texts)):
                if made >= chunks:
                    break
                made += add_text(library, text, corpora[number % 2])[1]
        begun = time.perf_counter()
        library.search_index.update(vectors=False)
        by_words = time.perf_counter() - begun
        begun, worked = time.perf_counter(), time.process_time()
        report = library.search_index.update(vectors=True)
        by_vectors, cpu = time.perf_counter() - begun, time.process_time() - worked
        size = sum(path.stat().st_size for path in (folder / "search" / "vectors").rglob("*") if path.is_file()) / 1e6
        rows = {
            "words alone": timed(library, queries, vectors=False),
            "hybrid": timed(library, queries, vectors=True),
            "hybrid, in a corpus of half of it": timed(library, queries, vectors=True, corpus=CORPORA[0]),
        }
        begun = time.perf_counter()
        (document, *_) = library.documents(corpus=CORPORA[0])
        library.maintenance.purge(document, confirm=document.id)
        library.search(queries[0])
        purged = time.perf_counter() - begun
    print(f"\n{made:,} chunks: words indexed in {by_words:.1f} s; vectors made and kept in {by_vectors:.1f} s", end=" ")
    print(f"({report.embedded / by_vectors:.0f} a second, {cpu:.1f} s of work), {size:.0f} MB")
    print(f"{'search':36}{'median ms':>10}{'p95 ms':>10}")
    for name, taken in rows.items():
        print(f"{name:36}{statistics.median(taken):10.1f}{statistics.quantiles(taken, n=20)[-1]:10.1f}")
    print(f"purge of a document, with the next search: {purged:.1f} s")
    medians = {f"median_ms {name}": statistics.median(taken) for name, taken in rows.items()}
    return {
        "chunks": made,
        "index_s": by_words,
        "vectors_s": by_vectors,
        "vectors_mb": size,
        "purge_s": purged,
        **medians,
    }


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    options = parser.parse_args()
    corpus = corpus_folder()
    if corpus is None:
        raise SystemExit("the corpus is not here: set OCTAVO_CORPUS, or lay it beside the checkout")
    with tempfile.TemporaryDirectory() as folder, Runtime() as runtime:
        asked = labelled(corpus, runtime)
        figures = measure_recall(asked, Path(folder) / "questions", runtime)
        figures |= measure_cost(asked, Path(folder) / "many", runtime, options.chunks)
    if options.json:
        options.json.write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
