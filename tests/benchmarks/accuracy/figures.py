"""Means over kinds, the oracle, and how sure the difference between the router and an engine is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy

from .collect import Row
from .manifest import NOT_RANKED, group_of

ROUNDS = 2000
"""Samples of the bootstrap."""
SEED = 20261122

Accuracies = Mapping[str, float]
"""Document id → accuracy."""


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What an engine, the router or the oracle reaches.

    Attributes:
        mean: the mean of the kinds, those of the groups that stand apart left out.
        by_kind: the mean of the documents of each kind.
        by_group: the mean of the kinds of each group.
    """

    mean: float
    by_kind: dict[str, float]
    by_group: dict[str, float]


def accuracies(rows: Iterable[Row]) -> dict[str, float]:
    """The accuracy of each document; 0 for a failure."""
    return {row.document.id: row.score.accuracy for row in rows}


def figures(found: Accuracies, kinds: Mapping[str, str]) -> Figures:
    """Means of accuracies.

    Args:
        found: of every document.
        kinds: the kind of each document.
    """
    by_kind = _means((kinds[name], value) for name, value in found.items())
    by_group = _means((group_of(kind), value) for kind, value in by_kind.items())
    ranked = [value for kind, value in by_kind.items() if group_of(kind) not in NOT_RANKED]
    return Figures(mean=_mean(ranked), by_kind=by_kind, by_group=by_group)


def oracle(engines: Iterable[Accuracies]) -> dict[str, float]:
    """The best accuracy that any engine reached for each document."""
    best: dict[str, float] = {}
    for found in engines:
        for name, value in found.items():
            best[name] = max(value, best.get(name, 0.0))
    return best


def gap_closed(*, router: float, single: float, oracle: float) -> float | None:
    """How much of the way from the best single engine to the oracle a router goes; None where there is no way to go."""
    return (router - single) / (oracle - single) if oracle - single > 1e-9 else None


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A difference with its 95 % interval."""

    difference: float
    low: float
    high: float

    @property
    def at_least_equal(self) -> bool:
        """Whether the interval reaches zero or above."""
        return self.high >= 0


def paired_interval(one: Accuracies, other: Accuracies, kinds: Mapping[str, str]) -> Interval:
    """The difference of two means over kinds on the same documents, by a paired bootstrap within each kind.

    Args:
        one: accuracies of every document.
        other: those it is compared with.
        kinds: the kind of each document that is to count.
    """
    differences: dict[str, list[float]] = defaultdict(list)
    for name, kind in sorted(kinds.items()):
        differences[kind].append(one[name] - other[name])
    random = numpy.random.default_rng(SEED)
    sampled = numpy.zeros(ROUNDS)
    for values in differences.values():
        drawn = random.integers(0, len(values), size=(ROUNDS, len(values)))
        sampled += numpy.asarray(values)[drawn].mean(axis=1)
    sampled /= max(1, len(differences))
    low, high = numpy.percentile(sampled, [2.5, 97.5])
    mean = _mean([_mean(values) for values in differences.values()])
    return Interval(difference=mean, low=float(low), high=float(high))


def in_group(kinds: Mapping[str, str], group: str) -> dict[str, str]:
    """The documents of a group, or of all ranked groups for the name `all`."""
    if group == "all":
        return {name: kind for name, kind in kinds.items() if group_of(kind) not in NOT_RANKED}
    return {name: kind for name, kind in kinds.items() if group_of(kind) == group}


def _means(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    gathered: dict[str, list[float]] = defaultdict(list)
    for name, value in pairs:
        gathered[name].append(value)
    return {name: _mean(values) for name, values in sorted(gathered.items())}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
