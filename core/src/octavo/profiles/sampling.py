"""What a profile says of sampling: the table `[sampling]` of its TOML (CNV-4).

[sampling]
documents = 5          the first so many documents of the profile are converted by a second plugin as well
threshold = 0.25       a metric that differs by more than this share flags the rule for review
drift = 0.0            share of the later documents that are sampled again once a plugin's engine has another version

[sampling.pairs]
html = ["trafilatura", "markitdown"]      the second plugin is the first of these that did not convert already
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from octavo_contracts import RoutingType, UsageError

_NUMBERS = {"documents": 0, "threshold": 0.25, "drift": 0.0}


@dataclass(frozen=True, kw_only=True)
class SamplingPlan:
    """How a profile's rules are put to the test.

    Attributes:
        documents: how many documents of the profile are sampled; 0 for none.
        threshold: difference of a metric, 0..1, above which a rule is flagged for review.
        drift: share of later documents, 0..1, sampled again after a change of an engine's version.
        pairs: routing type → plugins to compare, the first one here and not yet at work being the second.
    """

    documents: int = 0
    threshold: float = 0.25
    drift: float = 0.0
    pairs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def is_in_drift_sample(self, raw_hash: str, versions: str) -> bool:
        """Whether a document belongs to the share that is sampled again: always the same answer, no dice.

        Args:
            raw_hash: SHA-256 of the document.
            versions: the engines with their versions: another version draws another sample.
        """
        drawn = int.from_bytes(hashlib.sha256(f"{raw_hash}\0{versions}".encode()).digest()[:8])
        return drawn < self.drift * 2**64


NO_SAMPLING = SamplingPlan()


def parse_plan(table: object, *, origin: str) -> SamplingPlan:
    """Read the table.

    Args:
        table: what TOML gave.
        origin: the profile, for messages.

    Raises:
        UsageError: an unknown key, a value out of range, or a pair that is none.
    """
    if not isinstance(table, dict):
        raise UsageError(f"profile {origin}: sampling is a table")
    if unknown := sorted(set(table) - {*_NUMBERS, "pairs"}):
        raise UsageError(
            f"profile {origin}: [sampling] has {', '.join(unknown)}; expected {', '.join(_NUMBERS)}, pairs"
        )
    documents, threshold, drift = (_number(table, key, origin=origin) for key in _NUMBERS)
    if documents != int(documents):
        raise UsageError(f"profile {origin}: sampling.documents is a whole number")
    return SamplingPlan(
        documents=int(documents), threshold=threshold, drift=drift, pairs=_pairs(table.get("pairs", {}), origin=origin)
    )


def _number(table: dict[str, Any], key: str, *, origin: str) -> float:
    value = table.get(key, _NUMBERS[key])
    most = 1.0 if key != "documents" else float("inf")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise UsageError(
            f"profile {origin}: sampling.{key} is {value!r}; it is a number from 0" + (" to 1" if most == 1 else "")
        )
    return float(value)


def _pairs(table: object, *, origin: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(table, dict):
        raise UsageError(f"profile {origin}: sampling.pairs is a table of lists of plugin names")
    if unknown := sorted(set(table) - {kind.value for kind in RoutingType}):
        raise UsageError(f"profile {origin} has pairs for unknown routing types: {', '.join(unknown)}")
    for kind, names in table.items():
        if not isinstance(names, list) or len(names) < 2 or not all(isinstance(name, str) for name in names):
            raise UsageError(f"profile {origin}: sampling.pairs.{kind} is a list of two or more plugin names")
    return {kind: tuple(names) for kind, names in table.items()}
