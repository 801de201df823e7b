"""Computes the expected accuracy of a conversion from its signs of loss (QLT-3).

The weights are in `weights.json`; `python -m tests.benchmarks.accuracy.calibrate` computes them from documents with
known content, and reports their accuracy on other documents.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Self

CEILING = 0.97
"""Expected accuracy of a conversion without any sign of loss: no evidence proves that nothing was lost."""

LEAST = 0.3
"""Minimum expected accuracy, whatever the signs.

The signs concern lost structure; most of the text may still be there. Lost text lowers the partial scores, which are
multiplied by this value.
"""


@dataclass(frozen=True, kw_only=True)
class Weights:
    """Weights of the signs of loss.

    Attributes:
        of: name of a sign → its weight, 0 or more: a sign of loss never raises the expected accuracy.
    """

    of: Mapping[str, float]

    @classmethod
    @cache
    def shipped(cls) -> Self:
        """Load the shipped weights."""
        return cls(of=json.loads(resources.files(__package__).joinpath("weights.json").read_text(encoding="utf-8")))

    def expected(self, losses: Mapping[str, float]) -> float:
        """Return the expected accuracy, from `LEAST` to `CEILING`; signs that were not assessed are ignored.

        It is logistic in the weighted sum of the signs.
        """
        against = sum(weight * losses.get(name, 0.0) for name, weight in self.of.items())
        share = 1 / (1 + math.exp(against - math.log(CEILING / (1 - CEILING))))
        return LEAST + (CEILING - LEAST) * share / CEILING

    def to_json(self) -> str:
        """Serialise the weights for the file; equal data give equal bytes."""
        return json.dumps(dict(sorted(self.of.items())), indent=1) + "\n"
