"""Numbers above the bars of fractions, which liteparse leaves out, put back from PDFium's text of the same page.

They are set higher and smaller than the text. PDFium has them on a line of their own, before the bar: `1`, then `\u20444 inch`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final

_BAR: Final = "\u2044"
_WHOLE: Final = re.compile(rf"(\S*)\s+(\d+)\s*({_BAR}\d+\S*)\s+(\S*)")
_LACKING: Final = re.compile(rf"(?<!\S)(?<!\d\s)(?=({_BAR}\d+\S*))")
_BEFORE: Final = re.compile(r"(\S*)\s*$")
_BEHIND: Final = re.compile(r"\S+\s*(\S*)")
_FAR: Final = 100
"""Characters in which the word before a fraction is looked for."""


class Fractions:
    """The fractions of a page as PDFium reads them, found by what liteparse leaves of them.

    Args:
        page_text: the text of the page as PDFium reads it.
    """

    def __init__(self, page_text: str) -> None:
        alone: dict[str, set[str]] = defaultdict(set)
        between: dict[tuple[str, str, str], set[str]] = defaultdict(set)
        if _BAR in page_text:
            for before, number, rest, behind in _WHOLE.findall(page_text):
                alone[rest].add(number)
                between[before, rest, behind].add(number)
        self._alone, self._between = alone, between

    def restore(self, text: str) -> str:
        """The text with the numbers above the bars where the page leaves no doubt."""
        if not self._alone or _BAR not in text:
            return text
        return _LACKING.sub(self._number, text)

    def _number(self, found: re.Match[str]) -> str:
        text, at, rest = found.string, found.start(), found[1]
        before, behind = _BEFORE.search(text, max(0, at - _FAR), at), _BEHIND.match(text, at)
        key = before[1] if before else "", rest, behind[1] if behind else ""
        numbers = self._between.get(key) or self._alone.get(rest) or set()
        return next(iter(numbers)) if len(numbers) == 1 else ""
