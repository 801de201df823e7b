"""Signs of symbol fonts in the text of a PDF, which have codes of the fonts in place of their Unicode values."""

from __future__ import annotations

import re
from typing import Final

_SIGNS: Final = {
    0xF09F: "\u2022",
    0xF0A7: "\u25aa",
    0xF0A8: "\u2610",
    0xF0B7: "\u2022",
    0xF0D8: "\u27a2",
    0xF0E0: "\u2192",
    0xF0F0: "\u21e8",
    0xF0FB: "\u2717",
    0xF0FC: "\u2713",
    0xF0FD: "\u2612",
    0xF0FE: "\u2611",
}
"""Bullets, boxes, ticks and arrows of Wingdings and Symbol; what the two have at one code is left where both use it in texts."""
_HAS_SIGN: Final = re.compile(f"[{''.join(map(chr, _SIGNS))}]")
_BRACKET: Final = re.compile("[\uf0e6-\uf0ef\uf0f6-\uf0fa]")
"""Parts of tall brackets in Symbol: a text with these has formulas."""
_LONE_BOX: Final = re.compile(r"(?<!\S)\xa8(?!\S)")
"""An empty box of Wingdings as some readers give it: two dots that stand above no letter."""


def with_symbol_signs(text: str) -> str:
    """Return a text with the Unicode values of boxes, ticks, bullets and arrows of symbol fonts."""
    if text.isascii():
        return text
    if _HAS_SIGN.search(text) and not _BRACKET.search(text):
        text = text.translate(_SIGNS)
    return _LONE_BOX.sub("\u2610", text) if "\xa8" in text else text
