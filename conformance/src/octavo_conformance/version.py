"""The suite's own version, independent of the contract's: a calendar version, as checks are added over time."""

from __future__ import annotations

SUITE_VERSION = "2026.11"
"""Year and month of the newest check."""
