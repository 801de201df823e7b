"""Extractive summaries without a model: query-biased LexRank, then selection for variety (DIG-18).

Sentences vote for similar ones (Erkan and Radev 2004); a random reader restarts at a sentence that matches the query
(Otterbacher et al. 2005), or, without a query, near the beginning. Every selected sentence is a slice of the source.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from operator import itemgetter, mul

from octavo_contracts import Span, Summary
from octavo_text.canonical import CanonicalText
from octavo_text.deadline import checkpoint
from octavo_text.stopwords import STOPWORDS
from octavo_text.words import query_words, words

from .assembly import MAX_SUMMARY_CHARS
from .scoring import Bm25Scorer
from .sentences import sentence_spans
from .stems import language_of, stem_all
from .variety import choose_varied

METHOD = "extractive"
MAX_SENTENCES = 400
"""Maximum number of voting sentences: the time grows with their pairs, so a longer text uses its most promising ones."""
SHORTEST, LONGEST = 25, 400
"""Length range of a usable sentence, code points: shorter ones are headings and debris, longer ones tables and lists."""
QUERY_BIAS = 0.85
"""Restart probability of the reader, with a query."""
GENERAL_BIAS = 0.3
"""Restart probability without a query; lower, because only the similarity of sentences shows what matters."""
LEAD_FADE = 0.1
"""Decay of the restart probability with a sentence's position, without a query."""
MIN_RESEMBLANCE = 0.05
ROUNDS = 40
SHARE = 5
"""A summary has at most this fraction (1/5) of its source's length, and at most a payload's limit."""
KEY_POINTS = 5
_BULLET = re.compile(r"[•·▪◦‣∙*–-]\s+")
KEY_POINT_CHARS = 280


@dataclass(frozen=True, kw_only=True)
class ExtractiveSummary:
    """Sentences chosen for a query.

    Attributes:
        summary: spans of the summary's sentences, in the order of the text.
        key_points: spans of further important sentences, best first.
    """

    summary: tuple[Span, ...]
    key_points: tuple[Span, ...]


class ExtractiveSummariser:
    """A `Summariser` that quotes; the same text and query give the same summary."""

    def summarise(self, text: str, *, query: str | None = None, max_chars: int = MAX_SUMMARY_CHARS) -> Summary:
        """Summarise a canonical text; an empty query summarises it in general."""
        return self.summarise_text(CanonicalText.from_archive(text), query=query or "", max_chars=max_chars)

    def summarise_text(self, text: CanonicalText, *, query: str, max_chars: int = MAX_SUMMARY_CHARS) -> Summary:
        """Like `summarise`, for a text with known blocks: no sentence then crosses a block boundary."""
        chosen = extract_sentences(text, query, max_chars=max_chars)
        return Summary(
            text=" ".join(span.of(text.text) for span in chosen.summary),
            key_points=tuple(span.of(text.text) for span in chosen.key_points),
            method=METHOD,
            spans=chosen.summary,
        )


