"""Scores a conversion by its own evidence: partial scores, flags, and expected accuracy (QLT-1, QLT-3)."""

from .assess import DEFAULT_THRESHOLDS, FIXED_LAYOUT, QualityThresholds, assess, malformed_share, observed

__all__ = ["DEFAULT_THRESHOLDS", "FIXED_LAYOUT", "QualityThresholds", "assess", "malformed_share", "observed"]
