"""Lines of vertical writing, which run from top to bottom and follow each other from right to left."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

_EAST_ASIAN = re.compile("[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_INDENT = 0.8
"""Least indentation of the first line of a paragraph, in widths of a line."""
_WIDER = 1.6
"""How much farther than usual from the line before the first line of a paragraph stands."""


@dataclass(frozen=True, slots=True)
class VerticalLine:
    """A line of vertical writing, in points from the top left corner of the page."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class CharEdges:
    """The box of a character, in points from the top left corner of the page."""

    left: float
    top: float
    right: float
    bottom: float


def vertical_lines(lines: Iterable[tuple[str, CharEdges, CharEdges]]) -> tuple[VerticalLine, ...]:
    """Return the lines of a page in vertical writing; none if a line is horizontal.

    Args:
        lines: text, first character and last character of each line that has a text. The first horizontal line is the last
            one that is taken from them.
    """
    found: list[VerticalLine] = []
    for text, first, last in lines:
        if _may_be_vertical(text):
            if not _runs_down(first, last):
                return ()
        elif not found and len(text) > 1:
            return ()
        left, right = min(first.left, last.left), max(first.right, last.right)
        found.append(VerticalLine(text=text, left=left, top=first.top, right=right, bottom=last.bottom))
    return tuple(found) if any(_may_be_vertical(line.text) for line in found) else ()


def _may_be_vertical(text: str) -> bool:
    """Return whether a line has the two East Asian characters whose places tell its direction."""
    return len(_EAST_ASIAN.findall(text)) > 1


def _runs_down(first: CharEdges, last: CharEdges) -> bool:
    shift = abs(last.left - first.left)
    return last.bottom - first.bottom > shift and shift < (first.right - first.left) / 2


def reading_order(lines: Sequence[VerticalLine]) -> list[int]:
    """Return the places of lines in the order in which they are read: from the right, and tier by tier from the top.

    Args:
        lines: of one page, in any order.
    """
    places = {id(line): place for place, line in enumerate(lines)}
    return [places[id(line)] for tier in _tiers(lines) for line in tier]


def vertical_paragraphs(lines: Iterable[VerticalLine]) -> list[str]:
    """Return paragraphs, in reading order, with their lines one below the other.

    Tiers of lines are read from the top. A paragraph begins with a line that is indented or stands farther from the one before.

    Args:
        lines: of one page, in any order.
    """
    return [paragraph for tier in _tiers(lines) for paragraph in _paragraphs(tier)]


def _tiers(lines: Iterable[VerticalLine]) -> list[list[VerticalLine]]:
    """Return the lines of each tier, from the right: those that stand beside each other."""
    tiers: list[list[VerticalLine]] = []
    bottom = float("-inf")
    for line in sorted(lines, key=lambda one: one.top):
        if line.top >= bottom:
            tiers.append([])
        tiers[-1].append(line)
        bottom = max(bottom, line.bottom)
    return [sorted(tier, key=lambda one: -one.right) for tier in tiers]


def _paragraphs(tier: Sequence[VerticalLine]) -> list[str]:
    steps = [before.right - line.right for before, line in pairwise(tier)]
    usual, top = median(steps) if steps else 0.0, min(line.top for line in tier)
    paragraphs: list[list[str]] = []
    last: VerticalLine | None = None
    for line in tier:
        is_indented = line.top - top > _INDENT * (line.right - line.left)
        if last is None or is_indented or last.right - line.right > _WIDER * usual:
            paragraphs.append([])
        paragraphs[-1].append(line.text)
        last = line
    return ["\n".join(paragraph) for paragraph in paragraphs]
