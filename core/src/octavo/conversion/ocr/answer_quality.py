"""What a recogniser's answer is worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from octavo_contracts import OCRResult, OCRWord

SURE = 0.6
"""From this confidence a word counts as read."""
MIN_SURE_CHARS = 4
"""Fewer sure letters and digits than this are no text: a recogniser sees them in any photograph."""
MIN_SURE_SHARE = 0.2
"""And neither are sure ones among mostly doubtful ones."""
MIN_SHARED = 0.3
"""Below this share of common words two answers contradict each other."""
MIN_LETTERS = 0.5
"""An answer with a smaller share of another one's letters leaves something out."""
MIN_WORDS = 5
"""An answer of fewer words contradicts nothing."""


def is_text(result: OCRResult) -> bool:
    """Whether a page holds text, by what was recognised on it (CNV-10).

    A recogniser gives something for a photograph too: strokes and specks, mostly with low confidence. An answer
    without words but with text is taken at its word: its engine gives no words.
    """
    if not result.words:
        return bool(result.extracted_text.strip())
    sure, every = _letters(result.words, from_confidence=SURE), _letters(result.words, from_confidence=0.0)
    return sure >= MIN_SURE_CHARS and sure >= MIN_SURE_SHARE * every


def better(first: OCRResult | None, second: OCRResult) -> OCRResult:
    """The answer that is surer of more: text before none, then the higher confidence; the first where equal."""
    if first is None or (is_text(second), second.confidence) > (is_text(first), first.confidence):
        return second
    return first


def shared_words(first: OCRResult, second: OCRResult) -> float:
    """The share of words that two answers have in common, of the shorter one's; 1 where either is too short to tell.

    An engine may read a script that it was not made for as another one, and be sure of it. Two engines that do this
    hardly agree.
    """
    one, other = (Counter(_words(result.extracted_text)) for result in (first, second))
    fewer = min(one.total(), other.total())
    return (one & other).total() / fewer if fewer >= MIN_WORDS else 1.0


def share_of_letters(taken: OCRResult, other: OCRResult) -> float:
    """Letters and digits of one answer over those of another.

    An engine may leave out what it has no letters for, and be sure of the rest.
    """
    given, expected = (sum(map(str.isalnum, result.extracted_text)) for result in (taken, other))
    return given / expected if expected else 1.0


def _words(text: str) -> list[str]:
    bare = ("".join(filter(str.isalnum, word)).lower() for word in text.split())
    return [word for word in bare if word]


def _letters(words: Sequence[OCRWord], *, from_confidence: float) -> int:
    return sum(
        sum(map(str.isalnum, word.text))
        for word in words
        if word.confidence >= from_confidence and any(map(str.isalnum, word.text))
    )