def extract_sentences(text: CanonicalText, query: str, *, max_chars: int = MAX_SUMMARY_CHARS) -> ExtractiveSummary:
    """Select the sentences of a summary and of its key points; none is in both.

    Args:
        text: the source.
        query: the query; may be empty.
        max_chars: longest summary, code points; also at most a fifth of the source.
    """
    sentences = [without_bullet(text.text, span) for span in sentence_spans(text)]
    spans = [span for span in sentences if SHORTEST <= span.end - span.start <= LONGEST]
    bags = [words(span.of(text.text)) for span in spans]
    keep, relevance = _promising([span.of(text.text) for span in spans], query)
    spans, bags = [spans[i] for i in keep], [bags[i] for i in keep]
    stems = _stemmed(bags)
    scores = rank_sentences(stems, relevance)
    sets = [frozenset(bag) for bag in stems]
    # Twice as many as needed: some will not fit.
    order = choose_varied(scores, sets, limit=4 * KEY_POINTS + max_chars // SHORTEST // 2, relevance_share=0.7)
    room = min(max_chars, max(len(text.text) // SHARE, SHORTEST))
    taken: list[int] = []
    for place in order:
        size = spans[place].end - spans[place].start + bool(taken)
        if size <= room:
            taken.append(place)
            room -= size
    points: list[int] = []
    points_room = min(KEY_POINTS * KEY_POINT_CHARS, len(text.text) // (2 * SHARE))
    for place in order:
        size = spans[place].end - spans[place].start
        if place not in taken and len(points) < KEY_POINTS and size <= min(KEY_POINT_CHARS, points_room):
            points.append(place)
            points_room -= size
    return ExtractiveSummary(
        summary=tuple(spans[place] for place in sorted(taken)), key_points=tuple(spans[place] for place in points)
    )


def rank_sentences(
    stems: Sequence[Sequence[str]], relevance: Sequence[float], *, bias: float | None = None
) -> list[float]:
    """LexRank: compute the probability that the random reader is at each sentence.

    Args:
        stems: each sentence's stems.
        relevance: relevance of each to the query, at least 0; all 0 means that there is no query.
        bias: restart probability, 0..1; default: `QUERY_BIAS`, or `GENERAL_BIAS` without a query.
    """
    count = len(stems)
    if not count:
        return []
    asked = sum(relevance)
    start = [value / asked for value in relevance] if asked else _lead(count)
    if bias is None:
        bias = QUERY_BIAS if asked else GENERAL_BIAS
    links = _resemblances(stems)
    rank = list(start)
    for _ in range(ROUNDS):
        checkpoint()
        # What each sentence gives to a neighbour per unit of their similarity, which is the same in both directions.
        gives = [(1 - bias) * value / links.totals[place] for place, value in enumerate(rank)]
        new = [
            bias * value + (sum(map(mul, weights, pick(gives))) if pick else (1 - bias) * rank[place])
            for place, (value, pick, weights) in enumerate(zip(start, links.pick, links.weights, strict=True))
        ]
        moved = sum(abs(a - b) for a, b in zip(new, rank, strict=True))
        rank = new
        if moved < 1e-9:
            break
    return rank


def without_bullet(text: str, span: Span) -> Span:
    """Return the span of a sentence without its list marker."""
    match = _BULLET.match(text, span.start, span.end)
    return span if match is None else Span(start=match.end(), end=span.end)


def _lead(count: int) -> list[float]:
    weights = [1 / (1 + LEAD_FADE * place) for place in range(count)]
    total = sum(weights)
    return [weight / total for weight in weights]


@dataclass(frozen=True, kw_only=True)
class _Resemblances:
    """The similar sentences of each sentence; similarity is symmetric.

    Attributes:
        pick: for each sentence a function that picks its neighbours' items of a list; None: it has no neighbour.
        weights: for each sentence the cosines of its neighbours, in the same order.
        totals: for each sentence the sum of its cosines; 1 if it has no neighbour.
    """

    pick: list[Callable[[list[float]], tuple[float, ...]] | None]
    weights: list[list[float]]
    totals: list[float]


def _resemblances(stems: Sequence[Sequence[str]]) -> _Resemblances:
    counts = [Counter(bag) for bag in stems]
    frequency = Counter(stem for bag in counts for stem in bag)
    rarity = {stem: log(1 + len(stems) / sentences) for stem, sentences in frequency.items()}
    near: list[list[int]] = [[] for _ in stems]
    weights: list[list[float]] = [[] for _ in stems]
    # The earlier sentences of each stem, with the stem's share of their vectors, whose length is 1.
    postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for place, count in enumerate(counts):
        checkpoint()
        bag = {stem: n * rarity[stem] for stem, n in count.items()}
        norm = sum(value * value for value in bag.values()) ** 0.5
        cosines = [0.0] * place
        for stem, value in bag.items():
            share = value / norm
            earlier = postings[stem]
            for other, their_share in earlier:
                cosines[other] += share * their_share
            earlier.append((place, share))
        for other, cosine in enumerate(cosines):
            if cosine >= MIN_RESEMBLANCE:
                near[place].append(other)
                weights[place].append(cosine)
                near[other].append(place)
                weights[other].append(cosine)
    return _Resemblances(
        pick=[_picker(row) for row in near], weights=weights, totals=[sum(row) or 1.0 for row in weights]
    )


def _picker(places: list[int]) -> Callable[[list[float]], tuple[float, ...]] | None:
    if len(places) == 1:
        (only,) = places
        return lambda values: (values[only],)
    return itemgetter(*places) if places else None


def _stemmed(bags: Sequence[Sequence[str]]) -> list[list[str]]:
    language = language_of(word for bag in bags for word in bag)
    vocabulary = sorted({word for bag in bags for word in bag} - STOPWORDS)
    stems = dict(zip(vocabulary, stem_all(vocabulary, language=language), strict=True))
    return [[stems[word] for word in bag if word in stems] for bag in bags]


def _promising(sentences: Sequence[str], query: str) -> tuple[list[int], list[float]]:
    """Return at most `MAX_SENTENCES` indices in text order, and the relevance of each."""
    count = len(sentences)
    relevance = Bm25Scorer().raw(query, sentences) if query_words(query) else [0.0] * count
    keep = list(range(count))
    if count > MAX_SENTENCES:
        half = MAX_SENTENCES // 2
        best = sorted(keep, key=lambda i: (-relevance[i], i))[:half]
        spread = [i * count // half for i in range(half)]
        keep = sorted({*best, *spread})
    return keep, [relevance[i] for i in keep]
