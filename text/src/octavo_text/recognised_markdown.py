"""Renders recognised text as markdown: large print as headings, bullets as lists, all else as it stands."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from statistics import median
from types import MappingProxyType
from typing import TYPE_CHECKING

from octavo_contracts.authoring import escape, escape_line_starts

from .recognised_bullets import beginning, lists_of, placed_words

if TYPE_CHECKING:
    from octavo_contracts import OCRResult

_BULLET = re.compile(r"[\u2022\u25cf\u25aa\u25e6\u2023\u00b7]\s+(?=\S)")
LEAST_LINES = 8
"""Lines of a page of which the size of the body text can be told."""
LARGE, LARGEST = 1.45, 1.9
"""Height of a heading, and of one of the highest level, in heights of the body text's lines."""
UPRIGHT = 3
"""Letters of a word that is taller than wide, and so lies on its side."""
_LONGEST = 90
"""Letters of a heading."""


def page_markdown(text: str, result: OCRResult) -> str:
    """Return the text of a recognised page as markdown, with headings and lists.

    Args:
        text: of the page, its broken words joined.
        result: with the text as it was recognised, and the places of its words.
    """
    boxes = [(word.text, word.box) for word in result.words]
    sizes = [(word, box.right - box.left, box.bottom - box.top) for word, box in boxes]
    said = result.extracted_text
    lists = lists_of(said, placed_words(result))
    of_items = {line.strip() for number, line in enumerate(said.splitlines()) if number in lists.continued}
    headings = {line: level for line, level in headings_of(said, sizes).items() if line not in of_items}
    return as_markdown(text, headings, lists.bullets)


def as_markdown(
    text: str, headings: Mapping[str, int] = MappingProxyType({}), bullets: Collection[str] = frozenset()
) -> str:
    """Return recognised text as markdown that shows it unchanged: paragraphs and lines are kept, markup is inert.

    Args:
        text: paragraphs with an empty line between them.
        headings: lines that are headings, with their levels; see `headings_of`.
        bullets: beginnings of lines whose first word is a bullet; see `lists_of`.
    """
    blocks = []
    for part in text.split("\n\n"):
        lines = [line.strip() for line in part.splitlines() if line.strip()]
        start = 0
        for at, line in enumerate(lines):
            if line in headings:
                blocks += [_written(lines[start:at], bullets), f"{'#' * headings[line]} {escape(line)}"]
                start = at + 1
        blocks.append(_written(lines[start:], bullets))
    return "\n\n".join(block for block in blocks if block)


def _written(lines: Sequence[str], bullets: Collection[str]) -> str:
    """Write the lines of a paragraph; a line with a bullet is an item of a list."""
    return "\n".join(
        f"- {escape(item)}" if (item := _item(line, bullets)) else escape_line_starts(escape(line)) for line in lines
    )


def _item(line: str, bullets: Collection[str]) -> str:
    """Return the text of an item of a list; empty for another line."""
    if beginning(line) in bullets:
        return line.split(maxsplit=1)[1]
    found = _BULLET.match(line)
    return line[found.end() :] if found else ""


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
                is_upright |= height > width and sum(map(str.isalnum, token)) >= UPRIGHT
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


def _may_be_heading(line: str) -> bool:
    letters = sum(map(str.isalpha, line))
    return letters >= 3 and len(line) <= _LONGEST and 2 * letters > len(line) and not line.endswith((".", ",", ";"))
