"""Chooses the claims of a report: by the question's terms and numbers, the digest's rank and the search's rank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

from octavo_contracts import Locator

from .matches import strong_places, term_weights, terms_of, weak_terms
from .source_reader import Evidence, SourceReading

RELATED_BELOW = 0.7
"""Share of a sub-query's terms, against that of its best passage, below which a passage is related and no answer."""
LEAST_SHARED = 0.7
"""Share of the weight of a part's terms from which a passage that answers another part answers this one, too."""
LEAST_GIVEN = 0.5
"""Share of the weight of the best source's name, in words of the question, from which another source is named by it, too."""
MOST_RELATED = 5
"""Related passages of a report."""
WEAK_WEIGHT = 0.2
"""Weight of a word that says how the question is asked: passages without it answer the question, and passages with it alone do not."""
NUMBER_WEIGHT = 2.0
"""Weight of a number of the question (a year, an article) against a word."""
LEAST_SHARE = 0.25
"""Share of the weight of the question's terms below which a passage supports nothing."""

DIGEST_SNIPPETS = 5
"""Quotations of a digest that the report always has."""


@dataclass(frozen=True, kw_only=True)
class ChosenClaim:
    """A claim of the report, by its place.

    Attributes:
        sub_query: index of the sub-query that it answers.
        reading: the source.
        locator: the place of the passage.
        quoted: the place of the quotation: a part of the passage, to the end of a sentence or a table that the passage cuts.
        is_related: whether it has less of what is asked than other passages have.
        evidence: the passage.
    """

    sub_query: int
    reading: SourceReading
    locator: str
    quoted: str
    is_related: bool = False
    evidence: Evidence


def choose_claims(
    question: str, queries: Sequence[str], readings: Sequence[SourceReading], *, limit: int, first: str | None = None
) -> list[ChosenClaim]:
    """Choose passages, best first; none repeats the place of another.

    The digest of the source that the search ranks first is always in the report, so that a report never says less than that digest.

    Args:
        question: the question.
        queries: the sub-queries; the first is the question itself.
        readings: the sources, best first.
        limit: number of claims.
        first: the document that the search for the whole question ranks first.
    """
    ranked = _ranked(question, readings)
    terms = terms_of(question)
    kept = [
        one for one in ranked if one.reading.document_id == first and 0 < one.evidence.digest_rank <= DIGEST_SNIPPETS
    ]
    chosen: list[_Scored] = []
    for one in [*kept, *(other for other in ranked if other.is_supporting)]:
        if len(chosen) == limit:
            break
        if not any(_overlaps(one, other) for other in chosen):
            chosen.append(one)
    chosen.sort(key=_Scored.rank)
    weights = weights_of(question, [one.evidence.terms for one in ranked])
    placed = [(_answered(queries, terms, one.evidence), one) for one in chosen]
    found = [
        ChosenClaim(
            sub_query=place,
            reading=one.reading,
            locator=one.evidence.locator,
            quoted=one.evidence.quoted or one.evidence.locator,
            is_related=is_related,
            evidence=one.evidence,
        )
        for (place, one), is_related in zip(placed, _related(queries, terms, weights, placed), strict=True)
    ]
    found += _shared(queries, terms, weights, placed, found)
    related = [one for one in found if one.is_related]
    return [one for one in found if not one.is_related or one in related[:MOST_RELATED]]


def best_supported_first(
    question: str, readings: Sequence[SourceReading], claims: Sequence[ChosenClaim]
) -> list[ChosenClaim]:
    """Order claims by what each has of the question in all and in one sentence; the names of their sources count for both.

    Of equal ones the source that is first stays first; of one source, the claim whose sentence has more by itself, or is shorter.
    Related passages come last, in their order.
    """
    every = [one.terms for reading in readings for one in reading.evidence if one.terms]
    weights = weights_of(question, every)

    def support(claim: ChosenClaim) -> float:
        one, named = claim.evidence, claim.reading.named
        # A passage without a sentence that could answer, such as a question of the source, is not helped by a name.
        held = [one.terms, one.sentence_terms] if one.sentence_terms else []
        return round(sum(_weight(sorted({*terms, *named}), weights) for terms in held), 6)

    def rank(claim: ChosenClaim) -> tuple[float, int, float, int]:
        place = Locator.parse(claim.evidence.sentence or claim.locator)
        own = round(_weight(claim.evidence.sentence_terms, weights), 6)
        return -support(claim), first[claim.reading.document_id], -own, place.end - place.start

    if any(one.evidence.sentence is None for one in claims):
        return list(claims)  # a replayed run of an older version keeps its order
    answers = [one for one in claims if not one.is_related]
    first: dict[str, int] = {}
    for at, one in enumerate(answers):
        first.setdefault(one.reading.document_id, at)
    return [*sorted(answers, key=rank), *(one for one in claims if one.is_related)]


