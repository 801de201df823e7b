"""How well `section_query` and `search_documents` find the pages that answer questions, beside bm25s, and how fast.

Usage: python tests/benchmarks/retrieval/run.py --manifest M [--json] [--library DIR]

The questions are those of the corpus beside the manifest (`qa/queries.jsonl`). A page is right where it is the one that the
question names, or holds the answer's surroundings. `section_query` is asked of the question's document where that has pages;
`search_documents` of a library of all documents with questions, where a document without pages counts as one. bm25s ranks the
same pages, with its own tokenizer and the English stemmer.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import re
import statistics
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bm25s
import Stemmer
from octavo import Settings
from octavo_library import Library
from octavo_retrieval import Toolset, tools

PAGES_OF_SPEED = 500
"""Pages of the document that is timed."""
WORDS_A_PAGE = 300
QUERIES_OF_SPEED = 100
TARGET_MS = 10.0
SURROUNDINGS = 100
"""Characters on each side of an answer by which its page is told."""

Place = tuple[str, int]
"""A document and a page."""


@dataclass(frozen=True)
class Question:
    """A question and where its answer stands.

    Attributes:
        query: what is asked.
        document_id: the document.
        pages: the pages that answer.
    """

    query: str
    document_id: str
    pages: frozenset[int]


def tokens(text: str) -> list[str]:
    """Words of a normalised text; single Han characters."""
    folded = unicodedata.normalize("NFKC", text.replace("-\n", "")).lower()
    return re.findall(r"[\u4e00-\u9fff]|\w+", folded)


def page_of(pages: Sequence[str], gold: str) -> int:
    """The page that holds most of a text, from 1."""
    wanted = Counter(tokens(gold))
    shares = [sum((wanted & Counter(tokens(page))).values()) for page in pages]
    return 1 + max(range(len(shares)), key=lambda index: (shares[index], -index))


def questions(library: Library, corpus: Path, rows: dict[str, dict[str, Any]]) -> list[Question]:
    """The corpus's questions whose documents were converted."""
    by_path = {path.rpartition("/")[2]: one for one in library.documents() for path in one.paths}
    texts: dict[str, list[str]] = {}
    found: list[Question] = []
    for line in (corpus / "qa" / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        asked = json.loads(line)
        row = rows.get(asked["doc_id"])
        document = by_path.get(Path(row["path"]).name) if row else None
        if row is None or document is None or document.active_version is None:
            continue
        pages = texts.setdefault(document.id, [page.text for page in document.pages])
        right = {gold.get("page") or page_of(pages, _with_surroundings(corpus, row, gold)) for gold in asked["gold"]}
        found.append(Question(asked["query"], document.id, frozenset(int(page) for page in right)))
    return found


def _with_surroundings(corpus: Path, row: dict[str, Any], gold: dict[str, Any]) -> str:
    truth = next((one["path"] for one in row["ground_truths"] if one["type"] == "text"), None)
    if truth is None or "start" not in gold:
        return str(gold["text"])
    text = (corpus / truth).read_text(encoding="utf-8")
    return text[max(0, gold["start"] - SURROUNDINGS) : gold["end"] + SURROUNDINGS]


def rated(ranked: Iterator[tuple[list[Place], Question]]) -> dict[str, float | int]:
    """Recall at 1 and 5, and the mean reciprocal rank."""
    ranks = []
    for places, question in ranked:
        right = [number for number, (document, page) in enumerate(places, start=1)
                 if document == question.document_id and page in question.pages]  # fmt: skip
        ranks.append(right[0] if right else 0)
    count = max(1, len(ranks))
    return {
        "questions": len(ranks),
        "recall_at_1": round(sum(rank == 1 for rank in ranks) / count, 4),
        "recall_at_5": round(sum(1 <= rank <= 5 for rank in ranks) / count, 4),
        "mrr": round(sum(1 / rank for rank in ranks if rank) / count, 4),
    }


def by_sections(offered: Toolset, question: Question) -> list[Place]:
    """The pages that a `section_query` gives, in their order."""
    arguments = {"document_id": question.document_id, "section_query": question.query, "format": "text"}
    answer: Any = offered.call("retrieve_document_pages", arguments).value
    ranked = dict.fromkeys([match.page for match in answer.matches])
    return [(question.document_id, page) for page in [*ranked, *(p for p in answer.pages_returned if p not in ranked)]]


def by_search(offered: Toolset, question: Question) -> list[Place]:
    """The pages of the passages that a search gives, each once."""
    query = question.query.replace('"', " ").replace(" -", " ")
    answer: Any = offered.call("search_documents", {"query": query, "limit": 20}).value
    return list(dict.fromkeys((hit.document_id, hit.page or 1) for hit in answer.hits))


class Baseline:
    """bm25s over pages.

    Args:
        places: the pages.
        texts: their texts.
    """

    def __init__(self, places: Sequence[Place], texts: Sequence[str]) -> None:
        self._places = places
        self._stemmer = Stemmer.Stemmer("english")
        self._model = bm25s.BM25()
        self._model.index(bm25s.tokenize(list(texts), stemmer=self._stemmer, show_progress=False), show_progress=False)

    def ranked(self, query: str) -> list[Place]:
        """The best pages."""
        asked = bm25s.tokenize([query], stemmer=self._stemmer, show_progress=False)
        found, scores = self._model.retrieve(asked, k=min(20, len(self._places)), show_progress=False)
        return [self._places[place] for place, score in zip(found[0], scores[0], strict=True) if score > 0]


def measure(library: Library, asked: list[Question]) -> dict[str, Any]:
    """Figures of both tools beside the baseline."""
    offered = tools(library)
    pages = {one.id: [page.text for page in one.pages] for one in library.documents() if one.active_version}
    paged = [question for question in asked if len(pages[question.document_id]) > 1]
    own = {
        document: Baseline([(document, number) for number in range(1, len(texts) + 1)], texts)
        for document, texts in pages.items()
        if len(texts) > 1
    }
    every = [((document, number), text) for document, texts in pages.items() for number, text in enumerate(texts, 1)]
    over_all = Baseline([place for place, _ in every], [text for _, text in every])
    ways: dict[str, tuple[list[Question], Callable[[Question], list[Place]]]] = {
        "section_query": (paged, lambda one: by_sections(offered, one)),
        "section_query_bm25s": (paged, lambda one: own[one.document_id].ranked(one.query)),
        "search_documents": (asked, lambda one: by_search(offered, one)),
        "search_documents_bm25s": (asked, lambda one: over_all.ranked(one.query)),
    }
    return {name: rated((way(one), one) for one in wanted) for name, (wanted, way) in ways.items()}


def speed(folder: Path) -> dict[str, Any]:
    """Milliseconds of a `section_query` in a document of 500 pages: the first call, which reads it, and those after."""
    rng = random.Random(7)
    vocabulary = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(3, 9))) for _ in range(8_000)]
    weights = [1 / (rank + 3) for rank in range(len(vocabulary))]
    recording = ["WEBVTT\n"]
    for minute in range(PAGES_OF_SPEED):
        stamp = f"{minute // 60:02}:{minute % 60:02}"
        said = " ".join(rng.choices(vocabulary, weights, k=WORDS_A_PAGE))
        recording.append(f"{stamp}:01.000 --> {stamp}:50.000\n{said}\n")
    source = folder / "long.vtt"
    source.write_text("\n".join(recording), encoding="utf-8")
    with Library.open(folder / "speed", settings=Settings(sampling=False, workers=1)) as library:
        document = library.ingest(source).document
        offered = tools(library)
        taken, worked = [], []
        for _ in range(QUERIES_OF_SPEED + 1):
            query = " ".join(rng.choices(vocabulary, weights, k=4))
            arguments = {"document_id": document.id, "section_query": query, "max_tokens": 2_000}
            begun, began = time.perf_counter(), time.process_time()
            offered.call("retrieve_document_pages", arguments)
            taken.append((time.perf_counter() - begun) * 1000)
            worked.append((time.process_time() - began) * 1000)
        pages = len(document.pages)
    return {
        "pages": pages,
        "first_ms": round(taken[0], 1),
        "median_ms": round(statistics.median(taken[1:]), 2),
        "median_cpu_ms": round(statistics.median(worked[1:]), 2),
        "p95_ms": round(sorted(taken[1:])[int(QUERIES_OF_SPEED * 0.95)], 2),
        "target_ms": TARGET_MS,
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--manifest", type=Path, required=True, help="manifest.json of the corpus")
    parser.add_argument("--library", type=Path, help="keep the library here, for the next time")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    corpus = given.manifest.parent
    rows = {row["id"]: row for row in json.loads(given.manifest.read_text(encoding="utf-8"))["documents"]}
    lines = (corpus / "qa" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    wanted = sorted({corpus / rows[name]["path"] for line in lines if (name := json.loads(line)["doc_id"]) in rows})
    with contextlib.ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        library = stack.enter_context(
            Library.open(given.library or scratch / "library", settings=Settings(sampling=False))
        )
        for _ in library.ingest_many(wanted):
            pass
        library.search_index.update(vectors=False)
        figures = measure(library, questions(library, corpus, rows)) | {"speed": speed(scratch)}
    if given.json:
        print(json.dumps(figures, indent=1))
        return
    for name, values in figures.items():
        print(f"{name:24}", "  ".join(f"{key} {value}" for key, value in values.items()))


if __name__ == "__main__":
    main()
