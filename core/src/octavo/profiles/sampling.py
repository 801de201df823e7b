"""Reads the table `[sampling]` of a profile: when documents are converted by a second plugin for comparison (CNV-4).

[sampling]
documents = 5          number of documents at the start that a second plugin converts as well
threshold = 0.25       a metric that differs by more than this share flags the rule for review
drift = 0.0            share of later documents that are sampled again after a plugin's engine changed its version

[sampling.pairs]
html = ["trafilatura", "markitdown"]      the second plugin is the first of these that did not convert the document
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
    """How a profile's rules are tested.

    Attributes:
        documents: number of documents of the profile that are sampled; 0 for none.
        threshold: difference of a metric, 0..1, above which a rule is flagged for review.
        drift: share of later documents, 0..1, sampled again after a change of an engine's version.
        pairs: routing type → plugins to compare; the first one that is installed and did not convert is the second.
    """

    documents: int = 0
    threshold: float = 0.25
    drift: float = 0.0
    pairs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def is_in_drift_sample(self, raw_hash: str, versions: str) -> bool:
        """Return whether a document belongs to the drift sample. The choice is deterministic, by hash.

        Args:
            raw_hash: SHA-256 of the document.
            versions: the engines with their versions; a new version draws another sample.
        """
        drawn = int.from_bytes(hashlib.sha256(f"{raw_hash}\0{versions}".encode()).digest()[:8])
        return drawn < self.drift * 2**64


NO_SAMPLING = SamplingPlan()


def parse_plan(table: object, *, origin: str) -> SamplingPlan:
    """Read the table.

    Args:
        table: the parsed TOML value.
        origin: the profile, for messages.

    Raises:
        UsageError: an unknown key, a value out of range, or an invalid pair.
    """
    if not isinstance(table, dict):
        raise UsageError(f"profile {origin}: sampling must be a table")
    if unknown := sorted(set(table) - {*_NUMBERS, "pairs"}):
        raise UsageError(
            f"profile {origin}: [sampling] has {', '.join(unknown)}; expected {', '.join(_NUMBERS)}, pairs"
        )
    documents, threshold, drift = (_number(table, key, origin=origin) for key in _NUMBERS)
    if documents != int(documents):
        raise UsageError(f"profile {origin}: sampling.documents must be a whole number")
    return SamplingPlan(
        documents=int(documents), threshold=threshold, drift=drift, pairs=_pairs(table.get("pairs", {}), origin=origin)
    )


def _number(table: dict[str, Any], key: str, *, origin: str) -> float:
    value = table.get(key, _NUMBERS[key])
    most = 1.0 if key != "documents" else float("inf")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise UsageError(
            f"profile {origin}: sampling.{key} must be a number from 0{' to 1' if most == 1 else ''}, got {value!r}"
        )
    return float(value)


def _pairs(table: object, *, origin: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(table, dict):
        raise UsageError(f"profile {origin}: sampling.pairs must be a table of lists of plugin names")
    if unknown := sorted(set(table) - {kind.value for kind in RoutingType}):
        raise UsageError(f"profile {origin} has pairs for unknown routing types: {', '.join(unknown)}")
    for kind, names in table.items():
        if not isinstance(names, list) or len(names) < 2 or not all(isinstance(name, str) for name in names):
            raise UsageError(f"profile {origin}: sampling.pairs.{kind} must be a list of two or more plugin names")
    return {kind: tuple(names) for kind, names in table.items()}
