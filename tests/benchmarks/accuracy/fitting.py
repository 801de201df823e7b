"""Make the model of the built-in score from conversions whose accuracy is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy
from octavo.quality.calibrated import Model, Weight
from octavo.quality.features import features
from sklearn.linear_model import LogisticRegression

from .collect import Row
from .manifest import NOT_RANKED

STRENGTH = 0.02
"""How much the weights may differ from 0: there are few documents, so not much."""
WORSE = frozenset(
    [
        "empty_pages",
        "figures_outside",
        "furniture",
        "hyphenation",
        "invisible",
        "junk",
        "letters_apart",
        "malformed",
        "mojibake",
        "no_headings",
        "odd_words",
        "repeated",
        "run_together",
        "short_words",
        "tables_invented",
        "tables_lost",
        "warned",
    ]
)
BETTER = frozenset(["ocr_confidence", "ocr_lowest", "yield"])
"""Numbers that can only speak against a conversion, or for it. Where the data seem to say the opposite, it is by chance."""
LEAST = 5
"""A number that was assessed in fewer conversions says nothing."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One conversion.

    Attributes:
        row: where it comes from.
        numbers: what `octavo.quality.features` says of it.
        accuracy: how near it is to the truth.
        weight: how much it counts: a kind with many conversions does not count as much more.
    """

    row: Row
    numbers: Mapping[str, float]
    accuracy: float
    weight: float


def samples(rows: Iterable[Row]) -> list[Sample]:
    """The conversions by plugins, in the groups that are ranked. A failure has no score that could be judged."""
    kept = []
    for row in rows:
        reading = row.reading
        if reading.conversion is None or reading.evidence is None or row.document.group in NOT_RANKED:
            continue
        numbers = features(
            reading.conversion,
            reading.evidence,
            classification=reading.classification,
            recognised=reading.recognised,
        )
        kept.append((row, numbers))
    counts = Counter(row.document.kind for row, _ in kept)
    return [
        Sample(row=row, numbers=numbers, accuracy=row.score.accuracy, weight=counts[row.document.kind] ** -0.5)
        for row, numbers in kept
    ]


def fit(known: Sequence[Sample]) -> Model:
    """A logistic regression of the accuracy on the numbers: the score is the accuracy to be expected.

    Each conversion counts as a right one by its accuracy and as a wrong one by the rest.
    """
    counts = Counter(name for sample in known for name in sample.numbers)
    names = sorted(name for name, count in counts.items() if count >= LEAST)
    while True:
        model = _fit(known, names)
        senseless = {name for name in names if _is_senseless(name, model.weights[name].slope)}
        if not senseless:
            return model
        names = [name for name in names if name not in senseless]


def _is_senseless(name: str, slope: float) -> bool:
    return (name in WORSE and slope > 0) or (name in BETTER and slope < 0)


def _fit(known: Sequence[Sample], names: Sequence[str]) -> Model:
    columns = {name: numpy.array([sample.numbers.get(name, numpy.nan) for sample in known]) for name in names}
    means = {name: float(numpy.nanmean(column)) for name, column in columns.items()}
    scales = {name: float(numpy.nanstd(column)) or 1.0 for name, column in columns.items()}
    matrix = numpy.column_stack(
        [_standard(columns[name], means[name], scales[name]) for name in names]
        + [numpy.isnan(columns[name]).astype(float) for name in names]
    )
    accuracy = numpy.array([sample.accuracy for sample in known])
    weight = numpy.array([sample.weight for sample in known])
    regression = LogisticRegression(C=STRENGTH * len(known), max_iter=2000)
    regression.fit(
        numpy.vstack([matrix, matrix]),
        numpy.concatenate([numpy.ones(len(known)), numpy.zeros(len(known))]),
        sample_weight=numpy.concatenate([weight * accuracy, weight * (1 - accuracy)]) / weight.mean(),
    )
    slopes = [float(value) for value in regression.coef_[0]]
    return Model(
        bias=float(regression.intercept_[0]),
        weights={
            name: Weight(slope=slopes[index], missing=slopes[len(names) + index], mean=means[name], scale=scales[name])
            for index, name in enumerate(names)
        },
    )


def _standard(
    column: numpy.ndarray[tuple[int], numpy.dtype[numpy.float64]], mean: float, scale: float
) -> numpy.ndarray[tuple[int], numpy.dtype[numpy.float64]]:
    return numpy.nan_to_num((column - mean) / scale, nan=0.0)
