"""How much time or money a run will come to, as a band: from below to above what is likely (ENG-16)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt
from statistics import fmean, variance
from typing import NamedTuple

LEAST = 5
"""Fewer samples than this say too little for a band."""


class Estimate(NamedTuple):
    """From the low end to the high end. Equal where it is measured and not estimated."""

    low: float
    high: float


def total_of(samples: Sequence[float], *, more: int) -> Estimate | None:
    """What all documents come to, those that are done and those that are not.

    The rest is the sum of `more` draws from what was seen. Its standard error has two parts, as in every prediction:
    the spread of the draws themselves, and that of the mean they are drawn around. The band is two of them to each
    side: about 19 times out of 20 where documents come in no order of size.

    Args:
        samples: what each finished document came to.
        more: how many are not done.

    Returns:
        None where there are too few samples to say.
    """
    spent = sum(samples)
    if not more:
        return Estimate(spent, spent)
    if len(samples) < LEAST:
        return None
    rest = more * fmean(samples)
    error = sqrt(variance(samples) * (more + more**2 / len(samples)))
    return Estimate(spent + max(0.0, rest - 2 * error), spent + rest + 2 * error)


def intervals(moments: Sequence[float]) -> list[float]:
    """What lies between neighbours: the time that each document added to the run, whoever worked beside it."""
    return [after - before for before, after in pairwise(moments)]
