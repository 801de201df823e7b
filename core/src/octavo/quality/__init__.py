"""How good a conversion is, by its own evidence: flags, partial scores, and one score that is calibrated (QLT-1, QLT-3)."""

from __future__ import annotations

from .assess import DEFAULT_THRESHOLDS, FIXED_LAYOUT, QualityThresholds, assess, malformed_share

__all__ = ["DEFAULT_THRESHOLDS", "FIXED_LAYOUT", "QualityThresholds", "assess", "malformed_share"]
