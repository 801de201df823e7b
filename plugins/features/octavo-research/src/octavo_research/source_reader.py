"""Reads a source at retrieval time: its digest for the question, and the passages that searches found (RES-3, RES-7)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from octavo_contracts import EvidenceSnippet, LocatorError, OctavoError, resolve_locator, resolve_span
from octavo_digest import (
    EvidenceSettings,
    FidelityLevel,
    FidelityRecord,
    digest_document,
    find_evidence,
    locate,
    record_of,
    scorer_named,
)
from octavo_digest.scoring import DEFAULT_SCORER
from octavo_library.facade.document import Document
from octavo_library.facade.library import Library

from .matches import matched_terms, terms_of
from .quoted_part import is_contents, quoted_parts
from .source_fidelity import SourceFidelity

DIGEST_FROM = 4_000
"""Code points from which a source is digested; a shorter one is searched for evidence directly (RES-7)."""
SHORT = "short"
"""Reason of a source that was read whole because it is short."""
MOST_SNIPPETS = 10
_SIGNS = re.compile(r"[-_./\\]+")


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """A passage of a source, by its place.

    Attributes:
        locator: its place in the canonical text.
        terms: places of the question's terms that it has.
        digest_rank: its rank in the source's digest, from 1; 0 where the digest does not have it.
        search_rank: its rank among the search's passages of all sources, from 1; 0 where no search found it.
        quoted: the part of it that a report quotes, to the end of a sentence that the passage cuts; None: all of it.
        sentence: the place of the sentence or row of it that has the most terms; None in a run of an older version.
        sentence_terms: places of the question's terms that this sentence has.
        is_cut_before: whether the quoted part begins within a sentence.
        is_cut_after: whether it ends within one.
    """

    locator: str
    terms: tuple[int, ...]
    digest_rank: int = 0
    search_rank: int = 0
    quoted: str | None = None
    sentence: str | None = None
    sentence_terms: tuple[int, ...] = ()
    is_cut_before: bool = False
    is_cut_after: bool = False


@dataclass(frozen=True, kw_only=True)
class SourceReading:
    """What was read of a source: places only, no text.

    Attributes:
        document_id: the document.
        version: the conversion version that was read.
        source_text_hash: `sha256:` and the hash of its canonical text.
        digested: whether the evidence comes from a digest, or from the text directly.
        evidence: its passages, those of the digest first.
        named: places of the question's terms that its title, path or beginning has: they hold for each of its passages.
        fidelity: how much of it was read (DIG-30); None in a run of an older version.
    """

    document_id: str
    version: int
    source_text_hash: str
    digested: bool
    evidence: tuple[Evidence, ...]
    named: tuple[int, ...] = ()
    fidelity: SourceFidelity | None = None

    @property
    def terms(self) -> frozenset[int]:
        """Places of the question's terms that its passages have."""
        return frozenset(place for one in self.evidence for place in one.terms)

    def to_json(self) -> dict[str, Any]:
        """The reading as a step's result."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> SourceReading:
        """The reading of a step's result."""
        evidence = tuple(
            Evidence(**{**one, "terms": tuple(one["terms"]), "sentence_terms": tuple(one.get("sentence_terms", ()))})
            for one in data["evidence"]
        )
        held = data.get("fidelity")
        fidelity = SourceFidelity(**{**held, "warnings": tuple(held["warnings"])}) if held else None
        return cls(**{**data, "evidence": evidence, "named": tuple(data.get("named", ())), "fidelity": fidelity})


def read_source(
    library: Library, document: Document, question: str, found: Sequence[tuple[str, int]], *, name: str
) -> SourceReading:
    """Read a document for a question.

    Args:
        library: the library of the document.
        document: the document, with content.
        question: the question.
        found: locator and rank of the passages that searches found in its active version.
        name: its title, path and beginning.

    Raises:
        OctavoError: its text cannot be read.
    """
    assert document.active_version is not None
    text = document.structured_text
    snippets, fidelity = _snippets(library, document, question)
    ranks = {snippet.locator: rank for rank, snippet in enumerate(snippets, start=1)}
    searched = dict(found)
    places = {**dict.fromkeys(ranks), **dict.fromkeys(searched)}
    quotes: dict[str, str] = {}
    for locator in places:
        try:
            quotes[locator] = resolve_locator(text.text, locator)
        except LocatorError:
            continue  # found in another version than the one that is active now
    quotes = {locator: quote for locator, quote in quotes.items() if quote.strip() and not is_contents(quote)}
    named, *terms = matched_terms(question, [_SIGNS.sub(" ", name), *quotes.values()])
    parts = quoted_parts(text, question, [resolve_span(text.text, locator) for locator in quotes], named=named)
    evidence = tuple(
        Evidence(
            locator=locator,
            terms=held,
            digest_rank=ranks.get(locator, 0),
            search_rank=searched.get(locator, 0),
            quoted=str(locate(text, part.span)),
            sentence=str(locate(text, part.sentence)),
            sentence_terms=part.terms,
            is_cut_before=part.is_cut_before,
            is_cut_after=part.is_cut_after,
        )
        for locator, held, part in zip(quotes, terms, parts, strict=True)
    )
    return SourceReading(
        document_id=document.id,
        version=document.active_version,
        source_text_hash=f"sha256:{text.sha256}",
        digested=fidelity.level is FidelityLevel.DIGEST,
        evidence=evidence,
        named=named,
        fidelity=SourceFidelity.of(fidelity, document_id=document.id),
    )


def covering_sources(question: str, query: str, readings: Iterable[SourceReading]) -> frozenset[str]:
    """Ids of the sources that have at least half of a sub-query's terms in one passage.

    A query without a term of the question, which a supervisor may give, is covered by every source that its search found.
    """
    terms = terms_of(question)
    wanted = {place for place, term in enumerate(terms) if term in set(terms_of(query))}
    return frozenset(
        reading.document_id
        for reading in readings
        if not wanted or any(2 * len(wanted.intersection(one.terms)) >= len(wanted) for one in reading.evidence)
    )


def _snippets(
    library: Library, document: Document, question: str
) -> tuple[tuple[EvidenceSnippet, ...], FidelityRecord]:
    """The digest's evidence; without a digest, evidence of the text itself."""
    text = document.canonical_text
    status, reason = "skipped", SHORT
    warnings: tuple[str, ...] = ()
    if len(text) >= DIGEST_FROM:
        try:
            outcome = digest_document(library, document, query=question)
        except OctavoError as error:
            status, reason = "failed", error.reason or "digest_failed"
        else:
            status, reason, warnings = outcome.status, outcome.reason or outcome.status, outcome.warnings
            if outcome.payload is not None:
                fidelity = record_of(
                    document.id, text, payload=outcome.payload, status=status, reason=reason, warnings=warnings
                )
                return outcome.payload.evidence_snippets, fidelity
    settings = EvidenceSettings(max_snippets=MOST_SNIPPETS)
    found = find_evidence(document.structured_text, question, scorer=scorer_named(DEFAULT_SCORER), settings=settings)
    return found, record_of(document.id, text, payload=None, status=status, reason=reason, warnings=warnings)
