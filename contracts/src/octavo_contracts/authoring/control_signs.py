"""Codes in the text of a PDF of signs to which a font gives no Unicode value: control characters, and codes of symbol fonts."""

from __future__ import annotations

import re
from typing import Final

from .symbol_signs import with_symbol_signs

CONTROL: Final = "\x00-\x08\x0e-\x1f\x7f-\x9f"
"""Range of the control characters without tabs, line ends and form feeds, which part words, for the character class of a regular expression."""
BULLET: Final = "\u2022"

_FIRST: Final = re.compile(rf"^([^\S\r\n]*)[{CONTROL}](?=[^\S\r\n]+[^\s{CONTROL}])", re.MULTILINE)
_ANY: Final = re.compile(f"[{CONTROL}]")


def with_bullets(text: str) -> str:
    """Return lines with a bullet for a control character that stands before their text: symbol fonts have bullets so."""
    return text if text.isprintable() else _FIRST.sub(rf"\1{BULLET}", text)


def without_control_signs(text: str) -> str:
    """Return a text without its control characters, which no reader shows, and with the Unicode values of symbol fonts' signs.

    Tabs, line ends and form feeds stay.
    """
    return with_symbol_signs(text if text.isprintable() else _ANY.sub("", text))
