"""Bullets of lists that a recogniser reads as other signs: "©", "e", "*" at the beginning of lines that hang alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, NamedTuple

from octavo_contracts import BoundingBox, OCRResult

from .recognised_lines import with_boxes

MARKS: Final = frozenset(("©", "®", "@", "e", "e@", "°", "*", "¢", "»"))
"""What Tesseract and RapidOCR read for a bullet."""
BULLETS: Final = frozenset("\u2022\u25cf\u25aa\u25e6\u2023\u00b7")
"""Signs that are bullets themselves and need no proof: between other marks they continue the list."""
FEWEST: Final = 2
"""Fewest items of such a list."""
GAP: Final = 0.5
"""Least distance of a mark from its text, in heights of a line: that of two words is less."""
SMALL: Final = 0.65
"""Greatest height of a printed bullet, in heights of its line: a real sign of copyright is as high as the capitals."""
LEVEL: Final = 0.6
"""Greatest difference of the edges of items that hang at the same indent, in heights of a line."""
PITCH: Final = 2.5
"""Greatest distance of the tops of an item's line and of the next one of the same item, in heights of a line."""
BULLET: Final = "\u2022"
"""Written in the place of a mark."""
_YEAR: Final = re.compile(r"(?:1[5-9]|20)\d\d\b")


class PlacedWord(NamedTuple):
    """A word with its edges and its top, in points."""

    text: str
    left: float
    right: float
    height: float
    top: float = 0.0


class Lists(NamedTuple):
    """The lists of a page.

    Attributes:
        bullets: beginnings, as `beginning` gives them, of the lines that are items.
        marks: number of a line whose first word is read for a bullet → index of that word.
        continued: numbers of the lines that go on with the item above them.
    """

    bullets: frozenset[str]
    marks: dict[int, int]
    continued: frozenset[int]


@dataclass(frozen=True)
class _Line:
    """A line of which every word has its place.

    Attributes:
        number: its number in the text, from 0.
        word: index of its first word.
        first: its first words, by which it is known.
        mark: its first word, if that may be a bullet; else empty.
        left: edge of its first word.
        indent: edge of its second word; that of the first where there is no other.
        has_gap: whether the first word stands apart.
        is_small: whether the first word is lower than letters are.
    """

    number: int
    word: int
    first: str
    mark: str
    left: float
    indent: float
    top: float
    has_gap: bool
    is_small: bool = False

    @property
    def is_item(self) -> bool:
        """Whether the first word may be a bullet by its sign and its place."""
        return bool(self.mark) and (self.has_gap or self.is_small)

    @property
    def is_sign(self) -> bool:
        """Whether the first word is a small sign that is no letter: those are no words of any language."""
        return self.is_small and not self.mark[:1].isalpha()


def placed_words(result: OCRResult) -> list[PlacedWord]:
    """Return the words of a result with their places."""
    boxes = [(word.text, word.box) for word in result.words]
    return [PlacedWord(word, box.left, box.right, box.bottom - box.top, box.top) for word, box in boxes]


def with_lists(result: OCRResult, level: Callable[[BoundingBox], BoundingBox] | None = None) -> OCRResult:
    """Return a result with real bullets in its text and its words, and with the lines of an item in one paragraph.

    Args:
        result: of a page.
        level: maps a box to a picture of the page on which the lines are level; None: they are level.
    """
    found = lists_of(result.extracted_text, placed_words(with_boxes(result, level)))
    if not found.marks and not found.continued:
        return result
    words = list(result.words)
    lines: list[str] = []
    for number, line in enumerate(result.extracted_text.splitlines()):
        while number in found.continued and lines and not lines[-1].strip():
            lines.pop()
        if (word := found.marks.get(number)) is not None:
            line = line.replace(words[word].text, BULLET, 1)
            words[word] = words[word].model_copy(update={"text": BULLET})
        lines.append(line)
    return result.model_copy(update={"extracted_text": "\n".join(lines), "words": tuple(words)})


def lists_of(text: str, words: Sequence[PlacedWord]) -> Lists:
    """Return the lines of a page that are items of a list, and those that go on with one.

    Two lines or more that begin with the same mark are, if their marks and their texts stand below each other. Marks that are lower
    than letters may differ, since a recogniser reads one bullet as several signs, and need no gap behind them. Between the lines
    there may be lines that go on with an item, below its text. A mark before a year is a real sign of copyright.

    Args:
        text: of a page, in lines.
        words: of the page in the same order.
    """
    height = median(word.height for word in words) if words else 0.0
    found = Lists(frozenset(), {}, frozenset())
    items: list[_Line] = []
    continued: set[int] = set()
    above = 0.0
    for line in (*_lines(text, words, gap=GAP * height), None):
        if items and line is not None and _is_level(line.left, items[-1].indent, height):
            if 0 < line.top - above <= PITCH * height:
                continued.add(line.number)
                above = line.top
            continue
        if items and not (line is not None and line.is_item and _are_alike(items[-1], line, height)):
            if len(items) >= FEWEST and _is_list(items):
                marks = {item.number: item.word for item in items if item.mark not in BULLETS}
                bullets = found.bullets | {item.first for item in items}
                found = Lists(bullets, found.marks | marks, found.continued | continued)
            items, continued = [], set()
        if line is not None and line.is_item:
            items.append(line)
            above = line.top
    return found


def beginning(line: str) -> str:
    """Return the first two words of a line."""
    return " ".join(line.split(maxsplit=2)[:2])


def _lines(text: str, words: Sequence[PlacedWord], *, gap: float) -> Iterator[_Line]:
    at = 0
    for number, line in enumerate(text.splitlines()):
        tokens = line.split()
        own = words[at : at + len(tokens)]
        if not tokens:
            continue
        if [word.text for word in own] != tokens:
            # The words after a line whose words differ are found by its first one.
            at = next((place for place in range(at, len(words)) if words[place].text == tokens[0]), at)
            own = words[at : at + len(tokens)]
            if [word.text for word in own] != tokens:
                yield _Line(number, at, "", "", float("-inf"), float("-inf"), 0.0, has_gap=False)
                continue
        at += len(tokens)
        mark = tokens[0] if len(tokens) > 1 and tokens[0] in MARKS | BULLETS and not _YEAR.match(tokens[1]) else ""
        second = own[1] if len(own) > 1 else own[0]
        yield _Line(
            number,
            at - len(tokens),
            beginning(line),
            mark,
            own[0].left,
            second.left,
            second.top,
            has_gap=second.left - own[0].right >= gap,
            is_small=bool(mark)
            and (mark in BULLETS or own[0].height <= SMALL * median(word.height for word in own[1:])),
        )


def _are_alike(one: _Line, other: _Line, height: float) -> bool:
    return (
        (one.mark == other.mark or (one.is_small and other.is_small))
        and _is_level(one.left, other.left, height)
        and _is_level(one.indent, other.indent, height)
    )


def _is_list(items: Sequence[_Line]) -> bool:
    return all(item.has_gap for item in items) or any(item.is_sign for item in items)


def _is_level(one: float, other: float, height: float) -> bool:
    return abs(one - other) <= LEVEL * height
