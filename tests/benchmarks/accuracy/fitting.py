"""Make the weights of the built-in score from conversions whose accuracy is known."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy
from octavo.builtins.quality.expected import CEILING, LEAST, Weights
from octavo.builtins.quality.loss_signals import losses

from .collect import Row
from .folds import COUNT, fold_of
from .manifest import NOT_RANKED

PRIOR = 2.0
"""What a sign weighs before any data are seen: a half of it about doubles the loss that is expected."""
PRIORS = dict.fromkeys(
    ("fixed_layout", "slides", "xml", "brief", "lists", "headings_lost", "headings_disputed", "parts_lost"), 1.0
)
"""Signs of a kind of document, of which something is lost more often, though nothing is seen to be; and headings and the counted
parts of a source (links, pictures, notes), which count in few truths."""
PULL = 0.1
"""How strongly weights are held to the prior: the sources are few, and free weights do worse on those not seen."""
STEPS, STEP = 600, 0.15
"""Of the descent: it is near the end after a hundred."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One conversion.

    Attributes:
        row: where it comes from.
        losses: what `octavo.builtins.quality.loss_signals` says of it.
        score: what it got by the weights that ship.
        rules: what the partial scores make of it: a score is the product of this and the accuracy to be expected.
    """

    row: Row
    losses: Mapping[str, float]
    score: float
    rules: float

    @property
    def accuracy(self) -> float:
        """How near it is to the truth."""
        return self.row.score.accuracy


def samples(rows: Iterable[Row]) -> list[Sample]:
    """The conversions by plugins and by the router, in the groups that are ranked. A failure has no score to be judged."""
    found = []
    for row in rows:
        reading = row.reading
        if reading.conversion is None or reading.evidence is None or reading.quality is None:
            continue
        if row.document.group in NOT_RANKED:
            continue
        signs = losses(reading.conversion, reading.evidence, recognised=reading.recognised)
        rules = min(1.0, reading.quality / Weights.shipped().expected(signs))
        found.append(Sample(row=row, losses=signs, score=reading.quality, rules=rules))
    return found


def fit(known: Sequence[Sample]) -> Weights:
    """The weights, none below 0, under which the expected accuracy comes nearest to the known one.

    Cross-entropy, held to the prior by the square of the distance. The conversions of one document count as much less
    as there are more of them.
    """
    names = sorted({name for sample in known for name in sample.losses})
    signs = numpy.array([[sample.losses.get(name, 0.0) for name in names] for sample in known])
    accuracy = numpy.array([sample.accuracy for sample in known])
    rules = numpy.array([sample.rules for sample in known])
    counts = Counter(sample.row.document.id for sample in known)
    share = numpy.array([counts[sample.row.document.id] ** -0.5 for sample in known])
    share /= share.sum()
    prior = numpy.array([PRIORS.get(name, PRIOR) for name in names])

    weights = prior
    for _ in range(STEPS):
        kept = 1 / (1 + numpy.exp(signs @ weights - math.log(CEILING / (1 - CEILING))))
        score = numpy.clip(rules * (LEAST + (CEILING - LEAST) * kept / CEILING), 1e-4, 1 - 1e-4)
        slope = rules * (CEILING - LEAST) / CEILING * kept * (1 - kept)
        pushed = share * (accuracy / score - (1 - accuracy) / (1 - score)) * slope
        weights = numpy.maximum(0.0, weights - STEP * (pushed @ signs + 2 * PULL * (weights - prior)))
    return Weights(of={name: round(float(weight), 2) for name, weight in zip(names, weights, strict=True)})


def scored(known: Sequence[Sample], weights: Weights) -> list[float]:
    """The score of each conversion under some weights."""
    return [sample.rules * weights.expected(sample.losses) for sample in known]


def out_of_fold(known: Sequence[Sample]) -> list[float]:
    """The score of each conversion under weights from the other folds; under the shipped ones where it has no fold."""
    folds = [fold_of(sample.row.document) for sample in known]
    found = [sample.score for sample in known]
    for fold in range(COUNT):
        held = [index for index, of in enumerate(folds) if of == fold]
        others = [sample for sample, of in zip(known, folds, strict=True) if of is not None and of != fold]
        if held and others:
            weights = fit(others)
            for index, score in zip(held, scored([known[index] for index in held], weights), strict=True):
                found[index] = score
    return found
