"""A few places spread over many."""

from __future__ import annotations


def spread_indices(count: int, wanted: int) -> list[int]:
    """Places, from 0, spread over so many: all where they fit, else the first, the last, and evenly between.

    Args:
        count: places in all.
        wanted: how many to give, at least two.
    """
    if count <= wanted:
        return list(range(count))
    return [step * (count - 1) // (wanted - 1) for step in range(wanted)]
