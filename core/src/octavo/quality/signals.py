"""What a text shows of its own health: junk, letters apart, words run together, lines broken, furniture of pages.

Each is a share of 0..1 of a sample, so that no document costs more than another; the larger, the worse.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_JUNK_CHAR = re.compile("[\ufffd\ue000-\uf8ff]")
_JUNK_NAME = re.compile(r"\(cid:\d+\)")
_MOJIBAKE = re.compile(
    "[ÃÂ][\u0080-\u00bf]|â[\u0080-\u009f€‚„][\u0080-\u00bf™œ“”\u02dc\u0161\u017e¦–—]?|ï¿½|Ð[\u0080-\u00bf]"
)
_LETTERS_APART = re.compile(r"(?<!\S)(?:[^\W\d_] ){4,}[^\W\d_](?!\S)")
_HYPHENATED = re.compile(r"[^\W\d_]-\n\s*[^\W\d_]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]")
_DIGITS = re.compile(r"\d+")
_SIGNS = ".,;:!?()[]{}\"'“”‘’«»*_-–—/|#`"
_LONG_WORD = 28


def junk_share(text: str) -> float:
    """Characters that a font did not map, shown as such or by their number as `(cid:12)`."""
    if not text:
        return 0.0
    names = sum(map(len, _JUNK_NAME.findall(text))) if "(cid:" in text else 0
    return (names if text.isascii() else names + len(_JUNK_CHAR.findall(text))) / len(text)


def mojibake_share(text: str) -> float:
    """Characters that were read in another encoding than they were written in, by the pairs this leaves."""
    if not text or text.isascii():
        return 0.0
    return min(1.0, 2 * len(_MOJIBAKE.findall(text)) / len(text))


def letters_apart_share(text: str) -> float:
    """Characters of words that were set with a space after each letter."""
    return sum(map(len, _LETTERS_APART.findall(text))) / len(text) if text else 0.0


def run_together_share(words: Sequence[str]) -> float:
    """Characters in words too long for any: spaces were lost. Addresses and rulers do not count."""
    total = sum(map(len, words))
    lost = sum(
        len(word) for word in words if len(word) > _LONG_WORD and word.strip(_SIGNS).isalpha() and word.isascii()
    )
    return lost / total if total else 0.0


def odd_words_share(words: Sequence[str]) -> float:
    """Words that mix letters with digits or signs within, as failed recognition and lost fonts leave them."""
    if not words:
        return 0.0
    odd = 0
    for word in words:
        core = word.strip(_SIGNS)
        if core and not core.isalpha() and not core.isdigit() and any(map(str.isalpha, core)):
            odd += not core.replace("'", "").replace("’", "").replace("-", "").replace(".", "").isalpha()
    return odd / len(words)


def short_words_share(words: Sequence[str]) -> float:
    """Words of one letter or sign."""
    return sum(len(word) == 1 for word in words) / len(words) if words else 0.0


def hyphenation_share(text: str) -> float:
    """Lines that end within a word."""
    lines = text.count("\n") + 1
    return min(1.0, len(_HYPHENATED.findall(text)) / lines) if "-\n" in text else 0.0


def invisible_share(text: str) -> float:
    """Characters that show nothing: soft hyphens, marks of direction and of zero width."""
    return 0.0 if not text or text.isascii() else len(_INVISIBLE.findall(text)) / len(text)


def furniture_share(pages: Sequence[str]) -> float:
    """Pages whose first or last line returns on others, figures aside: running headers and footers left in the text."""
    if len(pages) < 3:
        return 0.0
    edges: Counter[str] = Counter()
    for page in pages:
        lines = [line.strip() for line in page.strip().splitlines() if line.strip()]
        edges.update({_DIGITS.sub("0", line) for line in (*lines[:1], *lines[-1:]) if line})
    return min(1.0, max(edges.values(), default=0) / len(pages)) if edges.most_common(1)[0][1] > 1 else 0.0


def line_length(text: str) -> float:
    """The mean characters of a line that holds any; long where paragraphs were put together again."""
    lines = [line for line in text.splitlines() if line.strip()]
    return sum(map(len, lines)) / len(lines) if lines else 0.0


def repeated_share(words: Sequence[str]) -> float:
    """1 less the share of different words among the first 500: high where an engine went round in circles."""
    first = words[:500]
    return 1 - len(set(first)) / len(first) if first else 0.0
