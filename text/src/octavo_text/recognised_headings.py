"""Headings of a recognised page: lines in large print, and lines that follow each other closely as one heading."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from .recognised_lines import Token, lines_of, union

if TYPE_CHECKING:
    from octavo_contracts import BoundingBox, OCRResult

LEAST_LINES = 8
"""Lines of a page of which the size of the body text can be told."""
LARGE, LARGEST = 1.45, 1.9
"""Height of a heading, and of one of the highest level, in heights of the body text's lines."""
UPRIGHT = 3
"""Letters of a word that is much taller than wide, and so lies on its side."""
UPRIGHT_SHAPE = 2.0
"""Least height of such a word, in its widths: three narrow letters in large print are a little taller than wide."""
_LONGEST = 90
"""Letters of a heading."""
HALF = 1.25
"""Height of a line that is a part of a heading of which another line is large, in heights of the body text's lines."""
ALIKE = 0.7
"""Least share of the height of the larger of two lines of one heading: few letters of a line are high."""
MAX_GAP = 0.6
"""Largest distance between two lines of one heading, in heights of the smaller one."""
MAX_LINES = 3
"""Lines of one heading: more are a text in large print."""

_OPENING = "(\"'“„«‘"
_OWN_HEADING = re.compile(r"(?:\w+ )?[\dIVXA-Z]{1,4}(?:[.)]\d*)+\s|\w+ [\dIVX]+$|\d+\s")
"""The beginning of a heading with a number, such as `2.1 Tides`, or such a number alone, `Chapter 2`."""


class Headings(NamedTuple):
    """The headings of a page.

    Attributes:
        levels: line → level of its heading.
        continued: pairs of lines, of which the second goes on with the heading of the first.
    """

    levels: Mapping[str, int]
    continued: Collection[tuple[str, str]] = frozenset()


class _Line(NamedTuple):
    text: str
    box: BoundingBox
    height: float


def page_headings(result: OCRResult) -> Headings:
    """Return the headings of a recognised page.

    Args:
        result: of the page.
    """
    boxes = [(word.text, word.box) for word in result.words]
    found = headings_of(
        result.extracted_text, [(word, box.right - box.left, box.bottom - box.top) for word, box in boxes]
    )
    if not found:
        return Headings(found)
    texts = (line.strip() for line in result.extracted_text.splitlines())
    lines = [_line(text, tokens) for text, tokens in zip(texts, lines_of(result), strict=False) if tokens]
    body = median(line.height for line in lines)
    runs: list[list[_Line]] = []
    for line in lines:
        is_large = line.text in found or (line.height >= HALF * body and _may_be_part(line.text))
        if is_large and runs and _continues(runs[-1][-1], line):
            runs[-1].append(line)
        elif is_large:
            runs.append([line])
    levels, pairs = dict(found), set()
    for run in runs:
        level = next((found[line.text] for line in run if line.text in found), None)
        if level is not None and 1 < len(run) <= MAX_LINES:
            levels |= dict.fromkeys((line.text for line in run), level)
            pairs |= {(upper.text, lower.text) for upper, lower in pairwise(run)}
    return Headings(levels, frozenset(pairs))


def _line(text: str, tokens: Sequence[Token]) -> _Line:
    return _Line(text, union(token.box for token in tokens), median(token.height for token in tokens))


def _continues(upper: _Line, lower: _Line) -> bool:
    """Return whether a line goes on with the heading of the line above it: it has its size, and follows it closely."""
    smaller, larger = sorted((upper.height, lower.height))
    if smaller < ALIKE * larger or _OWN_HEADING.match(lower.text) or upper.text.endswith(("?", "!", ":")):
        return False
    is_below = -larger <= lower.box.top - upper.box.bottom <= MAX_GAP * smaller and lower.box.bottom > upper.box.bottom
    return is_below and lower.box.left < upper.box.right and upper.box.left < lower.box.right


def headings_of(text: str, words: Sequence[tuple[str, float, float]]) -> dict[str, int]:
    """Find the lines of a page that are printed much larger than most others.

    Args:
        text: the page's lines.
        words: its words in the same order, each with its width and height.

    Returns:
        The lines, with the level of their headings; no line with a word that lies on its side, and none on a page of few lines, or where words do not lie level.
    """
    if not words or median(height for _, _, height in words) > median(width for _, width, _ in words):
        return {}
    heights: dict[str, float] = {}
    at = 0
    for line in (one.strip() for one in text.splitlines()):
        own = []
        is_upright = False
        for token in line.split():
            if at < len(words) and words[at][0] == token:
                _, width, height = words[at]
                own.append(height)
                is_upright |= height >= UPRIGHT_SHAPE * width and sum(map(str.isalnum, token)) >= UPRIGHT
                at += 1
        if line and len(own) == len(line.split()) and not is_upright:
            heights[line] = median(own)
    if len(heights) < LEAST_LINES:
        return {}
    body = median(heights.values())
    return {
        line: 1 if height >= LARGEST * body else 2
        for line, height in heights.items()
        if height >= LARGE * body and _may_be_heading(line)
    }


def _may_be_part(line: str) -> bool:
    """Return whether a line may be a part of a heading: it is no item of a list."""
    return (line[0].isalnum() or line[0] in _OPENING) and _may_be_heading(line)


def _may_be_heading(line: str) -> bool:
    letters = sum(map(str.isalpha, line))
    return letters >= 3 and len(line) <= _LONGEST and 2 * letters > len(line) and not line.endswith((".", ",", ";"))
