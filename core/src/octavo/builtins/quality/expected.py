"""The accuracy to be expected of a conversion with such signs of loss (QLT-3).

The weights stand in `weights.json`; `python -m tests.benchmarks.accuracy.calibrate` makes them from documents whose content is
known, and says how well they do on documents that they were not made from.
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
"""What is expected of a conversion without any sign of loss: no evidence proves that nothing was lost."""

LEAST = 0.3
"""What is expected however many signs there are: they say what structure is lost, and most of a text may well be there. That
a text itself is lost is said by the partial scores, which this is multiplied by."""


@dataclass(frozen=True, kw_only=True)
class Weights:
    """How much each sign of loss speaks against a conversion.

    Attributes:
        of: name of a sign → its weight, 0 or more: a sign of loss never speaks for a conversion.
    """

    of: Mapping[str, float]

    @classmethod
    @cache
    def shipped(cls) -> Self:
        """The weights that ship."""
        return cls(of=json.loads(resources.files(__package__).joinpath("weights.json").read_text(encoding="utf-8")))

    def expected(self, losses: Mapping[str, float]) -> float:
        """The accuracy to be expected, from `LEAST` to `CEILING`; a sign that was not assessed takes nothing away.

        Logistic in the weighted sum of the signs.
        """
        against = sum(weight * losses.get(name, 0.0) for name, weight in self.of.items())
        share = 1 / (1 + math.exp(against - math.log(CEILING / (1 - CEILING))))
        return LEAST + (CEILING - LEAST) * share / CEILING

    def to_json(self) -> str:
        """For the file; the same data give the same bytes."""
        return json.dumps(dict(sorted(self.of.items())), indent=1) + "\n"
