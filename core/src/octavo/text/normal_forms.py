"""Unicode normal forms in linear time.

Python's `unicodedata.normalize` puts combining marks in their canonical order by insertion, which takes the square of the length
of a run of marks. No language stacks more than a few of them on a letter, but a hostile text may hold a million. Marks of a long run
are therefore put in order here first, by a sort; the result is the same, because both texts are canonically equivalent.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Literal

_Decomposed = Literal["NFD", "NFKD"]

LONG_RUN = 30
"""Marks in a row up to which Python's own way is taken: the limit of Unicode's Stream-Safe Text Format (UAX 15)."""

_FIRST_MARK, _LAST_MARK = 0x300, 0x1FFFF
"""Code points among which Unicode has its combining marks."""


def normalised(form: Literal["NFC", "NFKC"], text: str) -> str:
    """A text in a normal form: what `unicodedata.normalize` gives, in time linear in the text."""
    if text.isascii():
        return text
    apart: _Decomposed = "NFD" if form == "NFC" else "NFKD"
    return unicodedata.normalize(form, _long_run(apart).sub(lambda run: _ordered(run[0], apart), text))


def _ordered(marks: str, form: _Decomposed) -> str:
    """Marks, decomposed, by their combining class; equal ones stay in their order."""
    parts = {mark: unicodedata.normalize(form, mark) for mark in set(marks)}
    return "".join(sorted("".join(parts[mark] for mark in marks), key=unicodedata.combining))


@cache
def _long_run(form: _Decomposed) -> re.Pattern[str]:
    marks = [code for code in range(_FIRST_MARK, _LAST_MARK + 1) if _is_mark(chr(code), form)]
    return re.compile(f"[{character_ranges(marks)}]{{{LONG_RUN + 1},}}")


def character_ranges(codes: Iterable[int]) -> str:
    """The inside of a character class for code points in ascending order, none of which is a sign of regular expressions."""
    parts: list[list[int]] = []
    for code in codes:
        if parts and code == parts[-1][1] + 1:
            parts[-1][1] = code
        else:
            parts.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in parts)


def _is_mark(character: str, form: _Decomposed) -> bool:
    """Whether a character is, once it is decomposed, nothing but marks that are put in order."""
    if unicodedata.combining(character):
        return True
    return bool(unicodedata.decomposition(character)) and all(
        map(unicodedata.combining, unicodedata.normalize(form, character))
    )
