"""Claims of different sources that give different values for the same asked thing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from .claim_selection import ChosenClaim
from .differing_values import Values, differ, is_value_asked, values_of
from .matches import terms_of, weak_terms

LEAST_SAME, LEAST_OWN = 0.7, 0.5
"""Shares of the words of a question that two sentences, with the names of their sources and without, share at least."""


def differing_claims(
    question: str,
    queries: Sequence[str],
    claims: Sequence[ChosenClaim],
    sentence_of: Callable[[ChosenClaim], str | None],
) -> list[list[int]]:
    """Groups of claims, by their places, of which the first differs from each other one.

    Args:
        question: the question.
        queries: the sub-queries.
        claims: the claims, best first.
        sentence_of: returns the text of the best sentence of a claim, or None.
    """
    groups: list[list[int]] = []
    taken: set[int] = set()

    @cache
    def values_at(place: int) -> Values | None:
        sentence = sentence_of(claims[place])
        return values_of(sentence, question) if sentence is not None else None

    for first, one in enumerate(claims):
        query = queries[one.sub_query]
        if first in taken or one.is_related or not is_value_asked(query):
            continue
        group = [first]
        for second in range(first + 1, len(claims)):
            other = claims[second]
            documents = {claims[place].reading.document_id for place in group}
            if (
                second in taken
                or other.is_related
                or other.sub_query != one.sub_query
                or other.reading.document_id in documents
                or not _is_same_asked(question, query, one, other)
            ):
                continue
            values_first, values_second = values_at(first), values_at(second)
            if values_first is not None and values_second is not None and differ(values_first, values_second, query):
                group.append(second)
        if len(group) > 1:
            groups.append(group)
            taken.update(group)
    return groups


def _is_same_asked(question: str, query: str, first: ChosenClaim, second: ChosenClaim) -> bool:
    """Whether the best sentences of two claims say the same of what is asked; numbers of the question tell things apart."""
    terms, weak = terms_of(question), weak_terms(question)
    wanted = set(terms_of(query)) - weak
    asked = {place for place, term in enumerate(terms) if term in wanted}
    own = asked.intersection(first.evidence.sentence_terms, second.evidence.sentence_terms)
    same = asked.intersection(*({*one.evidence.sentence_terms, *one.reading.named} for one in (first, second)))
    numbers = {place for place in asked if any(map(str.isdigit, terms[place]))}
    return numbers <= same and 0 < LEAST_OWN * len(asked) <= len(own) and LEAST_SAME * len(asked) <= len(same)
