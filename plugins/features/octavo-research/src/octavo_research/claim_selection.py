"""Chooses the claims of a report: by the question's terms and numbers, the digest's rank and the search's rank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from octavo_contracts import Locator

from .matches import term_weights, terms_of
from .source_reader import Evidence, SourceReading

NUMBER_WEIGHT = 2.0
"""Weight of a number of the question (a year, an article) against a word."""
LEAST_SHARE = 0.25
"""Share of the weight of the question's terms below which a passage supports nothing."""


@dataclass(frozen=True, kw_only=True)
class ChosenClaim:
    """A claim of the report, by its place.

    Attributes:
        sub_query: index of the sub-query that it answers.
        reading: the source.
        locator: the place of the quotation.
    """

    sub_query: int
    reading: SourceReading
    locator: str


def choose_claims(
    question: str, queries: Sequence[str], readings: Sequence[SourceReading], *, limit: int
) -> list[ChosenClaim]:
    """Choose passages, best first; none repeats the place of another.

    Args:
        question: the question.
        queries: the sub-queries; the first is the question itself.
        readings: the sources, best first.
        limit: number of claims.
    """
    terms = terms_of(question)
    every = [(place, reading, one) for place, reading in enumerate(readings) for one in reading.evidence]
    weights = term_weights(len(terms), [one.terms for _, _, one in every])
    weights = [
        weight * (NUMBER_WEIGHT if any(map(str.isdigit, term)) else 1.0)
        for weight, term in zip(weights, terms, strict=True)
    ]
    total = sum(weights) or 1.0
    scored = []
    for place, reading, one in every:
        share = sum(weights[term] for term in one.terms) / total
        if not one.terms or (share < LEAST_SHARE and len(one.terms) < len(terms)):
            continue
        scored.append((_score(share, place, one), place, reading, one))
    scored.sort(key=lambda item: (-item[0], item[1], item[3].locator))
    chosen: list[ChosenClaim] = []
    for _, _, reading, one in scored:
        if len(chosen) == limit:
            break
        if any(claim.reading is reading and _overlaps(claim.locator, one.locator) for claim in chosen):
            continue
        chosen.append(ChosenClaim(sub_query=_answered(queries, terms, one), reading=reading, locator=one.locator))
    return chosen


def order_sources(scores: dict[str, float], titles: dict[str, Sequence[int]], terms: int) -> list[str]:
    """Order documents by the fused scores of their best passages, those whose name has words of the question first.

    Args:
        scores: document id → score of its passages.
        titles: document id → the question's terms that its name has.
        terms: number of the question's terms.
    """
    having = Counter(place for held in titles.values() for place in set(held))
    best = max(scores.values(), default=1.0) or 1.0

    def rank(document_id: str) -> tuple[float, str]:
        named = sum(1 / having[place] for place in set(titles.get(document_id, ())))
        return -(scores[document_id] / best + named), document_id

    return sorted(scores, key=rank)


def _score(share: float, place: int, one: Evidence) -> float:
    digest = 1 / (1 + one.digest_rank) if one.digest_rank else 0.0
    search = 1 / (3 + one.search_rank) if one.search_rank else 0.0
    return share + digest + search + 1 / (1 + place)


def _answered(queries: Sequence[str], terms: Sequence[str], one: Evidence) -> int:
    """The sub-query of which the passage has the greatest share; of equal ones the narrower."""
    held = {terms[place] for place in one.terms}
    shares = [len(held & set(terms_of(query))) / max(1, len(terms_of(query))) for query in queries]
    return max(range(len(queries)), key=lambda i: (shares[i], -len(terms_of(queries[i])), -i))


def _overlaps(first: str, second: str) -> bool:
    a, b = Locator.parse(first), Locator.parse(second)
    return a.page == b.page and a.start < b.end and b.start < a.end
