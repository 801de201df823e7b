"""Words of a text, and how much of one text another holds: what signs of loss are counted in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence

MIN_WORDS = 10
"""Of fewer words nothing is said."""
_GREEK_TEXT = 5
"""A text with so many Greek words is Greek."""

_WORD = re.compile(r"[^\W_]+")
_NO_SPACES = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_BROKEN = re.compile("([^\\W\\d_])[-\u00ad\u2010\x02\ufffe][ \\t]*+\n[ \\t]*+(?=[^\\W\\d_])")
_FORMULA = re.compile("[\u2190-\u21ff\u2200-\u22ff\u27c0-\u27ef\u2a00-\u2aff±\u00d7·\U0001d400-\U0001d7ff]")
_GREEK = re.compile("[\u0391-\u03a9\u03b1-\u03c9]")
_GREEK_WORD = re.compile("[\u0391-\u03c9\u1f00-\u1fff]{3,}")


def words(text: str) -> list[str]:
    """The words of a text in lower case, those that a line end parts joined; characters where no spaces part words."""
    text = _BROKEN.sub(r"\1", text.replace("\r", ""))
    if not text.isascii() and _NO_SPACES.search(text):
        text = _NO_SPACES.sub(lambda found: f" {found[0]} ", text)
    return _WORD.findall(text.lower())


def missing(source: Sequence[Hashable], given: Sequence[Hashable]) -> float:
    """The share of what was seen that was not given."""
    return 1 - (Counter(source) & Counter(given)).total() / len(source) if source else 0.0


def apart(seen: int, given: int) -> float:
    """How far two counts are from each other, by the larger one: 0 where they are the same."""
    return abs(seen - given) / max(seen, given) if seen or given else 0.0


def formulas(text: str) -> float:
    """Twenty times the share of signs that formulas are written with; the letters of a Greek text are none."""
    if text.isascii():
        return 0.0
    found = len(_FORMULA.findall(text))
    if len(_GREEK_WORD.findall(text)) < _GREEK_TEXT:
        found += len(_GREEK.findall(text))
    return 20 * found / max(200, len(text))
