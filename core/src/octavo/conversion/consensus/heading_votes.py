"""Headings by the vote of several readings: a line is one if most engines that mark headings say so."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .heading_lines import FENCE, Heading, headings_in, letters_of
from .readings import PageReading

MAX_CHARS = 200
"""Longer paragraphs are not promoted."""

_NO_TEXT = re.compile(r"^[ \t]*(?:\||[-*+][ \t]|>|\d+[.)][ \t]|---+$)")
_EMPHASIS = re.compile(r"^(\*{1,3}|_{1,3})(.+)\1$")


def voted(base: PageReading, others: Sequence[PageReading], markdown: str) -> str:
    """Return a page's markdown with the headings that most voters mark.

    A heading of the base stays with half of the votes, its own among them, unless it is the last line of a page that has
    other text: a heading stands before what it names. A paragraph of one line becomes a heading with more than half.

    Args:
        base: the reading that the markdown is of; a voter.
        others: the other voters' readings of the page.
        markdown: the page, perhaps with tables of other readings.
    """
    voters = len(others) + 1
    lines = markdown.split("\n")
    own = {heading.line: heading for heading in headings_in(markdown)}
    filled = [at for at, text in enumerate(lines) if text.strip()]
    for line, heading in own.items():
        if line == filled[-1] and not own.keys() >= set(filled):
            lines[line] = lines[line].lstrip("# \t")
            continue
        votes = 1 + sum(_supports(other, heading.letters) for other in others)
        if 2 * votes < voters and all(heading.letters in other.letters for other in others):
            lines[line] = lines[line].lstrip("# \t")
    for line in _lone_lines(lines):
        if line in own:
            continue
        letters = letters_of(lines[line])
        marked = [found for other in others if (found := _same(other, letters)) is not None]
        if letters and 2 * len(marked) > voters:
            emphasised = _EMPHASIS.match(lines[line].strip())
            lines[line] = f"{'#' * marked[0].level} {(emphasised[2] if emphasised else lines[line]).strip()}"
    return "\n".join(lines)


def _supports(other: PageReading, letters: str) -> bool:
    """Return whether a reading has the heading, or one that contains it or is most of it: a title of two lines may be one."""
    return any(
        letters in one.letters or (one.letters in letters and 2 * len(one.letters) >= len(letters))
        for one in other.headings
    )


def _same(other: PageReading, letters: str) -> Heading | None:
    return next((one for one in other.headings if one.letters == letters), None)


def _lone_lines(lines: Sequence[str]) -> list[int]:
    """Return the paragraphs of one short line, outside fenced code, lists, quotes and tables."""
    found = []
    in_code = False
    for at, text in enumerate(lines):
        if FENCE.match(text):
            in_code = not in_code
            continue
        alone = not (at and lines[at - 1].strip()) and not (at + 1 < len(lines) and lines[at + 1].strip())
        if alone and not in_code and text.strip() and len(text) <= MAX_CHARS and not _NO_TEXT.match(text):
            found.append(at)
    return found
