"""Which terms of a question a passage has: compared by stems, numbers by their digits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import log

from octavo_digest.scoring import matching_words
from octavo_text.words import query_words, words

_WEAK = re.compile(
    r"\bhow\s+(\w+)|\b(?:what|which)\s+(amount|city|countr(?:y|ies)|date|day|kind|month|number|percentage|person|place|time|type|year)s?\b"
    r"|\b(according|called|describe[ds]?|explain(?:s|ed)?|give[ns]?|mention(?:s|ed)?|name[ds]?|sa(?:y|ys|id)|pa(?:y|ys|id)|tells?|told)\b",
    re.I,
)


def terms_of(question: str) -> tuple[str, ...]:
    """The distinct terms of a question, in order."""
    return query_words(question)


def weak_terms(question: str) -> frozenset[str]:
    """The words of a question that say how it is asked: `high` of *how high*, `say` of *what does it say*."""
    found = {word.lower() for match in _WEAK.finditer(question) for word in match.groups() if word}
    return frozenset(found.intersection(terms_of(question)))


def strong_places(question: str) -> frozenset[int]:
    """The places of the question's terms that are not weak."""
    weak = weak_terms(question)
    return frozenset(place for place, term in enumerate(terms_of(question)) if term not in weak)


def matched_terms(question: str, passages: Sequence[str]) -> list[tuple[int, ...]]:
    """For each passage the places of the question's terms that it has, ascending."""
    terms = terms_of(question)
    held = [words(passage) for passage in passages]
    stems = matching_words(question, [*held, list(terms)])
    place_of: dict[str, int] = {}
    for place, term in enumerate(terms):
        place_of.setdefault(stems.get(term, term), place)
    found = []
    for passage in held:
        here = {place_of[stems[word]] for word in passage if word in stems and stems[word] in place_of}
        found.append(tuple(sorted(here)))
    return found


def term_weights(count: int, matches: Sequence[Sequence[int]]) -> list[float]:
    """Weights of terms, higher for a term that few passages have.

    Args:
        count: number of terms.
        matches: the terms of each passage.
    """
    total = len(matches)
    having = [sum(place in one for one in matches) for place in range(count)]
    return [log(1 + (total - have + 0.5) / (have + 0.5)) if have else 0.0 for have in having]
