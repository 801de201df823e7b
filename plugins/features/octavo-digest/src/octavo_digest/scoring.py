"""Scorers that need no model: `keyword/v1` (DIG-13) and `bm25/v1` (DIG-14).

Both answer a question of one query and one source, so neither builds an index: the words of all chunks are gathered once,
and only those that the query asks for are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log, log2

from octavo.text.words import query_words, words
from octavo_contracts import Scorer, UsageError

from .stems import language_of, stem_all

DEFAULT_SCORER = "bm25/v1"
"""The best scorer that needs no model."""

K1 = 1.2
"""How soon repeated words stop counting (Robertson and Walker's usual value)."""
B = 0.75
"""How much a chunk's length counts (the usual value)."""
HALF_SCORE = 6.0
"""The BM25 score that is shown as one half."""


def positional(count: int) -> list[float]:
    """Scores by position alone: the first chunk 1, each later one less (DIG-13)."""
    return [1 - place / count for place in range(count)]


class KeywordScorer:
    """`keyword/v1`: the share of query words found, weighted by how rare they are among the chunks.

    The score is (matched / total) × mean over the matched of 1 / log2(df + 2), so at most 1 / log2(3) = 0.6309. With fewer
    than two query words it goes by position alone.
    """

    name = "keyword/v1"

    def score(self, query: str, chunks: Sequence[str]) -> list[float]:
        """A score a chunk; 0 for a chunk that holds none of the query's words."""
        wanted = query_words(query)
        if len(wanted) < 2:
            return positional(len(chunks))
        asked = frozenset(wanted)
        held = [asked.intersection(words(chunk)) for chunk in chunks]
        weights = {word: 1 / log2(sum(word in words_held for words_held in held) + 2) for word in wanted}
        total = len(wanted)
        # Summed in the query's order: a set's order changes from process to process, and with it the last digit.
        return [
            len(found) / total * (sum(weights[word] for word in wanted if word in found) / len(found)) if found else 0.0
            for found in held
        ]


class Bm25Scorer:
    """`bm25/v1`: Okapi BM25 over stems, shown as s / (s + 6).

    Args:
        k1: how soon repeated words stop counting.
        b: how much a chunk's length counts, 0..1.
    """

    name = "bm25/v1"

    def __init__(self, *, k1: float = K1, b: float = B) -> None:
        self._k1, self._b = k1, b

    def score(self, query: str, chunks: Sequence[str]) -> list[float]:
        """A score a chunk, in [0, 1); 0 for a chunk that holds none of the query's stems."""
        return [raw / (raw + HALF_SCORE) for raw in self.raw(query, chunks)]

    def raw(self, query: str, chunks: Sequence[str]) -> list[float]:
        """The BM25 sums."""
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
    """Which words of some texts a query asks for.

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
    """How often each asked stem stands in a chunk."""
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
"""Name → how to make the scorer; plugins add others as services of the kind `scorer`."""


def scorer_named(name: str) -> Scorer:
    """A scorer of the core.

    Raises:
        UsageError: there is none of this name.
    """
    if name not in SCORERS:
        raise UsageError(
            f"no scorer named {name!r}; there are {', '.join(SCORERS)}",
            remedy="hybrid/v1 comes with: pip install 'octavo-digest[hybrid]'" if name == "hybrid/v1" else None,
        )
    return SCORERS[name]()
