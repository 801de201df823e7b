"""Maximal marginal relevance: selects good items that do not repeat each other (Carbonell and Goldstein 1998)."""

from __future__ import annotations

from collections.abc import Sequence, Set

from octavo_text.deadline import checkpoint

RELEVANCE_SHARE = 0.95
"""Weight of relevance against variety: on the labelled questions of half of the corpus, lower values lost answers."""

NEAR_COPY = 0.9
"""Overlap from which an item repeats another: such items are chosen only when no others are left."""


def overlap(first: Set[str], second: Set[str]) -> float:
    """Overlap of two texts: common words divided by the geometric mean of their sizes, 0..1."""
    if not first or not second:
        return 0.0
    return len(first & second) / float((len(first) * len(second)) ** 0.5)


def choose_varied(
    scores: Sequence[float], bags: Sequence[Set[str]], *, limit: int, relevance_share: float = RELEVANCE_SHARE
) -> list[int]:
    """Return the indices of the chosen items, in order of choice.

    Each step takes the item with the best `share × score / best score − (1 − share) × overlap` with the chosen items. Of
    equal values the earlier item wins; items that nearly repeat a chosen one come last.

    Args:
        scores: relevance, higher is better, at least 0.
        bags: each item's words.
        limit: number of items to choose.
        relevance_share: 1 ignores variety.
    """
    best = max(scores, default=0.0) or 1.0
    left = list(range(len(scores)))
    nearest = [0.0] * len(scores)
    chosen: list[int] = []
    for _ in range(min(limit, len(scores))):
        checkpoint()
        place = max(
            left,
            key=lambda i: (
                nearest[i] < NEAR_COPY or relevance_share == 1,
                relevance_share * scores[i] / best - (1 - relevance_share) * nearest[i],
                -i,
            ),
        )
        chosen.append(place)
        left.remove(place)
        for i in left:
            nearest[i] = max(nearest[i], overlap(bags[i], bags[place]))
    return chosen
