"""Is the evidence of known answers cited? Research reports beside BM25's best pages and beside digests (RES-18).

Questions with known answers are asked of one library with all their documents: those of `questions.jsonl`, which were written for this
benchmark, with the pages that answer them; those of `held_out.jsonl`, over other documents, by which nothing may be tuned; and those of
the corpus. Counted is the share of questions with a citation on a true page of
the true document, for

- `report`: the report of a run, at most 12 citations;
- `bm25_pages`: the 5 best pages by BM25 of the library bm25s, whole;
- `library_pages`: the 5 best pages of the library's own full text search, whole;
- `digest`: the digest of the document that BM25 ranks first;
- `digest_of_true_document`: the digest of the document that the answer is in, which only the benchmark knows.

`characters` is the mean length of what each way gives its reader. `citation_accuracy` is the share of the reports' citations that verify.
Usage: python tests/benchmarks/research/quality.py [--questions N] [--part I/N] [--set own|held_out|corpus|all] [--library DIR] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bm25s
from octavo import Settings
from octavo_contracts import Locator
from octavo_digest import digest_document
from octavo_library import Library
from octavo_research import Research
from octavo_text.words import query_words

QUESTIONS = {
    "own": Path(__file__).with_name("questions.jsonl"),
    "held_out": Path(__file__).with_name("held_out.jsonl"),
}
KIND = "financebench"
PAGES = 5


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question and the pages that answer it."""

    origin: str
    query: str
    document_id: str
    pages: frozenset[int]


@dataclass(frozen=True, kw_only=True)
class Given:
    """What a way gives its reader: the pages of the true document, and the length of all of it."""

    pages: frozenset[int]
    characters: int


class Bm25Pages:
    """BM25 over the pages of all documents, by a library that is not Octavo's."""

    def __init__(self, library: Library, document_ids: Sequence[str]) -> None:
        texts = {document_id: library.document(document_id).structured_text for document_id in document_ids}
        self._pages = [
            (document_id, number, text.page_text(number))
            for document_id, text in texts.items()
            for number in range(1, len(text.pages) + 1)
        ]
        self._index = bm25s.BM25()
        self._index.index(self._tokens([page for _, _, page in self._pages]), show_progress=False)

    def best(self, query: str) -> list[tuple[str, int, str]]:
        """Document, page number and text of the best pages."""
        places, _ = self._index.retrieve(self._tokens([query]), k=PAGES, show_progress=False)
        return [self._pages[int(place)] for place in places[0]]

    @staticmethod
    def _tokens(texts: list[str]) -> Any:
        return bm25s.tokenize(texts, stopwords="en", show_progress=False)


