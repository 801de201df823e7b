"""Regular expressions for labels as documents print them."""

from __future__ import annotations

import re
from typing import Final

_LOOSE: Final = r"\s.,\-’'"
"""Signs between two words of a label that documents print or leave out."""

_OF_VALUES: Final = "$€£¥₹-−+("
"""Signs that may begin the value after a label, and so are never taken as the end of the label."""


def label_pattern(label: str) -> re.Pattern[str]:
    """Return a pattern for a label in any case. Its words must all be there; the signs between them may be left out.

    Args:
        label: such as `TOTAL (GST INCL)` or `Invoice #`.
    """
    words = re.findall(r"\w+", label)
    if not words:
        return re.compile(_spaced(label) or r"(?!)")
    *between, last = re.split(r"\w+", label)[1:]
    gaps = (rf"[{_LOOSE}{re.escape(signs)}]{{0,{max(3, len(signs))}}}" for signs in between)
    spelled = re.escape(words[0]) + "".join(gap + re.escape(word) for gap, word in zip(gaps, words[1:], strict=True))
    closing = _spaced(last.rstrip(_OF_VALUES + " "))
    end = rf"(?:\s?{closing})?" if closing else ""
    return re.compile(rf"(?<!\w){spelled}(?!\w){end}\.?", re.IGNORECASE)


def _spaced(signs: str) -> str:
    """Return a pattern for signs with or without white space between them."""
    return r"\s?".join(re.escape(sign) for sign in "".join(signs.split()))
