"""Headings by the vote of several readings: a line is one if most engines that mark headings say so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from octavo_text.heading_lines import FENCE, Heading, headings_in, is_no_heading, letters_of, without_empty_headings
from octavo_text.tables.table_words import Bag
from octavo_text.words import words

from .readings import PageReading

MAX_CHARS = 200
"""Longer paragraphs are not promoted."""

MARKS = "# \t"
"""What stands before a heading's text."""
READ_SO = 0.75
"""A reading has a line if it has more than this share of its pairs of neighbouring words."""
_NO_TEXT = re.compile(r"^[ \t]*(?:\||[-*+][ \t]|>|\d+[.)][ \t]|---+$)")
_EMPHASIS = re.compile(r"^(\*{1,3}|_{1,3})(.+)\1$")


def voted(base: PageReading, others: Sequence[PageReading], markdown: str) -> str:
    """Return a page's markdown with the headings that most voters mark.

    A heading of the base stays with half of the votes, its own among them, unless it is the last line of a page that has
    other text: a heading stands before what it names. Sentences are a heading only with every vote. A paragraph of one line
    becomes a heading with more than half. A heading's level is that of most voters that mark it.

    Args:
        base: the reading that the markdown is of; a voter.
        others: the other voters' readings of the page.
        markdown: the page, perhaps with tables of other readings.
    """
    voters = len(others) + 1
    lines = _without_prose(without_empty_headings(markdown).split("\n"), others)
    own = {heading.line: heading for heading in headings_in("\n".join(lines))}
    filled = [at for at, text in enumerate(lines) if text.strip()]
    for line, heading in own.items():
        if line == filled[-1] and not own.keys() >= set(filled):
            lines[line] = lines[line].lstrip(MARKS)
            continue
        votes = 1 + sum(_supports(other, heading.letters) for other in others)
        if 2 * votes < voters and all(_reads(other, heading, lines[line]) for other in others):
            lines[line] = lines[line].lstrip(MARKS)
            continue
        levels = [heading.level, *(same.level for other in others if (same := _same(other, heading.letters)))]
        level, count = Counter(levels).most_common(1)[0]
        if level != heading.level and 2 * count > len(levels):
            lines[line] = f"{'#' * level} {lines[line].lstrip(MARKS)}"
    for line in _lone_lines(lines):
        if line in own:
            continue
        letters = letters_of(lines[line])
        marked = [found for other in others if (found := _same(other, letters)) is not None]
        if letters and 2 * len(marked) > voters:
            emphasised = _EMPHASIS.match(lines[line].strip())
            lines[line] = f"{'#' * marked[0].level} {(emphasised[2] if emphasised else lines[line]).strip()}"
    return "\n".join(lines)


def _without_prose(lines: Sequence[str], others: Sequence[PageReading]) -> list[str]:
    """Return the lines with headings of whole sentences, formulas and heads of tables as paragraphs, unless all voters mark them.

    Beside a large table in small print the text of a page looks large. Some engines make a heading of each line of a paragraph.
    """
    made = list(lines)
    for run in reversed(_runs(lines, others)):
        text = " ".join(lines[one.line].lstrip(MARKS) for one in run)
        if is_no_heading(text) and not all(_supports(other, one.letters) for one in run for other in others):
            made[run[0].line : run[-1].line + 1] = [text]
    return made


def _runs(lines: Sequence[str], others: Sequence[PageReading]) -> list[list[Heading]]:
    """Return the headings of a page; those of one level with nothing between them are together, if not all others have each."""
    runs: list[list[Heading]] = []
    last: Heading | None = None
    for one in headings_in("\n".join(lines)):
        is_apart = all(_same(other, one.letters) for other in others)
        if not is_apart and last and last.level == one.level and not "".join(lines[last.line + 1 : one.line]).strip():
            runs[-1].append(one)
        else:
            runs.append([one])
        last = None if is_apart else one
    return runs


def _supports(other: PageReading, letters: str) -> bool:
    """Return whether a reading has the heading, or one that contains it or is most of it: a title of two lines may be one."""
    return any(
        letters in one.letters or (one.letters in letters and 2 * len(one.letters) >= len(letters))
        for one in other.headings
    )


def _reads(other: PageReading, heading: Heading, text: str) -> bool:
    """Return whether a reading has a heading's text, apart from marks of notes and cut words."""
    pairs: Bag = Counter(pairwise(words(text)))
    return heading.letters in other.letters or (pairs & other.word_pairs).total() > READ_SO * pairs.total()


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
