"""Patterns of what makes a number one end of a range, or one of two numbers: `$850-950 million`, `12.00 or 15.00`."""

from __future__ import annotations

from typing import Final

RANGE_BEFORE: Final = r"\d[-−–]"
"""Ends directly before the number, or before its currency sign."""
RANGE_BEHIND: Final = r"\s?(?:[-−–/…]|\.{2,3})\s?[$€£¥₹]?\d|\s(?:to|bis|or|oder)\s[$€£¥₹]?\d"
"""Begins directly behind the number."""
