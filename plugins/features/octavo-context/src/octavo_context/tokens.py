"""Token estimates without a tokenizer.

A text is split into words, numbers, symbols and white space, as the pre-tokenizers of GPT and Claude split it before merging bytes; each
part then counts by kind and length. The tables are means over documents in English, German, French, Spanish, Russian, Chinese
and Japanese, measured with `o200k_base`. For prose and tables of at least a page, estimates are within 10 % of that tokenizer
(`tests/benchmarks/context/token_estimates.py`); source code and long runs of symbols deviate more. Other tokenizers differ by a factor, which the
registry of models has (`ModelCapabilities.token_factor`).
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from itertools import groupby
from typing import Final

_PART: Final = re.compile(
    r"(?P<word>[^\r\n\w]?[^\W\d_]+)|(?P<digits>\d{1,3})|(?P<signs> ?(?:[^\s\w]|_)+[\r\n/]*)|(?P<newline>\s*[\r\n]+)|(?P<space>\s+)"
)

_LOWER: Final[tuple[float, ...]] = (
    1,
    1,
    1,
    1,
    1.01,
    1.02,
    1.1,
    1.07,
    1.12,
    1.16,
    1.29,
    1.32,
    1.4,
    1.55,
    2.1,
    1.9,
    2.8,
    3,
    3.2,
    3.4,
    3.6,
)
_TITLE: Final[tuple[float, ...]] = (
    1,
    1,
    1.01,
    1.01,
    1.06,
    1.13,
    1.16,
    1.3,
    1.42,
    1.55,
    1.52,
    1.73,
    1.7,
    2.2,
    2.5,
    2.9,
    3,
    3.2,
    3.4,
    3.6,
    3.8,
)
_UPPER: Final[tuple[float, ...]] = (
    1,
    1,
    1,
    1.28,
    1.6,
    1.9,
    1.95,
    2,
    2.3,
    2.5,
    2.7,
    2.9,
    3.1,
    3.4,
    3.7,
    4,
    4.2,
    4.5,
    4.8,
    5,
    5.3,
)
_MIXED: Final[tuple[float, ...]] = (
    1,
    1,
    1.6,
    1.84,
    1.9,
    2.2,
    2.3,
    2.4,
    2.75,
    3,
    2.75,
    3,
    3.4,
    3.9,
    4.4,
    4.9,
    5.2,
    5.6,
    6,
    6.3,
    6.6,
)
_ACCENTED: Final[tuple[float, ...]] = (
    1,
    1.3,
    1.3,
    1.3,
    1.35,
    1.43,
    1.54,
    1.56,
    1.63,
    1.68,
    2.06,
    2.17,
    2.3,
    2.3,
    2.6,
    2.9,
    3.1,
    3.4,
    3.7,
    4,
    4.2,
)
_CYRILLIC: Final[tuple[float, ...]] = (
    1,
    1.1,
    1.3,
    1.4,
    1.7,
    1.6,
    2,
    2.1,
    2,
    1.95,
    2.05,
    2.6,
    2.8,
    3.1,
    3.1,
    3.2,
    3.4,
    3.6,
    3.8,
    4,
    4.2,
)
_LONGEST: Final = 20
_IDEOGRAPH, _KANA, _OTHER = 0.82, 0.72, 0.55
"""Tokens per character for scripts without spaces and scripts without a table."""
_GLUED, _AFTER_SIGN = 0.18, 0.75
"""Extra tokens of a word without a preceding space: at the start of a line, or after a bracket or dash."""
_SAME_SIGNS: Final = 32
"""Approximate number of equal symbols in a row that form one token."""


def count_tokens(text: str, *, factor: float = 1.0) -> int:
    """Estimate the tokens of a text.

    Args:
        text: any text.
        factor: tokens of the model's tokenizer per token of `o200k_base`.

    Returns:
        0 for an empty text, else at least 1.
    """
    total = sum(_cost(match.lastgroup or "", match.group()) for match in _PART.finditer(text))
    return math.ceil(total * factor)


def prefix_within(text: str, tokens: int) -> int:
    """The characters from the start of a text that cost no more than so many tokens; at least one of a text that is not empty.

    Whole words are kept, except where the first word alone costs more.

    Args:
        text: any text.
        tokens: most tokens, as `count_tokens` estimates them.
    """
    total, end = 0.0, 0
    for match in _PART.finditer(text):
        total += _cost(match.lastgroup or "", match.group())
        if total > tokens:
            break
        end = match.end()
    else:
        return len(text)
    if end:
        return end
    low, high = 1, match.end()
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count_tokens(text[:middle]) <= tokens else (low, middle - 1)
    return low


@lru_cache(maxsize=65_536)
def _cost(kind: str, part: str) -> float:
    match kind:
        case "word":
            return _word(part)
        case "signs":
            return _signs(part)
        case "newline" | "space":
            return 1 + len(part) // 64
    return 1


def _word(part: str) -> float:
    glued = part[0].isalpha()
    letters = part if glued else part[1:]
    more = _GLUED if glued else 0 if part[0] == " " else _AFTER_SIGN
    if not glued and not part[0].isascii():
        more = 1
    if letters.isascii():
        table = _LOWER
        if not letters.islower():
            table = _UPPER if letters.isupper() and len(letters) > 1 else _TITLE if letters[1:].islower() else _MIXED
        return _of(table, letters) + (more if len(letters) > 2 or not glued else 0)
    return _foreign(letters) + (0 if glued else more)


def _foreign(letters: str) -> float:
    points = [ord(letter) for letter in letters]
    top = max(points)
    if top < 0x250 or 0x1E00 <= top < 0x1F00:
        return _of(_ACCENTED, letters)
    if top < 0x530:
        return _of(_CYRILLIC, letters)
    if top >= 0x2E80:
        kana = sum(0x3040 <= point < 0x3100 for point in points)
        return max(1.0, 0.4 + kana * _KANA + (len(points) - kana) * _IDEOGRAPH)
    return max(1.0, len(points) * _OTHER)


def _of(table: tuple[float, ...], letters: str) -> float:
    long = max(0, len(letters) - _LONGEST)
    return table[min(len(letters), _LONGEST)] + long / 4


def _signs(part: str) -> float:
    signs = part.strip()
    if signs.isascii():
        groups = [len(list(group)) for _, group in groupby(signs)]
        length = sum(1 + count // _SAME_SIGNS for count in groups)
        return max(1.0, length * 0.62) if len(groups) > 1 else float(length)
    return max(1.0, sum(_sign(ord(sign)) for sign in signs))


def _sign(point: int) -> float:
    if point < 0x80:
        return 0.6
    if 0x2010 <= point <= 0x2026 or point < 0x100 or 0x3000 <= point < 0x3020 or 0xFF00 <= point < 0xFF60:
        return 0.9
    return 2.6 if point > 0xFFFF else 1.4
