"""Evenly spaced sample indices."""

from __future__ import annotations


def spread_indices(count: int, wanted: int) -> list[int]:
    """Return at most `wanted` indices below `count`: all if they fit, else the first, the last and evenly spaced ones.

    Args:
        count: number of items.
        wanted: maximum number of indices, at least two.
    """
    if count <= wanted:
        return list(range(count))
    return [step * (count - 1) // (wanted - 1) for step in range(wanted)]
