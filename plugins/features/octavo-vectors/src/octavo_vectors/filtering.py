"""Builds the database condition for the rows that a search may return, applied before the neighbour search."""

from __future__ import annotations

from collections.abc import Collection, Iterator

NUMBER = "number"
MOST_RUNS = 200
"""Maximum runs of consecutive numbers written as ranges; above, listing the numbers is cheaper."""


def condition(allowed: Collection[int], known: Collection[int]) -> str | None:
    """Return the shortest condition that selects only the allowed rows; None if all are allowed.

    Args:
        allowed: numbers of the allowed rows, a subset of the known.
        known: numbers of all rows.
    """
    if len(allowed) == len(known):
        return None
    if len(allowed) * 2 <= len(known):
        return _one_of(sorted(allowed))
    return f"NOT ({_one_of(sorted(set(known).difference(allowed)))})"


def _one_of(numbers: list[int]) -> str:
    runs = list(_runs(numbers))
    if len(runs) > MOST_RUNS or len(runs) == len(numbers):
        return f"{NUMBER} IN ({', '.join(map(str, numbers))})"
    return " OR ".join(f"({NUMBER} >= {first} AND {NUMBER} <= {last})" for first, last in runs)


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last number of each run of consecutive numbers; the numbers are sorted."""
    first = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield first, last
            first = number
        last = number
    yield first, last
