"""Joins words broken at line ends: the marked breaks do not say whether the hyphen belongs to the word."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator

SOFT_HYPHEN = "\ufffe"
"""PDFium's replacement for a hyphen and the following line end; the mark of a break for `HyphenJoiner`."""

LONGEST_WORD = 60
"""Most letters of a word part that are compared."""

SHORTEST_PART = 4
"""Fewer letters may be a syllable that is also a word."""

_ALWAYS_COMPOUND = frozenset({"self"})
"""First parts that are written with a hyphen, and seldom stand alone."""

_LETTERS = re.compile(r"[^\W\d_]+")
_WORDS = re.compile(rf"(?<![\w{SOFT_HYPHEN}-])[^\W\d_]{{3,}}(?![\w{SOFT_HYPHEN}-])")
"""Words of their own: no part of a compound, nor of a broken word."""


class HyphenJoiner:
    """Joins broken words of one document.

    A hyphen is removed if both sides are letters, the second in lower case, and nothing in the document speaks for a
    compound: another occurrence of the word with the hyphen; another hyphen in the word, as in 'over-the-counter'; or both
    sides as words of their own, as in 'fourth-quarter', while the joined word is none. It is kept in 'S-Plus', '12-34', an
    address too.

    Args:
        whole_text: returns the document's text; called once, at the first break.
    """

    def __init__(self, whole_text: Callable[[], str]) -> None:
        self._whole_text = whole_text
        self._hyphenated: frozenset[tuple[str, str]] | None = None
        self._words: frozenset[str] = frozenset()

    def join(self, line: str) -> str:
        """Replace each mark in a line by a hyphen or by nothing."""
        first, *others = line.split(SOFT_HYPHEN)
        for other in others:
            first += other if self._is_soft(first, other) else f"-{other}"
        return first

    def _is_soft(self, before: str, after: str) -> bool:
        """Whether the hyphen between two lines only marks the line break."""
        word = before[before.rfind(" ") + 1 :]
        tail, head = _around(word, after)
        if not (tail and head) or not head[0].islower() or _is_address(word):
            return False
        if self._hyphenated is None:
            # Neither a word nor a compound has white space in it, and most of a text's words occur many times.
            different = set(self._whole_text().split())
            self._hyphenated = frozenset(pair for word in different if "-" in word for pair in _hyphenated_words(word))
            self._words = frozenset(_WORDS.findall("\n".join(different).lower()))
        return (tail, head) not in self._hyphenated and not self._is_compound(word, tail, head)

    def _is_compound(self, word: str, tail: str, head: str) -> bool:
        """Whether a word is a compound by its parts, none of which is a syllable."""
        tail, head = tail.lower(), head.lower()
        if tail + head in self._words:
            return False
        if "-" in word:
            return True
        return min(len(tail), len(head)) >= SHORTEST_PART and {tail, head} - _ALWAYS_COMPOUND <= self._words


def _hyphenated_words(compound: str) -> Iterator[tuple[str, str]]:
    """Yield every pair of words around a hyphen: 'well' and 'known', 'of' and 'the' of 'state-of-the-art'."""
    return (_around(left, right) for left, right in itertools.pairwise(compound.split("-")))


def _around(left: str, right: str) -> tuple[str, str]:
    """The last letters of the left text and the first letters of the right one."""
    tail = _LETTERS.match(left[: -LONGEST_WORD - 1 : -1])
    head = _LETTERS.match(right[:LONGEST_WORD])
    return tail.group()[::-1] if tail else "", head.group() if head else ""


def _is_address(text: str) -> bool:
    return "/" in text or "@" in text or "." in text.rstrip(".")
