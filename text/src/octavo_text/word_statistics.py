"""Word statistics for signs of loss: the words of a text, and the overlap of two texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence

MIN_WORDS = 10
"""Texts with fewer words are not judged."""
_GREEK_TEXT = 5
"""A text with at least this many Greek words is Greek."""

_WORD = re.compile(r"[^\W_]+")
_NO_SPACES = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_BROKEN = re.compile("([^\\W\\d_])[-\u00ad\u2010\x02\ufffe][ \\t]*+\n[ \\t]*+(?=[^\\W\\d_])")
_FORMULA = re.compile("[\u2190-\u21ff\u2200-\u22ff\u27c0-\u27ef\u2a00-\u2aff±\u00d7·\U0001d400-\U0001d7ff]")
_GREEK = re.compile("[\u0391-\u03a9\u03b1-\u03c9]")
_GREEK_WORD = re.compile("[\u0391-\u03c9\u1f00-\u1fff]{3,}")


def words(text: str) -> list[str]:
    """Return lower-case words, with line-end hyphens joined; scripts without spaces give single characters."""
    text = _BROKEN.sub(r"\1", text.replace("\r", ""))
    if not text.isascii() and _NO_SPACES.search(text):
        text = _NO_SPACES.sub(lambda found: f" {found[0]} ", text)
    return _WORD.findall(text.lower())


def missing(source: Sequence[Hashable], given: Sequence[Hashable]) -> float:
    """Return the share of `source` that is missing in `given`."""
    return 1 - (Counter(source) & Counter(given)).total() / len(source) if source else 0.0


def apart(seen: int, given: int) -> float:
    """Return the difference of two counts relative to the larger one: 0 if they are equal."""
    return abs(seen - given) / max(seen, given) if seen or given else 0.0


def formulas(text: str) -> float:
    """Return twenty times the share of formula characters; Greek letters do not count in a Greek text."""
    if text.isascii():
        return 0.0
    found = len(_FORMULA.findall(text))
    if len(_GREEK_WORD.findall(text)) < _GREEK_TEXT:
        found += len(_GREEK.findall(text))
    return 20 * found / max(200, len(text))
