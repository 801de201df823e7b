"""The workflow: planning, gathering, analysis, refinement (which may gather again) and synthesis (RES-1).

    plan ─► gather:1:0 … ─► read:1:DOC … ─► refine:1 ─┬─► synthesis
              ▲                                        │
              └──────────── one more round ────────────┘

Each box is a step of the journal. A step is a function of the library, the question and the steps before it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from octavo_contracts import OctavoError
from octavo_retrieval import Scope

from .claim_selection import choose_claims, order_sources
from .corpus_provider import Passage, fuse, search_corpus
from .journal import Journal
from .matches import matched_terms, terms_of
from .options import ResearchOptions
from .planning import follow_up, sub_queries
from .source_reader import SourceReading, read_source

T = TypeVar("T")

PARALLEL = 2
"""Sub-queries and sources that are worked on at the same time."""


class Workflow:
    """One execution of a run.

    Args:
        scope: who asks: the documents that the run may see.
        question: what is asked.
        options: options of the run.
        journal: the finished steps.
        clock: a monotonic clock, seconds.
    """

    def __init__(
        self,
        scope: Scope,
        question: str,
        options: ResearchOptions,
        journal: Journal,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._scope = scope
        self._question = question
        self._options = options
        self._journal = journal
        self._clock = clock
        self._until = clock() + options.max_minutes * 60 if options.max_minutes is not None else None

    def execute(self) -> None:
        """Execute the steps that are not finished.

        Raises:
            RunStopped: the run was cancelled.
            OctavoError: the library cannot be read or written.
        """
        queries = list(self._journal.step("planning", "plan", lambda: sub_queries(self._question)))
        readings: dict[str, SourceReading] = {}
        hits: list[list[Passage]] = []
        asked = queries
        for number in range(1, self._options.max_rounds + 1):
            hits += self._gather(number, asked)
            readings |= self._read_sources(number, hits, known=readings)
            again = self._journal.step("refinement", f"refine:{number}", partial(self._refine, asked, readings))
            if again["follow_up"] is None:
                break
            asked = [again["follow_up"]]
        self._journal.step("synthesis", "synthesis", lambda: self._synthesise(queries, hits, readings))

    def _gather(self, number: int, queries: Sequence[str]) -> list[list[Passage]]:
        def one(place: int) -> Any:
            def work() -> Any:
                if self._is_late():
                    return {"hits": [], "failures": [_late(f"gather:{number}:{place}")]}
                try:
                    found, pending = search_corpus(self._scope, queries[place])
                except OctavoError as error:
                    return {
                        "hits": [],
                        "failures": [_failure(f"gather:{number}:{place}", "search_failed", error.message)],
                    }
                failures = []
                if pending:
                    message = f"{pending} documents could not be searched"
                    failures.append(_failure(f"gather:{number}:{place}", "not_searched", message))
                return {"hits": [[hit.document_id, hit.version, hit.locator] for hit in found], "failures": failures}

            return self._journal.step("gathering", f"gather:{number}:{place}", work)

        found = _in_parallel(one, range(len(queries)))
        return [
            [Passage(document_id=hit[0], version=hit[1], locator=hit[2]) for hit in result["hits"]] for result in found
        ]

    def _read_sources(
        self, number: int, hits: Sequence[list[Passage]], *, known: dict[str, SourceReading]
    ) -> dict[str, SourceReading]:
        """Read the best sources that are not read yet; document id → reading, best first."""
        ranks = {passage: rank for rank, passage in enumerate(_ranked(hits), start=1)}
        picked = self._journal.step("analysis", f"select:{number}", lambda: self._select(hits, list(known)))

        def one(document_id: str) -> Any:
            found = [(hit.locator, rank) for hit, rank in ranks.items() if hit.document_id == document_id]
            return self._journal.step(
                "analysis", f"read:{number}:{document_id}", lambda: self._read(number, document_id, found)
            )

        read = _in_parallel(one, picked)
        return {
            data["reading"]["document_id"]: SourceReading.from_json(data["reading"]) for data in read if data["reading"]
        }

    def _select(self, hits: Sequence[list[Passage]], known: Sequence[str]) -> list[str]:
        scores: dict[str, float] = {}
        for passage, score in fuse(list(hits)).items():
            scores[passage.document_id] = max(score, scores.get(passage.document_id, 0.0))
        names: dict[str, str] = {}
        for document_id in scores:
            try:
                names[document_id] = self._scope.name_of(self._scope.readable(document_id))
            except OctavoError:
                continue  # purged, or out of the corpus, since the search
        matches = matched_terms(self._question, [name.replace("_", " ").replace("-", " ") for name in names.values()])
        scores = {document_id: scores[document_id] for document_id in names}
        order = order_sources(scores, dict(zip(names, matches, strict=True)), len(terms_of(self._question)))
        room = self._options.max_sources - len(known)
        return [document_id for document_id in order if document_id not in known][: max(0, room)]

    def _read(self, number: int, document_id: str, found: Sequence[tuple[str, int]]) -> dict[str, Any]:
        step = f"read:{number}:{document_id}"
        if self._is_late():
            return {"reading": None, "failures": [_late(step)]}
        try:
            document = self._scope.readable(document_id)
            reading = read_source(self._scope.library, document, self._question, found)
        except OctavoError as error:
            return {"reading": None, "failures": [_failure(step, "source_unavailable", error.message, document_id)]}
        return {"reading": reading.to_json(), "failures": []}

    def _refine(self, asked: Sequence[str], readings: dict[str, SourceReading]) -> dict[str, Any]:
        """Ask again for the terms of the question that no source has; not where that would be the same query."""
        terms = terms_of(self._question)
        having = {place for reading in readings.values() for one in reading.evidence for place in one.terms}
        missing = {term for place, term in enumerate(terms) if place not in having}
        query = follow_up(self._question, missing) if readings and not self._is_late() else None
        return {"missing": sorted(missing), "follow_up": None if query in asked else query}

    def _synthesise(
        self, queries: Sequence[str], hits: Sequence[list[Passage]], readings: dict[str, SourceReading]
    ) -> dict[str, Any]:
        sources = list(readings.values())
        chosen = choose_claims(self._question, queries, sources, limit=self._options.max_claims)
        claims = [
            {
                "sub_query": one.sub_query,
                "document_id": one.reading.document_id,
                "version": one.reading.version,
                "source_text_hash": one.reading.source_text_hash,
                "locator": one.locator,
            }
            for one in chosen
        ]
        failures = []
        if not any(hits):
            failures.append(_failure("synthesis", "no_sources", "No passage of the library matches the question"))
        return {"queries": list(queries), "claims": claims, "failures": failures}

    def _is_late(self) -> bool:
        return self._until is not None and self._clock() >= self._until


def _ranked(hits: Sequence[list[Passage]]) -> list[Passage]:
    scores = fuse(list(hits))
    return sorted(scores, key=lambda passage: (-scores[passage], passage.document_id, passage.locator))


def _failure(step: str, reason: str, message: str, document_id: str | None = None) -> dict[str, Any]:
    return {"step": step, "reason": reason, "message": message, "document_id": document_id}


def _late(step: str) -> dict[str, Any]:
    return _failure(step, "time_ceiling", "The time of the run was up: this step was left out")


def _in_parallel(work: Callable[[Any], T], items: Sequence[Any]) -> list[T]:
    """Results in the order of the items; the first error is raised once every item has ended."""
    with ThreadPoolExecutor(max_workers=PARALLEL) as pool:
        return list(_ended([pool.submit(work, item) for item in items]))


def _ended(futures: Sequence[Any]) -> Iterator[Any]:
    for future in futures:
        yield future.result()
