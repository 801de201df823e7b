"""Joins words broken at line ends. PDFium marks the breaks, but not whether the hyphen belongs to the word."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

from .page import SOFT_HYPHEN

LONGEST_WORD = 60
"""Most letters of a word part that are compared."""

_LETTERS = re.compile(r"[^\W\d_]+")


class HyphenJoiner:
    """Joins broken words of one document.

    A hyphen is removed if both sides are letters, the second in lower case, and the document has no other occurrence of
    the word with the hyphen. It is kept in 'S-Plus', '12-34', an address, and in 'well-known' if another line has that word.

    Args:
        whole_text: returns the document's text; called once, at the first break.
    """

    def __init__(self, whole_text: Callable[[], str]) -> None:
        self._whole_text = whole_text
        self._hyphenated: frozenset[tuple[str, str]] | None = None

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
            self._hyphenated = _hyphenated_words(self._whole_text())
        return (tail, head) not in self._hyphenated


def _hyphenated_words(text: str) -> frozenset[tuple[str, str]]:
    """Every pair of words around a hyphen: 'well' and 'known', 'of' and 'the' of 'state-of-the-art'."""
    pieces = text.split("-")
    return frozenset(_around(left, right) for left, right in itertools.pairwise(pieces))


def _around(left: str, right: str) -> tuple[str, str]:
    """The last letters of the left text and the first letters of the right one."""
    tail = _LETTERS.match(left[: -LONGEST_WORD - 1 : -1])
    head = _LETTERS.match(right[:LONGEST_WORD])
    return tail.group()[::-1] if tail else "", head.group() if head else ""


def _is_address(text: str) -> bool:
    return "/" in text or "@" in text or "." in text.rstrip(".")
