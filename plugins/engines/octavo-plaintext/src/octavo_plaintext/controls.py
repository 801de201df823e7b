"""Detects characters that make a text display differently from its stored order; they are kept and reported."""

from __future__ import annotations

import re
import unicodedata

from octavo_contracts import ConversionWarning

CODE = "unicode_controls"

# Bidirectional controls, zero-width signs, tag characters; joiners only between Latin letters, for Persian and
# Indic scripts and emoji are written with them.
_SUSPECT = re.compile(
    "[\u202a-\u202e\u2066-\u2069\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f]|(?<=[A-Za-z0-9])[\u200c\u200d](?=[A-Za-z0-9])"
)


def control_warning(text: str, *, page: int | None = None) -> ConversionWarning | None:
    """Return a warning that names the characters, or None if there are none.

    Args:
        text: what a reader will see.
        page: its page, from 1.
    """
    found = sorted({match[0] for match in _SUSPECT.finditer(text)})
    if not found:
        return None
    names = [f"U+{ord(char):04X} {unicodedata.name(char, 'unnamed')}" for char in found[:5]]
    more = f" and {len(found) - 5} more" if len(found) > 5 else ""
    message = f"The text holds characters that reorder or hide what a reader sees: {', '.join(names)}{more}."
    return ConversionWarning(code=CODE, message=message, page=page)
