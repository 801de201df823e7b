"""Texts held against each other: the words, the characters, and the order of the words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import Indel, Levenshtein

CAP = 200_000
"""Characters, and words, that are compared at most: the measures of order are quadratic."""

_NO_SPACES = ("zh", "ja", "ko", "th")
_HYPHEN = re.compile(r"(\w)[-\u00ad\u2010]\n\s*(\w)")


def normalised(text: str) -> str:
    """NFKC, words that a line end parts joined, white space collapsed."""
    return " ".join(_HYPHEN.sub(r"\1\2", unicodedata.normalize("NFKC", text)).split())


def words(text: str, *, language: str = "en") -> list[str]:
    """The words of a normalised text; its characters, for a language that puts no spaces between them."""
    if language.startswith(_NO_SPACES):
        return [char for char in text if not char.isspace()]
    return text.split()


def token_f1(truth: Sequence[str], given: Sequence[str]) -> float:
    """F1 of two bags of words; 1 where both are empty."""
    if not truth or not given:
        return float(not truth and not given)
    common = (Counter(truth) & Counter(given)).total()
    return 2 * common / (len(truth) + len(given))


def recall(truth: Sequence[str], given: Sequence[str]) -> float:
    """The share of the true words that were given."""
    return (Counter(truth) & Counter(given)).total() / len(truth) if truth else 1.0


def edit_similarity(truth: str, given: str) -> float:
    """1 less the edit distance of the characters, normalised by the longer text."""
    return float(Levenshtein.normalized_similarity(truth[:CAP], given[:CAP]))


def order_similarity(truth: Sequence[str], given: Sequence[str]) -> float:
    """1 less the normalised indel distance (NID) of two sequences of words: what is missing, added or out of order."""
    return float(Indel.normalized_similarity(truth[:CAP], given[:CAP]))


def shingle_f1(truth: Sequence[str], given: Sequence[str], *, size: int = 4) -> float:
    """F1 of the bags of runs of so many words; of the words themselves where the truth is shorter than a run."""
    if len(truth) < size:
        return token_f1(truth, given)
    return token_f1(_shingles(truth, size), _shingles(given, size))


def _shingles(tokens: Sequence[str], size: int) -> list[str]:
    return [" ".join(tokens[start : start + size]) for start in range(len(tokens) - size + 1)]
