"""Reciprocal rank fusion: merges several rankings by rank alone (Cormack, Clarke and Büttcher 2009).

BM25 scores and vector distances have no common scale; their ranks do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

RRF_K = 60
"""The constant of the method: the larger it is, the less the top ranks count above the next ones."""

K = TypeVar("K", int, tuple[int, int])
"""The id of a chunk."""

DEPTH = 100
"""Minimum number of ranks fused from each ranking: an item below it in both cannot rank high."""


def fuse(*rankings: Sequence[K], limit: int) -> list[tuple[K, float]]:
    """Merge rankings; returns ids with their scores, best first; equal scores by id.

    Args:
        rankings: ids, best first.
        limit: maximum number of results.

    Returns:
        Ids with the sums of 1 / (60 + rank), divided by the highest possible sum: 1 for an id that is first in all.
    """
    sums: dict[K, float] = {}
    for ranking in rankings:
        for rank, number in enumerate(ranking, start=1):
            sums[number] = sums.get(number, 0.0) + 1 / (RRF_K + rank)
    best = len(rankings) / (RRF_K + 1)
    ordered = sorted(sums.items(), key=lambda item: (-item[1], item[0]))
    return [(number, total / best) for number, total in ordered[:limit]]
