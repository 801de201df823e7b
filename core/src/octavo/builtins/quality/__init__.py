"""Scores a conversion by its own evidence: partial scores, flags, and expected accuracy (QLT-1, QLT-3)."""
