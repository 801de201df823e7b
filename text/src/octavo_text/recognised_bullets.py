"""Bullets of lists that a recogniser reads as another sign: "©", "e", "*" at the beginning of lines that hang alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, NamedTuple

MARKS: Final = frozenset(("©", "®", "@", "e", "e@", "°", "*", "¢", "»"))
"""What Tesseract and RapidOCR read for a bullet; signs that are bullets themselves need no proof."""
FEWEST: Final = 2
"""Fewest items of such a list."""
GAP: Final = 0.5
"""Least distance of a mark from its text, in heights of a line: that of two words is less."""
LEVEL: Final = 0.6
"""Greatest difference of the edges of items that hang at the same indent, in heights of a line."""


class PlacedWord(NamedTuple):
    """A word with its edges, in points."""

    text: str
    left: float
    right: float
    height: float


@dataclass(frozen=True)
class _Line:
    """A line of which every word has its place.

    Attributes:
        first: its first words, by which it is known.
        mark: its first word, if that may be a bullet; else empty.
        left: edge of its first word.
        indent: edge of its second word; that of the first where there is no other.
        has_gap: whether the first word stands apart.
    """

    first: str
    mark: str
    left: float
    indent: float
    has_gap: bool


def bullets_of(text: str, words: Sequence[PlacedWord]) -> frozenset[str]:
    """Return the beginnings, as `beginning` gives them, of the lines that are items of a list.

    Two lines or more that begin with the same mark are, if their marks and their texts stand below each other. Between them there
    may be lines that go on with an item, below its text.

    Args:
        text: of a page, in lines.
        words: of the page in the same order.
    """
    height = median(word.height for word in words) if words else 0.0
    found: set[str] = set()
    items: list[_Line] = []
    for line in (*_lines(text, words, gap=GAP * height), None):
        if items and line is not None and _is_level(line.left, items[-1].indent, height):
            continue
        is_item = line is not None and bool(line.mark) and line.has_gap
        if items and not (is_item and line is not None and _are_alike(items[-1], line, height)):
            if len(items) >= FEWEST:
                found.update(item.first for item in items)
            items = []
        if is_item and line is not None:
            items.append(line)
    return frozenset(found)


def beginning(line: str) -> str:
    """Return the first two words of a line."""
    return " ".join(line.split(maxsplit=2)[:2])


def _lines(text: str, words: Sequence[PlacedWord], *, gap: float) -> Iterator[_Line]:
    at = 0
    for line in text.splitlines():
        tokens = line.split()
        own = words[at : at + len(tokens)]
        if not tokens:
            continue
        if [word.text for word in own] != tokens:
            # The words after a line whose words differ are found by its first one.
            at = next((place for place in range(at, len(words)) if words[place].text == tokens[0]), at)
            own = words[at : at + len(tokens)]
            if [word.text for word in own] != tokens:
                yield _Line("", "", float("-inf"), float("-inf"), has_gap=False)
                continue
        at += len(tokens)
        mark = tokens[0] if len(tokens) > 1 and tokens[0] in MARKS else ""
        second = own[1] if len(own) > 1 else own[0]
        yield _Line(beginning(line), mark, own[0].left, second.left, has_gap=second.left - own[0].right >= gap)


def _are_alike(one: _Line, other: _Line, height: float) -> bool:
    return (
        one.mark == other.mark
        and _is_level(one.left, other.left, height)
        and _is_level(one.indent, other.indent, height)
    )


def _is_level(one: float, other: float, height: float) -> bool:
    return abs(one - other) <= LEVEL * height
