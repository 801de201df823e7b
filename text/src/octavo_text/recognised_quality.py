"""Judges the quality of OCR results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from octavo_contracts import OCRResult, OCRWord

SURE = 0.6
"""Minimum confidence of a word that counts as read."""
MIN_SURE_CHARS = 4
"""Fewer confident letters and digits are not text: OCR finds that many in any photograph."""
MIN_SURE_SHARE = 0.2
"""Minimum share of confident letters among all letters."""
MIN_SHARED = 0.3
"""Below this share of common words two results contradict each other."""
MIN_LETTERS = 0.5
"""A result with a smaller share of another one's letters is incomplete."""
MIN_WORDS = 5
"""A result with fewer words is too short to contradict another one."""


def is_text(result: OCRResult) -> bool:
    """Return whether a page contains text, judged by its OCR result (CNV-10).

    Engines return something for a photograph too: strokes and specks, mostly with low confidence. A result with text
    but without words is accepted: its engine reports no words.
    """
    if not result.words:
        return bool(result.extracted_text.strip())
    sure, every = _letters(result.words, from_confidence=SURE), _letters(result.words, from_confidence=0.0)
    return sure >= MIN_SURE_CHARS and sure >= MIN_SURE_SHARE * every


def better(first: OCRResult | None, second: OCRResult) -> OCRResult:
    """Return the better result: text before no text, then the higher confidence; the first one if equal."""
    if first is None or (is_text(second), second.confidence) > (is_text(first), first.confidence):
        return second
    return first


def shared_words(first: OCRResult, second: OCRResult) -> float:
    """Return the share of common words, relative to the shorter result; 1 if either is too short to compare.

    An engine may misread an unsupported script as another one with high confidence. Two engines that do so hardly
    agree.
    """
    one, other = (Counter(_words(result.extracted_text)) for result in (first, second))
    fewer = min(one.total(), other.total())
    return (one & other).total() / fewer if fewer >= MIN_WORDS else 1.0


def share_of_letters(taken: OCRResult, other: OCRResult) -> float:
    """Return the letters and digits of one result divided by those of another.

    An engine may omit characters of an unsupported script and be confident about the rest.
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
