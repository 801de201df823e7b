"""Token estimates without a tokenizer."""

from __future__ import annotations

import re

CHARS_A_TOKEN = 4
"""Rule of thumb for text in Latin letters."""

_DENSE = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
"""Letters of scripts with about one token per letter."""


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: one per Han, kana, Hangul, Thai, Lao, Khmer or Burmese letter, else one per four characters."""
    dense = 0 if text.isascii() else len(_DENSE.findall(text))
    return dense - (dense - len(text)) // CHARS_A_TOKEN


def chars_of_tokens(text: str, tokens: int) -> int:
    """The longest prefix of a text, in characters, within a token budget; at least 1."""
    if estimate_tokens(text) <= tokens:
        return len(text)
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate_tokens(text[:middle]) <= tokens else (low, middle - 1)
    return low
