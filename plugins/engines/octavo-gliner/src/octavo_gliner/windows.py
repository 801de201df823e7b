"""Splits a text into overlapping windows of words; each word belongs to one window.

A model reads only so many words at once, and it reads worst at the edges. So windows overlap, and a mention counts only
in the window that owns its first word: the one in which that word is farther from the edge.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

WORD: Final = re.compile(r"\w+(?:[-_]\w+)*|\S")
"""A word as GLiNER's own splitter by white space sees one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """A piece of a text.

    Attributes:
        start: first code point of the piece.
        end: one past the last.
        owned_from: first code point that a mention may begin at to count here.
        owned_to: one past the last.
    """

    start: int
    end: int
    owned_from: int
    owned_to: int

    def owns(self, position: int) -> bool:
        """Whether a mention that begins at a code point of the text counts here."""
        return self.owned_from <= position < self.owned_to


def windows(text: str, *, words: int, overlap: int) -> list[Window]:
    """Cut a text.

    Args:
        text: the whole text.
        words: how many words a window has.
        overlap: how many of them it shares with the next one; fewer than `words`.

    Returns:
        Windows whose owned parts cover every word once; none for a text without words.
    """
    if not 0 <= overlap < words:
        raise ValueError(f"windows of {words} words cannot overlap by {overlap}")
    spans = [match.span() for match in WORD.finditer(text)]
    step = words - overlap
    firsts = list(range(0, max(len(spans) - overlap, 1), step)) if spans else []
    found = []
    for number, first in enumerate(firsts):
        last = min(first + words, len(spans)) - 1
        owned_from = spans[first + overlap // 2][0] if number else spans[first][0]
        following = first + step + overlap // 2
        owned_to = spans[following][0] if number + 1 < len(firsts) else spans[last][1]
        found.append(Window(start=spans[first][0], end=spans[last][1], owned_from=owned_from, owned_to=owned_to))
    return found
