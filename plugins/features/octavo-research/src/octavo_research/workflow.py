"""The workflow: planning, gathering, analysis, refinement (which may gather again) and synthesis (RES-1).

    plan ─► gather:1:0 … ─► read:1:DOC … ─► refine:1 ─┬─► synthesis
              ▲                                        │
              └──────────── one more round ────────────┘

Each box is a step of the journal. A step is a function of the library, the question and the steps before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from octavo_contracts import LocatorError, OctavoError, resolve_locator

from .claim_selection import ChosenClaim, best_supported_first, choose_claims, order_sources
from .corpus_provider import Passage, fuse
from .coverage import QueryCoverage, assess_confidence
from .differing_claims import differing_claims
from .journal import StepJournal
from .language_model import ModelRoles
from .matches import matched_terms, terms_of
from .model_calls import ModelCalls, failure
from .model_plan import model_plan
from .model_synthesis import ModelSynthesis
from .novelty import NoveltyTag, novelty, shingles
from .options import ResearchOptions
from .planning import follow_up, sub_queries
from .search_calls import SearchCalls
from .source_reader import SourceReading, covering_sources
from .sources import Sources
from .spending import Usage
from .supervision import Supervisor
from .synthesis_notes import SynthesisNotes
from .tool_research import ToolResearch

T = TypeVar("T")
_SIGNS = re.compile(r"[-_./\\]+")

MODEL_PASSAGES = 40
"""Passages that a model may read, as far as its window has room."""
PARALLEL = 2
"""Sub-queries and sources that are worked on at the same time."""


class Workflow:
    """One execution of a run.

    Args:
        sources: the world that the run asks.
        question: what is asked.
        options: options of the run.
        journal: the finished steps.
        models: the models that supervise and write; None: the claims are chosen quotations.
    """

    def __init__(
        self,
        sources: Sources,
        question: str,
        options: ResearchOptions,
        journal: StepJournal,
        *,
        models: ModelRoles | None = None,
    ) -> None:
        self._sources = sources
        self._question = question
        self._options = options
        self._journal = journal
        self._models = models
        self._calls = ModelCalls(sources=sources, ceilings=options.ceilings)
        self._searches = SearchCalls(sources, options)
        self._used = Usage()
        """What the finished steps have cost."""

    def execute(self) -> None:
        """Execute the steps that are not finished.

        Raises:
            RunStopped: the run was cancelled.
            OctavoError: the library cannot be read or written.
        """
        queries = self._plan()
        readings: dict[str, SourceReading] = {}
        hits: list[list[Passage]] = []
        asked = queries
        behind: list[str] = []
        supervisor = self._supervisor()
        for number in range(1, self._options.max_rounds + 1):
            found = self._gather(number, asked, behind)
            hits += found
            readings |= self._read_sources(number, hits, known=readings)
            step = f"refine:{number}"
            again = self._journal.step("refinement", step, partial(self._refine, step, queries, asked, readings))
            following = [again["follow_up"]] if again["follow_up"] is not None else []
            if supervisor is not None:
                is_last = number == self._options.max_rounds
                supervisor.used = self._used
                directed = supervisor.supervise(number, asked, found, readings, is_last=is_last)
                self._used = supervisor.used
                if directed is not None:
                    # Its words may come from every document that the supervisor had read.
                    following, behind = directed, sorted(supervisor.notes.documents)
            if not following:
                break
            asked = following
        repeated = frozenset(key for key, one in again["novelty"].items() if one["tag"] == NoveltyTag.DUPLICATE)
        # What repeats another source comes after what does not (RES-8). The sort is stable.
        sources = sorted(readings.values(), key=lambda one: one.document_id in repeated)
        written = None
        if self._models is not None and sources:
            passages = choose_claims(
                self._question, queries, sources, limit=MODEL_PASSAGES, first=_first_document(hits)
            )
            passages = [*self._researched(self._models, supervisor, queries, passages), *passages]
            written = self._write(self._models, supervisor, queries, passages)
        work = partial(self._synthesise, queries, hits, sources, written=written)
        self._journal.step("synthesis", "synthesis", work)

    def _supervisor(self) -> Supervisor | None:
        if self._models is None or not self._options.supervision:
            return None
        window = self._options.model_window
        return Supervisor(self._question, self._models, self._journal, self._calls, window=window)

    def _plan(self) -> list[str]:
        """The sub-queries; the first is the question itself."""
        if self._models is None or not self._options.supervision:
            return list(self._journal.step("planning", "plan", lambda: sub_queries(self._question)))
        queries, self._used = model_plan(self._question, self._models.synthesis, self._journal, self._calls)
        return queries

    def _researched(
        self,
        models: ModelRoles,
        supervisor: Supervisor | None,
        queries: Sequence[str],
        known: Sequence[ChosenClaim],
    ) -> list[ChosenClaim]:
        """Passages that the model finds with its tools."""
        if supervisor is None or not self._options.tools:
            return []
        window = self._options.model_window
        research = ToolResearch(models.synthesis, self._journal, self._calls, self._searches, window=window)
        found = research.research(queries, known, used=self._used)
        self._used = research.used
        return found

    def _write(
        self,
        models: ModelRoles,
        supervisor: Supervisor | None,
        queries: Sequence[str],
        passages: Sequence[ChosenClaim],
    ) -> dict[str, Any]:
        """Claims that a model writes from passages; each call is a step of the journal."""
        window = self._options.model_window
        synthesis = ModelSynthesis(models.synthesis, self._journal, self._calls, window=window)
        notes = supervisor.notes if supervisor is not None else SynthesisNotes()
        return synthesis.write(queries, passages, notes=notes, used=self._used)

    def _gather(self, number: int, queries: Sequence[str], behind: Sequence[str]) -> list[list[Passage]]:
        def one(place: int) -> Any:
            step = f"gather:{number}:{place}"

            work = partial(
                self._searches.ask,
                step,
                queries[place],
                behind=behind,
                used=before,
                place=place,
                count=len(queries),
            )
            return self._journal.step("gathering", step, work)

        before = self._used
        found = _in_parallel(one, range(len(queries)))
        for result in found:
            self._used = self._used.plus(Usage(**result.get("usage", {})))
        return [
            [Passage(document_id=hit[0], version=hit[1], locator=hit[2]) for hit in result["hits"]] for result in found
        ]

    def _read_sources(
        self, number: int, hits: Sequence[list[Passage]], *, known: dict[str, SourceReading]
    ) -> dict[str, SourceReading]:
        """Read the best sources that are not read yet; document id → reading, best first."""
        ranks = {passage: rank for rank, passage in enumerate(_ranked(hits), start=1)}
        picked = self._journal.step(
            "analysis", f"select:{number}", partial(self._select, f"select:{number}", hits, list(known))
        )

        def one(document_id: str) -> Any:
            found = [(hit.locator, rank) for hit, rank in ranks.items() if hit.document_id == document_id]
            step = f"read:{number}:{document_id}"
            return self._journal.step("analysis", step, partial(self._read, step, document_id, found))

        read = _in_parallel(one, picked)
        return {
            data["reading"]["document_id"]: SourceReading.from_json(data["reading"]) for data in read if data["reading"]
        }

    def _select(self, step: str, hits: Sequence[list[Passage]], known: Sequence[str]) -> list[str]:
        scores: dict[str, float] = {}
        for passage, score in fuse(list(hits)).items():
            scores[passage.document_id] = max(score, scores.get(passage.document_id, 0.0))
        names: dict[str, str] = {}
        for document_id in scores:
            with suppress(OctavoError):  # purged, or out of the corpus, since the search
                names[document_id] = self._sources.open(step, document_id).name
        matches = matched_terms(self._question, [_SIGNS.sub(" ", name) for name in names.values()])
        scores = {document_id: scores[document_id] for document_id in names}
        order = order_sources(scores, dict(zip(names, matches, strict=True)), len(terms_of(self._question)))
        # What the search for the whole question ranks first is always read, whatever the names say.
        order.sort(key=lambda document_id: document_id != _first_document(hits))
        room = self._options.max_sources - len(known)
        return [document_id for document_id in order if document_id not in known][: max(0, room)]

    def _read(self, step: str, document_id: str, found: Sequence[tuple[str, int]]) -> dict[str, Any]:
        if self._sources.is_late(step):
            return {"reading": None, "failures": [_late(step)]}
        try:
            reading = self._sources.read(step, document_id, self._question, found)
        except OctavoError as error:
            return {"reading": None, "failures": [failure(step, "source_unavailable", error.message, document_id)]}
        return {"reading": reading.to_json(), "failures": []}

    def _refine(
        self, step: str, queries: Sequence[str], asked: Sequence[str], readings: dict[str, SourceReading]
    ) -> dict[str, Any]:
        """Assess what was read; ask again for the terms of the question that no source has, unless that is the same query."""
        terms = terms_of(self._question)
        having = frozenset[int]().union(*(reading.terms for reading in readings.values()))
        missing = {term for place, term in enumerate(terms) if place not in having}
        query = follow_up(self._question, missing) if readings and not self._sources.is_late(step) else None
        confidence = assess_confidence([self._coverage(one, readings) for one in queries])
        return {
            "missing": sorted(missing),
            "follow_up": None if query in asked else query,
            "novelty": self._novelty(step, readings),
            "confidence": {
                "confidence": confidence.confidence,
                "factors": dict(confidence.factors),
                "dominant_factors": confidence.dominant_factors,
                "weak_factors": confidence.weak_factors,
            },
        }

    def _coverage(self, query: str, readings: dict[str, SourceReading]) -> QueryCoverage:
        having = covering_sources(self._question, query, readings.values())
        return QueryCoverage(query=query, sources=len(having), domains=having)

    def _novelty(self, step: str, readings: dict[str, SourceReading]) -> dict[str, dict[str, Any]]:
        """Compare each source with those before it, best first; document id → tag, similarity and nearest source."""
        earlier: dict[str, frozenset[int]] = {}
        found: dict[str, dict[str, Any]] = {}
        for document_id in readings:
            try:
                new = shingles(self._sources.open(step, document_id).text.text)
            except OctavoError:
                continue  # purged, or out of the corpus, since it was read
            told = novelty(new, earlier)
            found[document_id] = {"tag": told.tag, "similarity": round(told.similarity, 3), "nearest": told.nearest}
            earlier[document_id] = new
        return found

    def _synthesise(
        self,
        queries: Sequence[str],
        hits: Sequence[list[Passage]],
        sources: Sequence[SourceReading],
        *,
        written: dict[str, Any] | None,
    ) -> dict[str, Any]:
        if self._models is not None and written is not None and written["claims"]:
            return {
                "queries": list(queries),
                "claims": written["claims"],
                "failures": written["failures"],
                "model": self._models.synthesis.identity,
                "usage": written["usage"],
            }
        first = _first_document(hits)
        chosen = choose_claims(self._question, queries, sources, limit=self._options.max_claims, first=first)
        chosen = best_supported_first(self._question, sources, chosen)
        claims = [
            {
                "sub_query": one.sub_query,
                "document_id": one.reading.document_id,
                "version": one.reading.version,
                "source_text_hash": one.reading.source_text_hash,
                "locator": one.quoted,
                "is_related": one.is_related,
                **({"is_cut_before": True} if one.evidence.is_cut_before else {}),
                **({"is_cut_after": True} if one.evidence.is_cut_after else {}),
            }
            for one in chosen
        ]
        for places in differing_claims(self._question, queries, chosen, self._sentence):
            claims[places[0]]["differing"] = places[1:]
        failures = list(written["failures"]) if written is not None else []
        if written is not None and written["claims"] is not None:
            failures.append(failure("synthesis", "model_no_claims", "The model wrote no claim from the sources"))
        if not any(hits):
            failures.append(failure("synthesis", "no_sources", "No passage of the library matches the question"))
        return {"queries": list(queries), "claims": claims, "failures": failures}

    def _sentence(self, claim: ChosenClaim) -> str | None:
        """The text of the best sentence of a claim; None where it cannot be read any more."""
        if claim.evidence.sentence is None:
            return None
        try:
            text = self._sources.open("synthesis", claim.reading.document_id).text
            is_same = f"sha256:{text.sha256}" == claim.reading.source_text_hash
            return resolve_locator(text.text, claim.evidence.sentence) if is_same else None
        except (OctavoError, LocatorError):
            return None  # purged, or out of the corpus, since it was read


def _first_document(hits: Sequence[list[Passage]]) -> str | None:
    """The document that the search for the whole question, which is the first sub-query, ranks first."""
    return next((hit.document_id for ranking in hits[:1] for hit in ranking), None)


def _ranked(hits: Sequence[list[Passage]]) -> list[Passage]:
    scores = fuse(list(hits))
    return sorted(scores, key=lambda passage: (-scores[passage], passage.document_id, passage.locator))


def _late(step: str) -> dict[str, Any]:
    return failure(step, "time_ceiling", "The time of the run was up: this step was left out")


def _in_parallel(work: Callable[[Any], T], items: Sequence[Any]) -> list[T]:
    """Results in the order of the items; the first error is raised once every item has ended."""
    with ThreadPoolExecutor(max_workers=PARALLEL) as pool:
        return list(_ended([pool.submit(work, item) for item in items]))


def _ended(futures: Sequence[Any]) -> Iterator[Any]:
    for future in futures:
        yield future.result()