@dataclass(frozen=True, kw_only=True)
class _Scored:
    """A passage with its score; `place` is that of its source, `share` that of the question's terms."""

    score: float
    place: int
    share: float
    reading: SourceReading
    evidence: Evidence
    is_supporting: bool

    @property
    def held(self) -> frozenset[int]:
        """The question's terms that the passage or the name of its source has."""
        return frozenset((*self.evidence.terms, *self.reading.named))

    def rank(self) -> tuple[float, int, str]:
        return -self.score, self.place, self.evidence.locator


def _ranked(question: str, readings: Sequence[SourceReading]) -> list[_Scored]:
    """All passages that have a term of the question, best first."""
    terms = terms_of(question)
    every = [(place, reading, one) for place, reading in enumerate(readings) for one in reading.evidence if one.terms]
    weights = weights_of(question, [one.terms for _, _, one in every])
    strong = strong_places(question)
    total = sum(weights) or 1.0
    scored = []
    for place, reading, one in every:
        own = _weight(one.terms, weights) / total
        share = _weight({*one.terms, *reading.named}, weights) / total
        scored.append(
            _Scored(
                score=_score(share, place, one),
                place=place,
                share=share,
                reading=reading,
                evidence=one,
                is_supporting=(own >= LEAST_SHARE and not (strong and strong.isdisjoint(one.terms)))
                or len(one.terms) == len(terms),
            )
        )
    return sorted(scored, key=_Scored.rank)


def weights_of(question: str, matches: Sequence[Sequence[int]]) -> list[float]:
    """The weight of each term of the question: rare ones and numbers weigh more, weak ones less.

    Args:
        question: the question.
        matches: the terms of each passage.
    """
    terms, weak = terms_of(question), weak_terms(question)
    return [
        weight * (NUMBER_WEIGHT if any(map(str.isdigit, term)) else 1.0) * (WEAK_WEIGHT if term in weak else 1.0)
        for weight, term in zip(term_weights(len(terms), matches), terms, strict=True)
    ]


def _related(
    queries: Sequence[str], terms: Sequence[str], weights: Sequence[float], placed: Sequence[tuple[int, _Scored]]
) -> list[bool]:
    """For each chosen passage whether it has much less of the sub-query that it answers than the best of all has.

    Words in the names of the sources that the question names tell their passages apart from those of others, and not from each other.
    """
    found = []
    for place, one in placed:
        asked = {at for at, term in enumerate(terms) if term in set(terms_of(queries[place]))}
        # The whole question is the first sub-query: what is left for it is compared with what answers its parts.
        rivals = [other for at, other in placed if at == place or place == 0]
        best = max(rivals, key=lambda other: _weight(asked & other.held, weights))
        given = asked.intersection(best.reading.named)
        least = LEAST_GIVEN * _weight(given, weights)
        named = [held for held in (asked.intersection(other.reading.named) for other in rivals) if given]
        rest = asked.difference(*(held for held in named if _weight(held, weights) >= least))
        own = asked.intersection(one.reading.named)
        is_of_another = max(_weight(own, weights), _weight(given & one.held, weights)) < least
        most = max(_weight(rest & other.held, weights) for other in rivals)
        found.append(is_of_another or _weight(rest & one.held, weights) < RELATED_BELOW * most)
    return found


def _shared(
    queries: Sequence[str],
    terms: Sequence[str],
    weights: Sequence[float],
    placed: Sequence[tuple[int, _Scored]],
    found: Sequence[ChosenClaim],
) -> list[ChosenClaim]:
    """For each part of the question without a passage of its own the best one of another part that has what it asks for, too."""
    answered = {one.sub_query for one in found if not one.is_related}
    shared = []
    for part in sorted(set(range(1, len(queries))) - answered):
        asked = {at for at, term in enumerate(terms) if term in set(terms_of(queries[part]))}
        least = LEAST_SHARED * _weight(asked, weights)
        having = [
            claim
            for claim, (_, one) in zip(found, placed, strict=True)
            if not claim.is_related and 0 < least <= _weight(asked.intersection(one.evidence.terms), weights)
        ]
        shared += [replace(claim, sub_query=part) for claim in having[:1]]
    return shared


def _weight(places: Iterable[int], weights: Sequence[float]) -> float:
    return sum(weights[place] for place in places)


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


def _overlaps(first: _Scored, second: _Scored) -> bool:
    if first.reading is not second.reading:
        return False
    # A quotation may go beyond its passage, to the end of a sentence.
    return any(
        a.page == b.page and a.start < b.end and b.start < a.end
        for a, b in product(_places(first.evidence), _places(second.evidence))
    )


def _places(one: Evidence) -> list[Locator]:
    return [Locator.parse(place) for place in dict.fromkeys((one.locator, one.quoted or one.locator))]
