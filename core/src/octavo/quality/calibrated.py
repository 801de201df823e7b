"""The score that was calibrated: the accuracy to be expected of a conversion with such evidence (QLT-3).

The weights stand in `calibration.json`; `python -m tests.benchmarks.accuracy.calibrate` made them from documents whose
content is known, and says how well they do on documents they have not seen.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, kw_only=True)
class Weight:
    """What one number adds.

    Attributes:
        slope: for each standard deviation above the mean.
        missing: instead, where the number was not assessed.
        mean: of the conversions that the model was made from.
        scale: their standard deviation.
    """

    slope: float
    missing: float
    mean: float
    scale: float

    def of(self, value: float | None) -> float:
        """What a value adds. What lies far outside of anything seen counts as the edge of it."""
        if value is None:
            return self.missing
        return self.slope * max(-3.0, min(3.0, (value - self.mean) / self.scale))


@dataclass(frozen=True, kw_only=True)
class Model:
    """A logistic model over the numbers of `features`.

    Attributes:
        bias: what every conversion has.
        weights: name of a number → what it adds.
    """

    bias: float
    weights: Mapping[str, Weight]

    def score(self, numbers: Mapping[str, float]) -> float:
        """The accuracy to be expected, 0..1."""
        total = self.bias + sum(weight.of(numbers.get(name)) for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))

    def to_json(self) -> str:
        """For the file; four digits, so that the same data give the same bytes anywhere."""
        weights = {
            name: {key: float(f"{value:.4g}") for key, value in asdict(weight).items()}
            for name, weight in self.weights.items()
        }
        return json.dumps({"bias": float(f"{self.bias:.4g}"), "weights": weights}, indent=1) + "\n"


def parse_model(text: str) -> Model:
    """Read what `Model.to_json` wrote."""
    data = json.loads(text)
    return Model(bias=data["bias"], weights={name: Weight(**row) for name, row in data["weights"].items()})


@cache
def shipped_model() -> Model:
    """The model that ships."""
    return parse_model(resources.files(__package__).joinpath("calibration.json").read_text(encoding="utf-8"))
