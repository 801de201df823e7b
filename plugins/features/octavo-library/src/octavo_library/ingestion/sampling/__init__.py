"""Dual conversion: a second plugin converts the first documents of a profile, for comparison (CNV-4)."""
