"""Builds the report of a run from its journal and the texts of the library.

The journal holds places, not texts of documents. So a quotation is a slice of the stored canonical text by construction. Texts that a
model wrote name the documents that it had read: a purge of one of them deletes the text, and an asker who may not read all of them
any more is not shown it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from octavo_contracts import LocatorError, OctavoError, resolve_locator
from octavo_library.storage import ResearchRecord, documents_of

from .matches import terms_of, weak_terms
from .planning import heading_of, sub_queries
from .report import Citation, Claim, Failure, ResearchReport, Section
from .source_fidelity import SourceFidelity
from .source_reader import SourceReading
from .sources import Sources

RELATED = "Related passages"
"""Heading of the passages that have less of what is asked than those above."""


class ReportBuilder:
    """Builds one report.

    Args:
        sources: the texts that who asks may read.
        record: the run.
        results: name of a step → its result, in the order of their commits.
    """

    def __init__(self, sources: Sources, record: ResearchRecord, results: dict[str, Any]) -> None:
        self._sources = sources
        self._record = record
        self._results = results
        self._texts: dict[tuple[str, int], tuple[str, str]] = {}
        self._readable: dict[str, bool] = {}
        self._failures: list[Failure] = []

    @property
    def texts(self) -> dict[str, str]:
        """Hash (`sha256:…`) → canonical text of the sources that the built report cites."""
        return {_hash_of(text): text for _, text in self._texts.values()}

    def build(self) -> ResearchReport:
        """Build the report from the finished steps."""
        synthesis = self._results.get("synthesis") or {"queries": [], "claims": [], "failures": []}
        queries = synthesis["queries"] or list(sub_queries(self._record.question))
        claims: list[list[Claim]] = [[] for _ in queries]
        related: list[Claim] = []
        joined = {place for chosen in synthesis["claims"] for place in chosen.get("differing", ())}
        for place, chosen in enumerate(synthesis["claims"]):
            if place in joined:
                continue
            if "text" in chosen:
                claims[chosen["sub_query"]].append(self._written_claim(chosen))
                continue
            cited = [chosen, *(synthesis["claims"][other] for other in chosen.get("differing", ()))]
            citations = tuple(one for one in map(self._citation, cited) if one is not None)
            if citations:
                differ = len(citations) > 1
                claim = Claim(text=citations[0].quote, supported=True, citations=citations, sources_differ=differ)
                # A run of an older version tells no related passages apart.
                (related if chosen.get("is_related") else claims[chosen["sub_query"]]).append(claim)
        if "synthesis" in self._results:
            for place, query in enumerate(queries):
                # The whole question is answered by its parts where it has parts.
                if not claims[place] and (place > 0 or not any(claims)):
                    text = f"{self._unanswered()}: {heading_of(query, self._record.question)}"
                    claims[place].append(Claim(text=text, supported=False))
            if not any("text" in chosen for chosen in synthesis["claims"]):
                for place, missing in self._missing_words(queries).items():
                    text = f"No source that was read has these words of the question: {', '.join(missing)}"
                    claims[place].append(Claim(text=text, supported=False))
        sections = [
            Section(heading=heading_of(query, self._record.question), claims=tuple(held))
            for query, held in zip(queries, claims, strict=True)
            if held
        ]
        if related:
            sections.append(Section(heading=RELATED, claims=tuple(related)))
        noted = [
            Failure(**one)
            for name in sorted(self._results)
            if isinstance(self._results[name], dict)
            for one in self._results[name].get("failures", ())
        ]
        if self._record.reason is not None:
            noted.append(Failure(step=self._record.phase, reason="run_failed", message=self._record.reason))
        return ResearchReport(
            research_id=self._record.research_id,
            question=self._record.question,
            status=self._record.status,
            sections=tuple(sections),
            failures=tuple(dict.fromkeys([*noted, *self._failures])),
            model=synthesis.get("model", "none"),
            content_fidelity=self._fidelity(),
        )

    def _unanswered(self) -> str:
        """Why a part of the question has no claim: passages are found by their words, so that a source may answer it all the same."""
        results = [result for result in self._results.values() if isinstance(result, dict)]
        is_cut = any(one["reason"].endswith("_ceiling") for result in results for one in result.get("failures", ()))
        if is_cut and not self._readings:
            return "Not looked for, because no source was read"
        return "No passage was found that answers"

    @cached_property
    def _readings(self) -> list[SourceReading]:
        read = [result.get("reading") for result in self._results.values() if isinstance(result, dict)]
        return [SourceReading.from_json(one) for one in read if one]

    def _missing_words(self, queries: Sequence[str]) -> dict[int, list[str]]:
        """Words of the question that no passage or name of a source has; place of the narrowest sub-query that has a word → words."""
        question = self._record.question
        held = frozenset[int]().union(*(one.terms.union(one.named) for one in self._readings))
        weak = weak_terms(question)
        asked = [terms_of(query) for query in queries]
        found: dict[int, list[str]] = {}
        for place, term in enumerate(terms_of(question)):
            if held and place not in held and term not in weak:
                asking = [at for at, terms in enumerate(asked) if term in terms]
                found.setdefault(min(asking, key=lambda at: len(asked[at]), default=0), []).append(term)
        return found

    def _fidelity(self) -> tuple[SourceFidelity, ...]:
        """How much of each source was read; without the sources that who asks may not read."""
        found = {one.document_id: one.fidelity for one in self._readings}
        # Sources are read in parallel; a replayed run has them in the same order.
        return tuple(one for key, one in sorted(found.items()) if one is not None and self._is_readable(key))

    def _written_claim(self, chosen: dict[str, Any]) -> Claim:
        """A claim of a model. Where a source that it had read is gone, so are its words; the quotations of other sources stay."""
        citations = [self._citation(one) for one in chosen["citations"]]
        held = tuple(one for one in citations if one is not None)
        text = self._derived(chosen["text"])
        if text is not None:
            return Claim(text=text, supported=bool(held), citations=held)
        if held:
            return Claim(text=held[0].quote, supported=True, citations=held)
        return Claim(text="The source of a claim is not available any more", supported=False)

    def _derived(self, stored: dict[str, Any]) -> str | None:
        """A text of a model; None where a document that it was derived from is not available to who asks."""
        missing = [one for one in documents_of(stored) if not self._is_readable(one)]
        if stored["value"] is not None and not missing:
            return str(stored["value"])
        message = "Claims of the model are left out: it wrote them from sources of which one is not available any more"
        self._failures.append(Failure(step="report", reason="source_unavailable", message=message))
        return None

    def _is_readable(self, document_id: str) -> bool:
        if document_id not in self._readable:
            self._readable[document_id] = self._sources.is_readable(document_id)
        return self._readable[document_id]

    def _citation(self, chosen: dict[str, Any]) -> Citation | None:
        document_id, version = chosen["document_id"], chosen["version"]
        try:
            title, text = self._text(document_id, version)
            if _hash_of(text) != chosen["source_text_hash"]:
                raise LocatorError("its text is another one now")
            quote = resolve_locator(text, chosen["locator"])
        except (OctavoError, LocatorError) as error:
            message = f"A source of the report is not available any more: {_cause(error)}"
            failure = Failure(step="report", reason="source_unavailable", message=message, document_id=document_id)
            self._failures.append(failure)
            return None
        return Citation(
            document_id=document_id,
            title=title,
            version=version,
            locator=chosen["locator"],
            source_text_hash=chosen["source_text_hash"],
            quote=quote,
            is_cut_before=chosen.get("is_cut_before", False),
            is_cut_after=chosen.get("is_cut_after", False),
        )

    def _text(self, document_id: str, version: int) -> tuple[str, str]:
        key = (document_id, version)
        if key not in self._texts:
            self._texts[key] = self._sources.text(document_id, version)
        return self._texts[key]


def _cause(error: Exception) -> str:
    return error.message if isinstance(error, OctavoError) else str(error)


def _hash_of(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
