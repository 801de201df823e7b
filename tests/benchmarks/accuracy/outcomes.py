"""Bad input: it ended in time and within its memory, said what it had to, and passed nothing on that it must not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .reading import Reading
from .words import normalised

_FLAGS = {
    "hidden text": {"hidden_text"},
    "encrypted": {"encrypted"},
    "type mismatch": {"type_mismatch"},
}
"""How manifests call what must be flagged → the flags that say so."""


def outcome_score(truth: Mapping[str, Any], reading: Reading) -> float:
    """1 where the outcome is one of those allowed, else 0."""
    if reading.status == "unsupported":
        return 0.0
    if "allowed_status" not in truth:
        return float(reading.status != "error" and (len(reading.text.strip()) == 0 or bool(truth.get("text"))))
    if "blocks" in truth:  # a list of addresses is for the fetcher to judge: no converter is asked
        return float(reading.status in truth["allowed_status"])
    text = normalised(reading.text)
    return float(
        reading.status in truth["allowed_status"]
        and reading.seconds <= truth["max_seconds"]
        and reading.peak_rss_mb <= truth["max_rss_mb"]
        and all(normalised(one) in text for one in truth["must_include"])
        and not any(one and normalised(one) in text for one in truth["must_not_include"])
    )


def wanted_flag(truth: Mapping[str, Any]) -> frozenset[str]:
    """The flags any of which says what the truth wants said; empty where it wants nothing, or nothing there is a flag for."""
    return frozenset(_FLAGS.get(str(truth.get("should_flag", "")), ()))
