"""Quotations and lines of a document, with their positions."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from octavo_contracts import Span
from octavo_text.canonical import CanonicalText, fold
from octavo_text.deadline import checkpoint
from octavo_text.markdown import plain_text

from .prose import is_heading

WINDOW = 20_000
"""Code points after the last line that are searched for the next one."""
MOST_TRIES = 1_000_000
"""Maximum skipped matches inside longer words, over all lines; there may be any number of lines that are not in the text.
A report of a thousand pages has some ten thousand."""
MOST_BRACKETS = 100_000
"""Maximum opening brackets that are parsed, over all lines: an unclosed one takes the parser 100 µs."""
LONGEST_PARSED = 2_000
_MARKS = re.compile(r"[*_`\[\]\\<>&!~#]|^\s*(?:[-+]|\d+[.)])\s")
_PLAIN_ITEM = re.compile(r" {0,3}[-+] {1,4}(?!\d{1,9}[.)](?: |$))([A-Za-z0-9][A-Za-z0-9 ,.;()'’-]*)")
"""A list item without markup, which needs no parser: a long list consists of such items."""
_CLOCK = re.compile(r"\[(?P<time>\d{2,}:\d\d:\d\d)\]\s+")
"""Time at the beginning of a paragraph of a transcript."""
_HARD_BREAK = re.compile(r"(?<!\\)\\$")
"""The backslash of a line break in markdown, which a line has not on the page."""
_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, kw_only=True)
class Quoted:
    """A value quoted from the document or its metadata.

    Attributes:
        value: the value as written, or normalised: dates in ISO 8601.
        span: its position in code points of the canonical text; None for values from the file's metadata.
        page: its page, from 1; None for metadata.
    """

    value: str
    span: Span | None
    page: int | None


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line as displayed on the page.

    Attributes:
        text: its text with white space collapsed, without markdown syntax.
        span: its position in the canonical text.
        page: its page, from 1.
        heading: level of a heading, from 1; 0 for other lines, and for those that cannot be a heading (`is_heading`).
        is_row: whether it is a row of a table.
        clock: the time at which it was spoken, as `00:12:30`; None if it is no line of a transcript with times.
    """

    text: str
    span: Span
    page: int
    heading: int = 0
    is_row: bool = False
    clock: str | None = None


def lines_of(text: CanonicalText, markdown_pages: Sequence[str]) -> tuple[Line, ...]:
    """Return the lines of a document with their positions; lines whose text is not found on their page are omitted.

    Args:
        text: the canonical text.
        markdown_pages: the markdown of each page, or of the whole document if it has no pages.
    """
    found: list[Line] = []
    search, reader = _Search(text.text), _Reader()
    for number, (page, markdown) in enumerate(zip(text.pages, markdown_pages, strict=True), start=1):
        place = page.start
        for raw in _raw_lines(markdown):
            checkpoint()
            heading, is_row = _level(raw), raw.lstrip().startswith("|")
            folded = reader.cells(raw) if is_row else reader.shown(raw.lstrip("# ") if heading else raw)
            if not folded:
                continue
            clock = _CLOCK.match(folded)
            if clock is not None:  # the canonical text has no times
                folded = folded[clock.end() :]
            start = search.find(folded, place, min(page.end, place + WINDOW + len(folded))) if folded else -1
            if start < 0:
                continue
            place = start + len(folded)
            span = Span(start=start, end=place)
            level = heading if heading and is_heading(folded) else 0
            time = clock["time"] if clock is not None else None
            found.append(Line(text=folded, span=span, page=number, heading=level, is_row=is_row, clock=time))
    return tuple(found)


def page_of(text: CanonicalText, place: int) -> int:
    """Return the page of a position, from 1."""
    return max(1, bisect_right(text.pages, place, key=lambda page: page.start))


def quote(text: CanonicalText, start: int, end: int, *, value: str | None = None) -> Quoted:
    """Quote a range of the text.

    Args:
        text: the canonical text.
        start: first code point.
        end: one past the last.
        value: the normalised value; default: the quoted text.
    """
    checkpoint()
    span = Span(start=start, end=end)
    return Quoted(value=value if value is not None else span.of(text.text), span=span, page=page_of(text, start))


def _raw_lines(markdown: str) -> list[str]:
    return [_HARD_BREAK.sub("", line) for line in markdown.splitlines() if line.strip(" |-:=_*\\")]


class _Reader:
    """Renders lines of markdown as plain text, parsing at most `MOST_BRACKETS` brackets in total."""

    def __init__(self) -> None:
        self._brackets = MOST_BRACKETS

    def cells(self, row: str) -> str:
        """Return the text of a table row as in the canonical text: cells separated by a space."""
        cells = _BAR.split(row.strip().strip("|"))
        return " ".join(folded for cell in cells if (folded := self.shown(cell.replace("\\|", "|"))))

    def shown(self, markdown: str) -> str:
        """Return the visible text of a line. Most lines have no markup, and the longest are not worth parsing."""
        if item := _PLAIN_ITEM.fullmatch(markdown):
            return fold(item[1])
        if _MARKS.search(markdown) is None or len(markdown) > LONGEST_PARSED:
            return fold(markdown)
        brackets = markdown.count("[")
        if brackets > self._brackets:
            return fold(markdown)
        self._brackets -= brackets
        return fold(plain_text(markdown))


class _Search:
    """Finds lines in a text, retrying after matches inside longer words at most `MOST_TRIES` times in total.

    Args:
        text: the canonical text.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._tries = MOST_TRIES

    def find(self, line: str, start: int, end: int) -> int:
        """Return the position of a line as whole words, or -1."""
        text = self._text
        at = text.find(line, start, end)
        while at >= 0:
            before = at > 0 and text[at - 1].isalnum() and line[0].isalnum()
            after = at + len(line)
            if not before and not (after < len(text) and text[after].isalnum() and line[-1].isalnum()):
                return at
            if not self._tries:
                return -1
            self._tries -= 1
            at = text.find(line, at + 1, end)
        return -1


def _level(line: str) -> int:
    marks = len(line) - len(line.lstrip("#"))
    return marks if 1 <= marks <= 6 and line[marks : marks + 1] == " " else 0