def main() -> int:
    """Ask every question in each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, help="only the first N of each set")
    parser.add_argument(
        "--part", default="1/1", metavar="I/N", help="every Nth question, from the Ith: for N processes"
    )
    parser.add_argument("--set", choices=(*QUESTIONS, "corpus", "all"), default="all")
    parser.add_argument("--library", type=Path, help="keep the library there, and use it again")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    asked = parser.parse_args()
    corpus = Path(os.environ["OCTAVO_CORPUS"])
    with tempfile.TemporaryDirectory() as folder:
        found = measure(
            corpus,
            asked.library or Path(folder) / "library",
            origins=(*QUESTIONS, "corpus") if asked.set == "all" else (asked.set,),
            part=slice(int(asked.part.split("/")[0]) - 1, asked.questions, int(asked.part.split("/")[1])),
            verbose=asked.verbose,
        )
    sys.stdout.write(json.dumps(found) + "\n" if asked.json else "".join(f"{k}: {v}\n" for k, v in found.items()))
    return int(any(figures["citation_accuracy"] != 1.0 for figures in found.values()))


def measure(
    corpus: Path, folder: Path, *, origins: Sequence[str], part: slice, verbose: bool = False
) -> dict[str, dict[str, Any]]:
    """The figures of each set of questions."""
    with Library.open(folder, settings=Settings(workers=2, sampling=False)) as library:
        sets = {origin: _questions(corpus, library, origin)[part] for origin in origins}
        library.search("start", seconds=None)
        bm25 = Bm25Pages(library, sorted({one.document_id for asked in sets.values() for one in asked}))
        return {origin: _figures(library, bm25, asked, verbose=verbose) for origin, asked in sets.items()}


def _figures(library: Library, bm25: Bm25Pages, questions: Sequence[Asked], *, verbose: bool) -> dict[str, Any]:
    found: Counter[str] = Counter()
    characters: Counter[str] = Counter()
    seconds = 0.0
    for one in questions:
        started = time.monotonic()
        report = _report(library, one, found)
        seconds += time.monotonic() - started
        best = bm25.best(one.query)
        ways = {
            "report": report,
            "bm25_pages": _given(one, best),
            "library_pages": _library_pages(library, one),
            "digest": _digest(library, one, best[0][0]),
        }
        is_first = best[0][0] == one.document_id
        ways["digest_of_true_document"] = ways["digest"] if is_first else _digest(library, one, one.document_id)
        right = {name: bool(given.pages & one.pages) for name, given in ways.items()}
        found.update(name for name, is_right in right.items() if is_right)
        characters.update({name: given.characters for name, given in ways.items()})
        if verbose:
            sys.stderr.write(f"{''.join('.+'[is_right] for is_right in right.values())} {one.query[:90]}\n")
    count = max(1, len(questions))
    return {
        "questions": len(questions),
        **{name: round(found[name] / count, 3) for name in ways},
        "characters": {name: round(total / count) for name, total in characters.items()},
        "citation_accuracy": round(found["verified"] / max(1, found["citations"]), 3),
        "citations_a_report": round(found["citations"] / count, 1),
        "seconds_a_report": round(seconds / count, 2),
    }


def _questions(corpus: Path, library: Library, origin: str) -> list[Asked]:
    """The questions with known pages; their documents are taken into the library."""
    listed = json.loads((corpus / "manifest.json").read_text(encoding="utf-8"))["documents"]
    paths = {row["id"]: corpus / row["path"] for row in listed}
    rows = own_questions(origin) if origin in QUESTIONS else _corpus_questions(corpus)
    ids = {name: str(library.ingest(paths[name]).document_id) for name in sorted({row["document"] for row in rows})}
    for row in rows:
        count = len(library.document(ids[row["document"]]).structured_text.pages)
        if not all(1 <= page <= count for page in row["pages"]):
            raise SystemExit(f"{row['document']} has {count} pages, and not all of {row['pages']}")
    return [
        Asked(origin=origin, query=row["question"], document_id=ids[row["document"]], pages=frozenset(row["pages"]))
        for row in rows
    ]


def own_questions(origin: str = "own") -> list[dict[str, Any]]:
    """The questions that were written for this benchmark: `document`, `question`, `answer` and `pages`."""
    return [json.loads(line) for line in QUESTIONS[origin].read_text(encoding="utf-8").splitlines()]


def _corpus_questions(corpus: Path) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (corpus / "qa" / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    return [
        {"document": row["doc_id"], "question": row["query"], "pages": [gold["page"] for gold in row["gold"]]}
        for row in rows
        if KIND in row["doc_id"] and all(gold.get("page") for gold in row["gold"])
    ]


def _report(library: Library, one: Asked, found: Counter[str]) -> Given:
    research = Research(library)
    record = research.start(one.query)
    research.run(record.research_id)
    citations = research.report(record.research_id).citations()
    found["citations"] += len(citations)
    found["verified"] += research.verify(record.research_id).quotations
    cited = frozenset(
        Locator.parse(cited.locator).page or 1 for cited in citations if cited.document_id == one.document_id
    )
    return Given(pages=cited, characters=sum(len(cited.quote) for cited in citations))


def _given(one: Asked, pages: Sequence[tuple[str, int, str]]) -> Given:
    right = frozenset(number for document_id, number, _ in pages if document_id == one.document_id)
    return Given(pages=right, characters=sum(len(text) for _, _, text in pages))


def _library_pages(library: Library, one: Asked) -> Given:
    hits = library.search(" ".join(query_words(one.query)), limit=50, vectors=False)
    best = list(dict.fromkeys((hit.document_id, hit.page or 1) for hit in hits))[:PAGES]
    texts = {document_id: library.document(document_id).structured_text for document_id, _ in best}
    return _given(one, [(document_id, page, texts[document_id].page_text(page)) for document_id, page in best])


def _digest(library: Library, one: Asked, document_id: str) -> Given:
    payload = digest_document(library, document_id, query=one.query).payload
    snippets = payload.evidence_snippets if payload is not None else ()
    pages = frozenset(Locator.parse(snippet.locator).page or 1 for snippet in snippets)
    return Given(
        pages=pages if document_id == one.document_id else frozenset(),
        characters=sum(len(snippet.text) for snippet in snippets),
    )


if __name__ == "__main__":
    raise SystemExit(main())
