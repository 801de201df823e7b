"""Unicode normal forms in linear time.

Python's `unicodedata.normalize` sorts combining marks into canonical order by insertion, which is quadratic in the
length of a run of marks. No language stacks more than a few marks on a letter, but a hostile text may contain a
million. This module sorts the marks of a long run first; the result is the same, because both texts are canonically
equivalent.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Literal

_Decomposed = Literal["NFD", "NFKD"]

LONG_RUN = 30
"""Longest run of marks that is left to Python: the limit of Unicode's Stream-Safe Text Format (UAX 15)."""

_FIRST_MARK, _LAST_MARK = 0x300, 0x1FFFF
"""Range of code points that contains all combining marks of Unicode."""

_MAY_BE_LONG_RUN = re.compile(rf"[^\w\s\x00-\u02ff]{{{LONG_RUN + 1},}}")
"""A run of signs that are neither letters, digits nor blanks: combining marks are such signs, but for `_MARKS_THAT_ARE_LETTERS`.

It is much cheaper to build than the class of all marks, and few texts have such a run.
"""
_MARKS_THAT_ARE_LETTERS = ("\uff9e", "\uff9f")
"""The halfwidth voiced sound marks of Japanese: letters to Unicode, which decompose into combining marks."""


def normalised(form: Literal["NFC", "NFKC"], text: str) -> str:
    """Normalise a text as `unicodedata.normalize` does, in linear time."""
    if text.isascii():
        return text
    if not any(mark in text for mark in _MARKS_THAT_ARE_LETTERS) and _MAY_BE_LONG_RUN.search(text) is None:
        return unicodedata.normalize(form, text)
    apart: _Decomposed = "NFD" if form == "NFC" else "NFKD"
    return unicodedata.normalize(form, _long_run(apart).sub(lambda run: _ordered(run[0], apart), text))


def _ordered(marks: str, form: _Decomposed) -> str:
    """Decompose marks and sort them by combining class; marks of the same class keep their order."""
    parts = {mark: unicodedata.normalize(form, mark) for mark in set(marks)}
    return "".join(sorted("".join(parts[mark] for mark in marks), key=unicodedata.combining))


@cache
def _long_run(form: _Decomposed) -> re.Pattern[str]:
    marks = [code for code in range(_FIRST_MARK, _LAST_MARK + 1) if _is_mark(chr(code), form)]
    return re.compile(f"[{character_ranges(marks)}]{{{LONG_RUN + 1},}}")


def character_ranges(codes: Iterable[int]) -> str:
    """Build the body of a regex character class from ascending code points; none may be a regex metacharacter."""
    parts: list[list[int]] = []
    for code in codes:
        if parts and code == parts[-1][1] + 1:
            parts[-1][1] = code
        else:
            parts.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in parts)


def _is_mark(character: str, form: _Decomposed) -> bool:
    """Return whether a character decomposes into combining marks only."""
    if unicodedata.combining(character):
        return True
    return bool(unicodedata.decomposition(character)) and all(
        map(unicodedata.combining, unicodedata.normalize(form, character))
    )
