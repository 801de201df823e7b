"""The suite's own version, apart from the contract's: checks are added by the calendar."""

from __future__ import annotations

SUITE_VERSION = "2026.11"
"""Year and month of the newest check."""
