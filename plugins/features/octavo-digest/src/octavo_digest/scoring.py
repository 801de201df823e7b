"""Scorers that need no model: `keyword/v1` (DIG-13) and `bm25/v1` (DIG-14).

Both rank for one query and one source, so neither builds an index: the words of all chunks are collected once, and only
those of the query are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log, log2

from octavo_contracts import Scorer, UsageError
from octavo_text.words import query_words, words

from .stems import language_of, stem_all

DEFAULT_SCORER = "bm25/v1"
"""The best scorer that needs no model."""

K1 = 1.2
"""Saturation of repeated words (Robertson and Walker's usual value)."""
B = 0.75
"""Weight of a chunk's length (the usual value)."""
HALF_SCORE = 6.0
"""The BM25 score that is normalised to one half."""


def positional(count: int) -> list[float]:
    """Return scores by position alone: 1 for the first chunk, less for each later one (DIG-13)."""
    return [1 - place / count for place in range(count)]


class KeywordScorer:
    """`keyword/v1`: the share of query words found, weighted by how rare they are among the chunks.

    The score is (matched / total) × mean over the matched of 1 / log2(df + 2), so at most 1 / log2(3) = 0.6309. With fewer
    than two query words the position alone decides.
    """

    name = "keyword/v1"

    def score(self, query: str, chunks: Sequence[str]) -> list[float]:
        """Return one score for each chunk; 0 for a chunk without words of the query."""
        wanted = query_words(query)
        if len(wanted) < 2:
            return positional(len(chunks))
        asked = frozenset(wanted)
        held = [asked.intersection(words(chunk)) for chunk in chunks]
        weights = {word: 1 / log2(sum(word in words_held for words_held in held) + 2) for word in wanted}
        total = len(wanted)
        # Summed in the query's order: the order of a set, and so the last digit, differs between processes.
        return [
            len(found) / total * (sum(weights[word] for word in wanted if word in found) / len(found)) if found else 0.0
            for found in held
        ]


class Bm25Scorer:
    """`bm25/v1`: Okapi BM25 over stems, normalised to s / (s + 6).

    Args:
        k1: saturation of repeated words.
        b: weight of a chunk's length, 0..1.
    """

    name = "bm25/v1"

    def __init__(self, *, k1: float = K1, b: float = B) -> None:
        self._k1, self._b = k1, b

    def score(self, query: str, chunks: Sequence[str]) -> list[float]:
        """Return one score for each chunk, in [0, 1); 0 for a chunk without stems of the query."""
        return [raw / (raw + HALF_SCORE) for raw in self.raw(query, chunks)]

    def raw(self, query: str, chunks: Sequence[str]) -> list[float]:
        """Return the BM25 sums."""
        held = [words(chunk) for chunk in chunks]
        surfaces = matching_words(query, held)
        if not surfaces:
            return [0.0] * len(held)
        asked = frozenset(surfaces)
        counts = [_counts(chunk, asked.intersection(chunk), surfaces) for chunk in held]
        average = sum(map(len, held)) / len(held)
        weights = _inverse_frequencies(counts)
        k1, b = self._k1, self._b
        scores = []
        for chunk, found in zip(held, counts, strict=True):
            if not found:
                scores.append(0.0)
                continue
            norm = k1 * (1 - b + b * len(chunk) / average)
            scores.append(sum(weights[stem] * n * (k1 + 1) / (n + norm) for stem, n in sorted(found.items())))
        return scores


def matching_words(query: str, texts: Sequence[Sequence[str]]) -> Mapping[str, str]:
    """Find the words in texts that match a query.

    Args:
        query: the query.
        texts: the texts as words.

    Returns:
        Each word of the texts whose stem the query has → that stem.
    """
    asked = query_words(query)
    if not asked:
        return {}
    vocabulary: set[str] = set()
    vocabulary.update(*texts)
    language = language_of(word for text in texts for word in text)
    stems = frozenset(stem_all(asked, language=language))
    seen = sorted(vocabulary)
    return {word: stem for word, stem in zip(seen, stem_all(seen, language=language), strict=True) if stem in stems}


def _counts(chunk: list[str], present: frozenset[str], stems: Mapping[str, str]) -> dict[str, int]:
    """Count each query stem in a chunk."""
    found: dict[str, int] = {}
    for word in present:
        found[stems[word]] = found.get(stems[word], 0) + chunk.count(word)
    return found


def _inverse_frequencies(counts: Sequence[Mapping[str, int]]) -> dict[str, float]:
    frequency: dict[str, int] = {}
    for found in counts:
        for stem in found:
            frequency[stem] = frequency.get(stem, 0) + 1
    total = len(counts)
    return {stem: log(1 + (total - df + 0.5) / (df + 0.5)) for stem, df in frequency.items()}


SCORERS: Mapping[str, Callable[[], Scorer]] = {
    KeywordScorer.name: KeywordScorer,
    Bm25Scorer.name: Bm25Scorer,
}
"""Name → factory of the scorer; plugins add others as services of the kind `scorer`."""


def scorer_named(name: str) -> Scorer:
    """Return a built-in scorer.

    Raises:
        UsageError: there is no scorer of this name.
    """
    if name not in SCORERS:
        raise UsageError(
            f"unknown scorer {name!r}; the scorers are {', '.join(SCORERS)}",
            remedy="To get hybrid/v1, run: pip install 'octavo-digest[hybrid]'" if name == "hybrid/v1" else None,
        )
    return SCORERS[name]()
