"""Ranks memories for a query by their terms (RET-4)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection
from typing import Final

from octavo_library.storage import Index, MemoryScope

from .terms import stems_of_query

CONFIDENT: Final = 0.5
"""Memories below this confidence are left out unless they are asked for."""

_SATURATION: Final = 1.4


def ranked(
    index: Index,
    query: str,
    *,
    scope: MemoryScope,
    types: Collection[str] | None = None,
    least_confidence: float = CONFIDENT,
) -> list[tuple[str, float]]:
    """Ids of the memories that share a word with the query, best first, each with its score, 0..1.

    A rare word counts more. Rarity is taken from the memories that the asker sees, so that a score tells nothing of others.

    Args:
        index: the library's index.
        query: the query.
        scope: the memories to search.
        types: only these types; None: all.
        least_confidence: least confidence of a memory.
    """
    stems = stems_of_query(query, languages=index.memories.languages(scope=scope))
    every = frozenset().union(*stems.values()) if stems else frozenset()
    uses = index.memories.uses_of(every, scope=scope, types=types, least_confidence=least_confidence)
    total = index.memories.count(scope=scope)
    counts: dict[str, dict[str, int]] = {word: defaultdict(int) for word in stems}
    for use in uses:
        for word, forms in stems.items():
            if use.term in forms:
                counts[word][use.memory_id] += use.uses
    weights = {word: _weight(len(counts[word]), total) for word in stems}
    most = sum(weights.values())
    scores: dict[str, float] = defaultdict(float)
    for word, holding in counts.items():
        for memory_id, count in holding.items():
            scores[memory_id] += weights[word] * count * (_SATURATION + 1) / (count + _SATURATION)
    return [
        (memory_id, min(1.0, score / most))
        for memory_id, score in sorted(scores.items(), key=lambda one: (-one[1], one[0]))
    ]


def _weight(holding: int, total: int) -> float:
    """Inverse document frequency, as in BM25."""
    return math.log(1 + (max(total, holding) - holding + 0.5) / (holding + 0.5))
