"""Which rows a search may give, as a condition of the database: in force before the neighbours are looked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator

NUMBER = "number"
MOST_RUNS = 200
"""Runs of neighbouring numbers that are written as ranges; above, the numbers are listed, which costs less then."""


def condition(allowed: Collection[int], known: Collection[int]) -> str | None:
    """A condition that is true of the allowed rows alone, in its shortest form; None where all are allowed.

    Args:
        allowed: numbers of rows, all of them among the known.
        known: numbers of all the rows that there are.
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
    """First and last of each run of neighbouring numbers; the numbers are in order."""
    first = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield first, last
            first = number
        last = number
    yield first, last
