"""Splits text into the words by which chunks and queries are compared (DIG-13).

A word is a run of letters and digits with their combining marks, lower-cased. Scripts that write no spaces (Han, kana,
Thai, Lao, Khmer, Burmese) have no such runs; there the words are pairs of neighbouring characters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from .deadline import checkpoint
from .normal_forms import character_ranges, normalised
from .stopwords import STOPWORDS

_ASCII_WORD = re.compile(r"\w+", re.ASCII)
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_RUN = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")

MAX_QUERY_CHARS = 10_000
"""Code points of a query that are compared. Longer queries are no more selective."""


def has_figure(text: str) -> bool:
    """Return whether a text has a digit."""
    return any(map(str.isdigit, text))


def words(text: str) -> list[str]:
    """Return the words of a text, in order."""
    checkpoint()
    lowered = text.lower()
    if "_" in lowered:
        lowered = lowered.replace("_", " ")
    if lowered.isascii():
        return _ASCII_WORD.findall(lowered)
    if _HAS_UNSPACED.search(lowered) is None:
        return _word().findall(lowered)
    found: list[str] = []
    for run in _word().findall(lowered):
        for part in _RUN.findall(run):
            if _HAS_UNSPACED.match(part) is None or len(part) == 1:
                found.append(part)
            else:
                found.extend(part[place : place + 2] for place in range(len(part) - 1))
    return found


def query_words(query: str) -> tuple[str, ...]:
    """Return the distinct words of a query in order of first use, without stopwords."""
    # Fold digits of other scripts and decomposed accents as the canonical text does.
    folded = normalised("NFC", query[:MAX_QUERY_CHARS])
    return tuple(dict.fromkeys(word for word in words(folded) if word not in STOPWORDS))


@cache
def _word() -> re.Pattern[str]:
    """Match letters, digits and combining marks: Python's class of letters has no marks and would split Hindi words."""
    marks = character_ranges([code for code in range(0x300, 0x3100) if unicodedata.category(chr(code)) in ("Mn", "Mc")])
    return re.compile(rf"[\w{marks}]+")
