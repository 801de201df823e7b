"""Finds the fonts of a document whose letters are equally wide, and the rows that are set in them.

liteparse knows such fonts by their names and flags, which many typesetting systems do not set. Widths do not lie: a piece of
text in such a font is as wide as the number of its characters says.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from liteparse.types import TextItem

    from .page_rows import Row

_LETTER: Final = re.compile(r"[A-Za-z]")
_FEWEST_LETTERS: Final = 5
"""Letters from which on the width of a piece of text says something of its font."""
_FEWEST_PIECES: Final = 3
"""Fewest different pieces of text by which a font is known."""
_SAME: Final = 0.006
"""Largest difference of two widths per character that are one, in sizes of the font."""
_SHARE: Final = 0.4
"""Least share of a font's pieces that have the same width per character: others may go on in another font."""
_PITCHES: Final = (0.45, 0.72)
"""Smallest and largest width of a character, in sizes of the font."""
_MOST: Final = 0.5
"""A document with more than this share of its characters in such fonts is typed, and its text is no code."""
_TOLERANCE: Final = 0.015
"""How much narrower than its characters say a piece may be, as a share of its width."""
_BLANKS: Final = 1.5
"""How much wider a piece with blanks may be: PDFium makes one of several blanks."""


class FixedPitch:
    """The fixed-pitch fonts of a document.

    Args:
        items: the pieces of text of all its pages.
    """

    def __init__(self, items: Iterable[TextItem]) -> None:
        widths: dict[str, dict[str, float]] = defaultdict(dict)
        total: Counter[str] = Counter()
        for item in items:
            if item.font_name and item.font_size and item.rotation == 0:
                total[item.font_name] += len(item.text)
                if len(_LETTER.findall(item.text)) >= _FEWEST_LETTERS:
                    widths[item.font_name][item.text] = item.width / len(item.text) / item.font_size
        found = {font: _pitch(list(known.values())) for font, known in widths.items()}
        self._pitches = {font: pitch for font, pitch in found.items() if pitch is not None}
        if sum(total[font] for font in self._pitches) > _MOST * total.total():
            self._pitches = {}

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._pitches)

    def advance(self, item: TextItem) -> float | None:
        """Return the width of a character of a piece that is set in such a font as a whole, in points; None for others."""
        pitch = self._pitches.get(item.font_name or "")
        if pitch is None or not item.font_size or item.rotation:
            return None
        advance = pitch * item.font_size
        relative = item.width / (advance * len(item.text))
        return advance if 1 - _TOLERANCE <= relative <= (_BLANKS if " " in item.text else 1 + _TOLERANCE) else None

    def holds(self, row: Row) -> bool:
        """Return whether a whole row is set in such fonts."""
        return all(self.advance(item) is not None for item in row.items)


def _pitch(widths: list[float]) -> float | None:
    """Return the width per character that most pieces of a font have; None if they differ."""
    if len(widths) < _FEWEST_PIECES:
        return None
    ordered = sorted(widths)
    best, first = (0, 0.0), 0
    for last, width in enumerate(ordered):
        while width - ordered[first] > _SAME:
            first += 1
        best = max(best, (last - first + 1, ordered[(first + last) // 2]))
    count, pitch = best
    is_same = count >= _FEWEST_PIECES and count >= _SHARE * len(widths)
    return pitch if is_same and _PITCHES[0] <= pitch <= _PITCHES[1] else None
