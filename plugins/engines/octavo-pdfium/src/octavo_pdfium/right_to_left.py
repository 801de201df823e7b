"""Lines with text from right to left, put in reading order by how the page paints them.

PDFium turns such a line round piece by piece. Beside words from left to right it places blanks on the wrong side, it sets a
blank before the marks over letters, and it turns the letters of a ligature round as well.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from .native import Native, Rect

RIGHT_TO_LEFT: Final = re.compile(
    "[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
"""Right-to-left scripts and direction marks."""

_LAM: Final = "\u0644"
_ALEFS: Final = frozenset("\u0622\u0623\u0625\u0627")
_GAP: Final = 0.15
"""Least width of a blank between two words, in heights of a character."""
_FAR: Final = 1.0
"""From this distance on two objects are not painted one after the other, in heights of a character."""
_SLACK: Final = 0.3
"""How far an object may go back over the one before, as marks do, in heights of a character."""


class Glyph(NamedTuple):
    """A character of a line with its place on the page, in user space."""

    char: str
    owner: int
    left: float
    right: float
    bottom: float
    top: float

    @property
    def middle(self) -> float:
        """Between left and right."""
        return (self.left + self.right) / 2

    @property
    def is_mark(self) -> bool:
        """Whether it stands over or under a letter."""
        return unicodedata.combining(self.char) != 0

    @property
    def direction(self) -> str:
        """`R` or `L` for letters and numbers, an empty text for what has no direction of its own."""
        kind = unicodedata.bidirectional(self.char)
        return "R" if kind in ("R", "AL") else "L" if kind in ("L", "EN", "AN") else ""


@dataclass(frozen=True)
class Stroke:
    """Glyphs that the page paints one after the other from left to right."""

    glyphs: Sequence[Glyph]

    @property
    def left(self) -> float:
        """Left end."""
        return min(one.left for one in self.glyphs)

    @property
    def right(self) -> float:
        """Right end."""
        return max(one.right for one in self.glyphs)

    @property
    def is_left_to_right(self) -> bool:
        """Whether it holds words or numbers from left to right, and none from right to left."""
        found = {one.direction for one in self.glyphs}
        return "L" in found and "R" not in found

    def text(self, height: float) -> str:
        """Its characters in reading order."""
        if self.is_left_to_right:
            return _with_blanks(sorted(self.glyphs, key=lambda one: one.middle), height)
        return _turned_back(_with_blanks(self._from_the_right(), height))

    def _from_the_right(self) -> list[Glyph]:
        """Its characters from right to left; a mark follows its letter, and the lam of a ligature comes first."""
        letters = [one for one in self.glyphs if not one.is_mark and not one.char.isspace()]

        def place(one: Glyph) -> tuple[float, int]:
            if one.is_mark and letters:
                letter = max(letters, key=lambda other: min(one.right, other.right) - max(one.left, other.left))
                return -letter.middle, 2
            return -one.middle, 0 if one.char == _LAM else 1

        return sorted(self.glyphs, key=place)


class ReadingOrder:
    """Puts the lines of one page in reading order.

    Args:
        lib: PDFium.
        page: its page.
        text_page: its text of the page.
    """

    def __init__(self, lib: Native, page: int, text_page: int) -> None:
        self._lib, self._text_page = lib, text_page
        self._order = {lib.get_object(page, place) or 0: place for place in range(lib.count_objects(page))}
        self._box = Rect()
        self._pointer = ctypes.c_void_p(ctypes.addressof(self._box))

    def restore(self, line: str, places: Sequence[int]) -> str:
        """Return a line in reading order, or as PDFium has it where the page does not show the order.

        Args:
            line: as PDFium has it.
            places: PDFium's index of each character.
        """
        glyphs = [self._glyph(char, place) for char, place in zip(line, places, strict=True)]
        shown = [one for one in glyphs if one.owner]
        restored = self._painted(shown)
        if restored is None or sorted(restored.replace(" ", "")) != sorted("".join(line.split())):
            return _with_ligatures(glyphs)
        return restored

    def _glyph(self, char: str, place: int) -> Glyph:
        box = self._box
        self._lib.char_box(self._text_page, place, self._pointer)
        owner = self._lib.char_object(self._text_page, place) or 0
        return Glyph(char, owner, box.left, box.right, box.bottom, box.top)

    def _painted(self, glyphs: Sequence[Glyph]) -> str | None:
        """Return the characters in the order in which they are painted, if that is the order of reading.

        It is where the strokes follow each other from right to left. A page that is painted in the order in which it
        is seen, from left to right, has one stroke. Without words from left to right the places alone say the order.
        """
        if not glyphs or any(one.owner not in self._order for one in glyphs):
            return None
        height = max(one.top - one.bottom for one in glyphs)
        if height <= 0 or max(one.bottom for one in glyphs) > min(one.top for one in glyphs):
            return None  # The line does not run across the page.
        if not any(unicodedata.bidirectional(one.char) == "L" for one in glyphs):
            return " ".join(Stroke(glyphs).text(height).split())
        strokes = self._strokes(glyphs, height)
        if len(strokes) < 2 or any(below.left >= above.left for above, below in pairwise(strokes)):
            return None
        return _joined(strokes, height)

    def _strokes(self, glyphs: Sequence[Glyph], height: float) -> list[Stroke]:
        strokes: list[list[Glyph]] = []
        painted = sorted(glyphs, key=lambda one: self._order[one.owner])
        last: Stroke | None = None
        for _, group in groupby(painted, key=lambda one: one.owner):
            object_ = Stroke(list(group))
            if last is not None and last.right - _SLACK * height < object_.right and _follows(last, object_, height):
                strokes[-1] += object_.glyphs
            else:
                strokes.append(list(object_.glyphs))
            last = object_
        return [Stroke(stroke) for stroke in strokes]


def _follows(last: Stroke, object_: Stroke, height: float) -> bool:
    """Return whether an object begins where the last one ends, or goes back over it no further than marks do."""
    return object_.left >= last.left - _SLACK * height and object_.left - last.right < _FAR * height


def _with_blanks(ordered: Sequence[Glyph], height: float) -> str:
    """Return the characters with a blank where the page leaves a gap between two of them."""
    found: list[str] = []
    last: Glyph | None = None
    for one in ordered:
        if last is not None and not one.is_mark:
            gap = max(one.left - last.right, last.left - one.right)
            if gap > _GAP * height and not one.char.isspace() and not last.char.isspace():
                found.append(" ")
        found.append(one.char)
        last = last if one.is_mark else one
    return "".join(found)


def _turned_back(text: str) -> str:
    """Turn numbers and words from left to right, met from their end in a line from right to left, back."""
    kinds = [Glyph(char, 0, 0, 0, 0, 0).direction for char in text]
    found: list[str] = []
    place = 0
    while place < len(text):
        if kinds[place] != "L":
            found.append(text[place])
            place += 1
            continue
        end = beyond = place + 1
        while beyond < len(text) and kinds[beyond] != "R":
            beyond += 1
            if kinds[beyond - 1] == "L":
                end = beyond
        found.append(text[place:end][::-1])
        place = end
    return "".join(found)


def _joined(strokes: Sequence[Stroke], height: float) -> str:
    """Return the text of strokes from right to left, with a blank where the page leaves a gap between two of them.

    The blanks of words from left to right are painted beside these words, on the side where that direction has them. A gap
    on the other side as well means that the words stand apart on both.
    """
    found = ""
    for place, stroke in enumerate(strokes):
        text = stroke.text(height)
        before = place > 0 and strokes[place - 1].left - stroke.right > _GAP * height
        after = place + 1 < len(strokes) and stroke.left - strokes[place + 1].right > _GAP * height
        if stroke.is_left_to_right and after and text != text.rstrip():
            before = True
        if before and not found.endswith(" ") and not text.startswith(" "):
            found += " "
        found += text
    return " ".join(found.split())


def _with_ligatures(glyphs: Iterable[Glyph]) -> str:
    """Return the characters as they are, but those of a ligature of lam and alef with the lam first: no other is written."""
    found: list[Glyph] = []
    for one in glyphs:
        if one.char == _LAM and found and found[-1].char in _ALEFS and found[-1][1:] == one[1:] and one.owner:
            found.insert(-1, one)
        else:
            found.append(one)
    return "".join(one.char for one in found)
