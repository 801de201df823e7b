"""The order of words on a page, by which two readings of the page are compared."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

Form = TypeVar("Form")


def same_order(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the share of the neighbouring words in both texts that stand in the same order, 0..1; 1 if none is in both.

    Bags of words, and of neighbouring words, hardly differ where whole parts of a page changed places. Only pairs of words
    that occur once in each text count: the others have no counterpart. Those in order are the longest rising sequence.

    Args:
        one: the words of a text.
        other: the words of the other text.
    """
    places = _places(other)
    common = [places[pair] for pair in _places(one) if pair in places]
    ends: list[int] = []
    for place in common:
        at = bisect_left(ends, place)
        ends[at : at + 1] = [place]
    return len(ends) / len(common) if common else 1.0


def mean_agreements(readings: Mapping[int, Form], compared: Callable[[Form, Form], float]) -> dict[int, float]:
    """Return for each reading the mean of a comparison with the others, by the keys of the readings; 0 if there are none.

    Args:
        readings: of a page, in the form that is compared.
        compared: measures how far one reading agrees with another, 0..1.
    """
    others = max(1, len(readings) - 1)
    return {
        key: sum(compared(own, other) for at, other in readings.items() if at != key) / others
        for key, own in readings.items()
    }


def _places(words: Sequence[str]) -> dict[tuple[str, str], int]:
    """Return each pair of neighbouring words that occurs once, in order, with its place."""
    found: dict[tuple[str, str], int] = {}
    repeated = set()
    for place, pair in enumerate(pairwise(words)):
        if pair in found:
            repeated.add(pair)
        found[pair] = place
    return {pair: place for pair, place in found.items() if pair not in repeated}
