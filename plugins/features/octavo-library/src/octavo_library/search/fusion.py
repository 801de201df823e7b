"""Reciprocal rank fusion: one ranking of several, by ranks alone (Cormack, Clarke and Büttcher 2009).

The scores of BM25 and of neighbouring vectors have no common scale; their ranks have.
"""

from __future__ import annotations

from collections.abc import Sequence

RRF_K = 60
"""The method's constant: the larger, the less the very first ranks count above the next."""

DEPTH = 100
"""Ranks of each ranking that are fused, at least: what is further down in both cannot come far up."""


def fuse(*rankings: Sequence[int], limit: int) -> list[tuple[int, float]]:
    """The ids of several rankings in one, with their scores, best first; equal scores by id.

    Args:
        rankings: ids, the best first.
        limit: at most so many.

    Returns:
        Ids with the sums of 1 / (60 + rank), as shares of the best sum that there can be: 1 for the first of all.
    """
    sums: dict[int, float] = {}
    for ranking in rankings:
        for rank, number in enumerate(ranking, start=1):
            sums[number] = sums.get(number, 0.0) + 1 / (RRF_K + rank)
    best = len(rankings) / (RRF_K + 1)
    ordered = sorted(sums.items(), key=lambda item: (-item[1], item[0]))
    return [(number, total / best) for number, total in ordered[:limit]]
