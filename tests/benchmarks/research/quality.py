"""Is the evidence of known answers cited? Research reports beside full text's best pages and beside digests (RES-18).

Questions of the corpus whose answers' pages are known are asked of one library with all their documents. Counted is the share of questions
with a citation on a true page of the true document, for

- `report`: the report of a run, at most 12 citations;
- `bm25_pages`: the 5 best pages of the full text search, whole;
- `digest`: the digest of the document that the search ranks first;
- `digest_of_true_document`: the digest of the document that the answer is in, which only the benchmark knows.

`citation_accuracy` is the share of the reports' citations that verify. Usage:
python tests/benchmarks/research/quality.py [--questions N] [--library DIR] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from octavo import Settings
from octavo.text.words import query_words
from octavo_contracts import Locator
from octavo_digest import digest_document
from octavo_library import Library
from octavo_research import Research

KIND = "financebench"
PAGES = 5


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question and the pages that answer it."""

    query: str
    document_id: str
    pages: frozenset[int]


def main() -> int:
    """Ask every question in each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, help="only the first N")
    parser.add_argument("--library", type=Path, help="keep the library there, and use it again")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    asked = parser.parse_args()
    corpus = Path(os.environ["OCTAVO_CORPUS"])
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(
            corpus, asked.library or Path(folder) / "library", most=asked.questions, verbose=asked.verbose
        )
    sys.stdout.write(json.dumps(figures) + "\n" if asked.json else "".join(f"{k}: {v}\n" for k, v in figures.items()))
    return 0


def measure(corpus: Path, folder: Path, *, most: int | None, verbose: bool = False) -> dict[str, Any]:
    """The figures."""
    found: Counter[str] = Counter()
    with Library.open(folder, settings=Settings(workers=2, sampling=False)) as library:
        questions = _questions(corpus, library)[:most]
        library.search("start", seconds=None)
        started = time.monotonic()
        for one in questions:
            ways = {
                "report": _report(library, one, found),
                "bm25_pages": _pages(library, one),
                "digest": _digest(library, one, _best_document(library, one)),
                "digest_of_true_document": _digest(library, one, one.document_id),
            }
            right = {name: bool(pages & one.pages) for name, pages in ways.items()}
            found.update(name for name, is_right in right.items() if is_right)
            if verbose:
                sys.stderr.write(f"{right} {one.query[:90]}\n")
    count = len(questions)
    shares = {name: round(found[name] / max(1, count), 3) for name in ways}
    return {
        "questions": count,
        **shares,
        "citation_accuracy": round(found["verified"] / max(1, found["citations"]), 3),
        "citations_a_report": round(found["citations"] / max(1, count), 1),
        "seconds_a_question": round((time.monotonic() - started) / max(1, count), 2),
    }


def _questions(corpus: Path, library: Library) -> list[Asked]:
    """The questions with known pages; their documents are taken into the library."""
    listed = json.loads((corpus / "manifest.json").read_text(encoding="utf-8"))["documents"]
    paths = {row["id"]: corpus / row["path"] for row in listed}
    rows = [json.loads(line) for line in (corpus / "qa" / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if KIND in row["doc_id"] and all(gold.get("page") for gold in row["gold"])]
    ids = {name: str(library.ingest(paths[name]).document_id) for name in sorted({row["doc_id"] for row in rows})}
    return [
        Asked(
            query=row["query"],
            document_id=ids[row["doc_id"]],
            pages=frozenset(gold["page"] for gold in row["gold"]),
        )
        for row in rows
    ]


def _report(library: Library, one: Asked, found: Counter[str]) -> set[int]:
    research = Research(library)
    record = research.start(one.query)
    research.run(record.research_id)
    citations = research.report(record.research_id).citations()
    found["citations"] += len(citations)
    found["verified"] += research.verify(record.research_id).quotations
    return {Locator.parse(cited.locator).page or 1 for cited in citations if cited.document_id == one.document_id}


def _pages(library: Library, one: Asked) -> set[int]:
    hits = library.search(" ".join(query_words(one.query)), limit=50, vectors=False)
    best = list(dict.fromkeys((hit.document_id, hit.page) for hit in hits))[:PAGES]
    return {page or 1 for document_id, page in best if document_id == one.document_id}


def _best_document(library: Library, one: Asked) -> str:
    return library.search(" ".join(query_words(one.query)), limit=1, vectors=False)[0].document_id


def _digest(library: Library, one: Asked, document_id: str) -> set[int]:
    payload = digest_document(library, document_id, query=one.query).payload
    if payload is None or document_id != one.document_id:
        return set()
    return {Locator.parse(snippet.locator).page or 1 for snippet in payload.evidence_snippets}


if __name__ == "__main__":
    raise SystemExit(main())
