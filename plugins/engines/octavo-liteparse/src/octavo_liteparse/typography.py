"""Typographic signs that liteparse folds into ASCII, put back from PDFium's text of the same page.

liteparse writes ' for ‘ and ’, " for “ and ”, and - for every dash. A quotation of such a text would not be found in the
document as another engine reads it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

_FOLDED = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    }
)
_HAS_FOLDED = re.compile("['\"-]")
_WORD = re.compile(r"\S+")
_MARKS = re.compile(r"^([*_`\\\[(]*)(.*?)([*_`\\]*)$", re.DOTALL)
"""Marks of emphasis that liteparse puts around a word."""
_LINK_MARKS = re.compile(r"(\[|\]\((?:[^()\s]|\([^()\s]*\))*\))")
"""Beginning and end of a link."""


class Typography:
    """The words of a page as PDFium reads them, found by how liteparse writes them."""

    def __init__(self, page_text: str) -> None:
        words = page_text.split()
        folded = [word.translate(_FOLDED) for word in words]
        alone: dict[str, set[str]] = defaultdict(set)
        between: dict[tuple[str, str, str], set[str]] = defaultdict(set)
        for place, (word, plain) in enumerate(zip(words, folded, strict=True)):
            if _HAS_FOLDED.search(plain):
                alone[plain].add(word)
                between[_around(folded, place)].add(word)
        self._alone = {plain: next(iter(found)) for plain, found in alone.items() if len(found) == 1}
        self._between = {key: next(iter(found)) for key, found in between.items() if len(found) == 1}
        self._idle = all(plain == word for plain, word in self._alone.items()) and len(self._alone) == len(alone)

    def restore(self, text: str) -> str:
        """The text with each folded sign put back where the page leaves no doubt; other words stay as they are."""
        if self._idle or not _HAS_FOLDED.search(text):
            return text
        has_links = "](" in text
        pieces = [_LINK_MARKS.split(word[0]) if has_links else [word[0]] for word in _WORD.finditer(text)]
        parts = [_MARKS.match("".join(own[::2])) for own in pieces]
        plain = [part[2] if part else "" for part in parts]
        place = -1

        def original(match: re.Match[str]) -> str:
            nonlocal place
            place += 1
            word, part = plain[place], parts[place]
            if part is None or not _HAS_FOLDED.search(word):
                return match[0]
            found = self._alone.get(word) or self._between.get(_around(plain, place))
            return _with_marks(f"{part[1]}{found}{part[3]}", pieces[place]) if found else match[0]

        return _WORD.sub(original, text)


def _with_marks(word: str, pieces: Sequence[str]) -> str:
    """Return a word with the marks of links where they stood between its pieces: every second one is a mark."""
    made, at = [], 0
    for place, piece in enumerate(pieces):
        made.append(piece if place % 2 else word[at : at + len(piece)])
        at += 0 if place % 2 else len(piece)
    return "".join(made)


def _around(words: Sequence[str], place: int) -> tuple[str, str, str]:
    before = words[place - 1] if place else ""
    return before, words[place], words[place + 1] if place + 1 < len(words) else ""
