"""Checks the fields of new memories and links."""

from __future__ import annotations

import math
import re
from typing import Final

from .failures import invalid
from .models import MAX_TEXT, TYPE_PATTERN

_UNSAFE: Final = re.compile("[\x00\ud800-\udfff]")


def check_statement_fields(text: str, kind: str, confidence: float) -> None:
    """Check text, type and confidence of a new memory.

    Raises:
        ToolFailure: one of them is invalid.
    """
    if not text.strip() or len(text) > MAX_TEXT or _UNSAFE.search(text):
        raise invalid(
            f"The text of a memory has 1 to {MAX_TEXT} characters, without NUL and lone surrogates",
            remedy="Write one statement",
        )
    if re.fullmatch(TYPE_PATTERN, kind) is None:
        raise invalid(
            f"{kind[:60]!r} is no type of memory", remedy="Use lower-case letters, digits and _, as in key_date"
        )
    check_confidence(confidence)


def check_confidence(confidence: float) -> None:
    """Check a confidence.

    Raises:
        ToolFailure: it is not a number from 0 to 1.
    """
    if not isinstance(confidence, int | float) or not math.isfinite(confidence) or not 0 <= confidence <= 1:
        raise invalid(f"The confidence is {confidence!r}", remedy="Give a number from 0 to 1")
