"""Finds evidence: passages of a source for a query, as exact slices with locators (DIG-12 … DIG-15)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import isfinite
from numbers import Real

from octavo_contracts import ContractViolation, EvidenceSnippet, Locator, Scorer, Span
from octavo_text.canonical import CanonicalText
from octavo_text.chunking import DEFAULT_CHUNKING, ChunkingConfig, chunk_spans
from octavo_text.words import query_words, words

from .scoring import KeywordScorer, matching_words, positional
from .sentences import sentence_spans, trimmed
from .variety import choose_varied

CANDIDATES = 4
"""Number of candidate chunks for the choice by variety, as a multiple of the wanted snippets."""
HEADING_CHARS = 90
"""A block of at most this many code points, including the following space, that ends no sentence is a heading."""
SCORE_DIGITS = 6


@dataclass(frozen=True, kw_only=True)
class EvidenceSettings:
    """Settings for evidence. Sizes are in code points.

    Attributes:
        max_snippets: maximum number of snippets, 0..10.
        max_chars: longest snippet, 1..500.
        chunking: chunking config.
    """

    max_snippets: int = 5
    max_chars: int = 400
    chunking: ChunkingConfig = field(default_factory=lambda: DEFAULT_CHUNKING)

    def __post_init__(self) -> None:
        if not 0 <= self.max_snippets <= 10:
            raise ValueError(f"max_snippets must be 0 to 10, got {self.max_snippets}")
        if not 1 <= self.max_chars <= 500:
            raise ValueError(f"max_chars must be 1 to 500, got {self.max_chars}")


DEFAULT_EVIDENCE = EvidenceSettings()


def find_evidence(
    text: CanonicalText, query: str, *, scorer: Scorer, settings: EvidenceSettings = DEFAULT_EVIDENCE
) -> tuple[EvidenceSnippet, ...]:
    """Return the best passages, best first; equal inputs give equal snippets, order and scores.

    Args:
        text: the source.
        query: the query.
        scorer: scorer that ranks passages.
        settings: number and length of the snippets.

    Raises:
        ContractViolation: the scorer did not return one finite number for each passage.
    """
    if not settings.max_snippets:
        return ()
    chunks = [span for span in chunk_spans(text, settings.chunking) if not text.text[span.start : span.end].isspace()]
    if not chunks:
        return ()
    bodies = [span.of(text.text) for span in chunks]
    scores = _checked(scorer.score(query, bodies), count=len(bodies), scorer=scorer.name)
    by_place = scorer.name == KeywordScorer.name
    if not by_place and len(query_words(query)) < 2 and not any(score > 0 for score in scores):
        # Nothing to compare with: beginning, headings and end are the most informative parts of a text.
        by_place, scores = True, _by_outline(text, chunks)
    ranked = sorted(
        (place for place, score in enumerate(scores) if score > 0), key=lambda place: (-scores[place], place)
    )
    if not by_place:
        ranked = _varied(ranked[: CANDIDATES * settings.max_snippets], scores, bodies, settings.max_snippets)
    snippets = [
        (round(min(scores[place], 1.0), SCORE_DIGITS), _within(text, chunks[place], query, settings.max_chars))
        for place in ranked[: settings.max_snippets]
    ]
    # Ranking used the full scores; snippets whose scores round to the same value are in text order.
    snippets.sort(key=lambda item: (-item[0], item[1].start))
    return tuple(
        EvidenceSnippet(text=span.of(text.text), locator=str(locate(text, span)), relevance_score=score)
        for score, span in snippets
    )


def _checked(scores: object, *, count: int, scorer: str) -> list[float]:
    """Check the return value of a scorer, which may be a plugin's: NaN would rank passages at random."""
    if isinstance(scores, str | bytes) or not isinstance(scores, Iterable):
        raise ContractViolation(f"the scorer {scorer} returned {type(scores).__name__}, not a list of numbers")
    found = list(scores)
    if len(found) != count:
        raise ContractViolation(f"the scorer {scorer} returned {len(found)} scores for {count} passages")
    for score in found:
        if not isinstance(score, Real) or not isfinite(score):
            shown = repr(score) if isinstance(score, float) else type(score).__name__
            raise ContractViolation(f"the scorer {scorer} returned {shown} as a score, not a finite number")
    return [float(score) for score in found]


def locate(text: CanonicalText, span: Span) -> Locator:
    """Return the locator of a span, relative to its page if the text has pages, else to the text (DIG-3, R-2)."""
    if not text.paginated:
        return Locator(start=span.start, end=span.end)
    page = bisect_right([page.start for page in text.pages], span.start)
    start = text.pages[page - 1].start
    return Locator(page=page, start=span.start - start, end=span.end - start)


def _by_outline(text: CanonicalText, chunks: Sequence[Span]) -> list[float]:
    """Score chunks by position in the outline: the beginning, the end, chunks with a heading, the others.

    If no structure is known, by position alone.
    """
    if not text.breaks:
        return positional(len(chunks))
    headed = {bisect_right(chunks, place, key=lambda span: span.start) - 1 for place in _headings(text)}
    order = list(dict.fromkeys([0, len(chunks) - 1, *sorted(headed), *range(len(chunks))]))
    scores = dict(zip(order, positional(len(order)), strict=True))
    return [scores[place] for place in range(len(chunks))]


def _headings(text: CanonicalText) -> list[int]:
    """Return the starts of short blocks that end no sentence; the first block is skipped, being the beginning anyway."""
    edges = [*text.breaks, len(text.text)]
    return [
        start
        for start, end in pairwise(edges)
        if end - start <= HEADING_CHARS and text.text[start:end].rstrip()[-1:] not in ".!?…。！？"
    ]


def _varied(ranked: list[int], scores: Sequence[float], bodies: Sequence[str], limit: int) -> list[int]:
    bags = [frozenset(words(bodies[place])) for place in ranked]
    return [ranked[i] for i in choose_varied([scores[place] for place in ranked], bags, limit=limit)]


def _within(text: CanonicalText, chunk: Span, query: str, max_chars: int) -> Span:
    """Return the trimmed part of a chunk, at most `max_chars` long, that matches the query best (R-7)."""
    whole = trimmed(text.text, chunk.start, chunk.end)
    if whole.end - whole.start <= max_chars:
        return whole
    body = CanonicalText(whole.of(text.text), (Span(start=0, end=whole.end - whole.start),))
    starts = [span.start for span in sentence_spans(body)]
    spans = [_slice_from(body, start, max_chars) for start in starts]
    held = [words(span.of(body.text)) for span in spans]
    stems = matching_words(query, held)
    answered = [len({stems[word] for word in part if word in stems}) for part in held]
    best = max(range(len(spans)), key=lambda i: (answered[i], answered[i] and spans[i].end - spans[i].start, -i))
    return Span(start=whole.start + spans[best].start, end=whole.start + spans[best].end)


def _slice_from(body: CanonicalText, start: int, max_chars: int) -> Span:
    """Return the longest slice from a position that ends at a chunking boundary."""
    length = len(body.text)
    if length - start <= max_chars:
        return trimmed(body.text, start, length)
    sizes = ChunkingConfig(version="slice", target=max_chars, maximum=max_chars, minimum=max(1, max_chars // 2))
    # Append a non-boundary, so that chunking does not move this boundary to avoid a short tail.
    rest = body.text[start : start + max_chars] + "x" * sizes.minimum
    first = chunk_spans(CanonicalText(rest, (Span(start=0, end=len(rest)),)), sizes)[0]
    return trimmed(body.text, start, start + first.end)
