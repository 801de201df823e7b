"""Headings of a PDF by its outline: a title of the outline that stands on its page is a heading of the outline's level.

Engines tell headings by the size of their type, which differs between the parts of a book and shows no level where two levels
are as large. The outline is evidence: an entry whose title is not on its page changes nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from octavo_contracts import Conversion

from .heading_lines import FENCE, letters_of
from .pdf_outline import MAX_TITLE, OutlineEntry

OUTLINE = "octavo.outline"
"""Extension of a conversion: level, title and page of each entry of the outline."""
MAX_LINES = 4
"""Most lines that a title is printed in."""
DEEPEST = 6
"""Lowest level of a heading in markdown."""
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t#]*$")
_NO_TITLE = re.compile(r"^[ \t]*(?:\||>|[-*+][ \t]|!\[|\$\$|[-*_]{3,}$)")
"""A row of a table, a quote, an item, a picture, a formula, a rule."""
_EMPHASIS = re.compile(r"^(\*{1,3}|_{1,3})(\S|\S.*\S)\1$")
_LINK = re.compile(r"\[([^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*\)")
_TAG = re.compile(r"<sup>\d{1,3}</sup>|</?[a-z]{1,6}>")
"""The mark of a note, which no outline has, and other tags."""
_NUMBER = r"(?:\d{1,3}|[IVXLC]{1,6}|[A-Z])(?:[.\-\u2013]\d{1,3})*"
_LABEL = re.compile(rf"^(?:[^\W\d_]{{2,12}}\.?\s+)?{_NUMBER}[.:)]?(?=\s|$)[\s.:\u2013\u2014\-]*")
"""Number of a part, with or without a word before it: "1.1", "Chapter 3:", "A."."""


def with_outline(conversion: Conversion) -> Conversion:
    """Return the conversion with the headings that its outline has; applying it again changes nothing.

    A heading that the outline lacks stays, one level below the entry that it stands in. The title of that entry at the edge of
    a later page is a running head, and no heading.
    """
    entries = _stored(conversion)
    if not entries or not conversion.paginated:
        return conversion
    by_page: dict[int, list[OutlineEntry]] = {}
    for entry in entries:
        by_page.setdefault(entry.page, []).append(entry)
    above: list[OutlineEntry] = []
    pages = []
    for page in conversion.pages:
        markdown = page.markdown
        if above or page.number in by_page:
            markdown = _PageOutline(markdown).applied(by_page.get(page.number, ()), above)
        pages.append(page if markdown == page.markdown else page.model_copy(update={"markdown": markdown}))
    return conversion.model_copy(update={"pages": tuple(pages)})


def outline_record(entries: Iterable[OutlineEntry], pages: Sequence[int]) -> list[list[int | str]]:
    """Return the entries as the extension `OUTLINE` has them.

    Args:
        entries: of the document.
        pages: number in the document of each page of the conversion.
    """
    places = {number: place for place, number in enumerate(pages, start=1)}
    return [[entry.level, entry.title, places[entry.page]] for entry in entries if entry.page in places]


def _stored(conversion: Conversion) -> list[OutlineEntry]:
    stored = conversion.extensions.get(OUTLINE)
    found = []
    for one in stored if isinstance(stored, list | tuple) else ():
        if isinstance(one, list | tuple) and len(one) == 3:
            level, title, page = one
            if isinstance(level, int) and isinstance(title, str) and isinstance(page, int):
                found.append(OutlineEntry(level=level, title=title, page=page))
    return found


@dataclass
class _Row:
    """A line of a page's markdown that may be a title, or a part of one.

    Attributes:
        line: index of the line.
        run: rows with the same number have no other content between them.
        text: its words as markdown, without the mark of a heading and without emphasis of the whole.
        is_heading: whether it is marked as a heading.
    """

    line: int
    run: int
    text: str
    is_heading: bool
    shown: str = field(init=False)
    letters: str = field(init=False)

    def __post_init__(self) -> None:
        self.shown = _TAG.sub("", _LINK.sub(r"\1", self.text)).replace("\\", "").strip("*_ ")
        self.letters = _letters(self.shown)


@dataclass(frozen=True)
class _Found:
    first: int
    end: int
    level: int


class _PageOutline:
    """The lines of one page."""

    def __init__(self, markdown: str) -> None:
        self._lines = markdown.split("\n")
        self._rows = list(_rows(self._lines))
        self._spans: dict[tuple[str, bool], list[tuple[int, int]]] = {}
        for key, span in self._keys():
            self._spans.setdefault(key, []).append(span)

    def _keys(self) -> Iterator[tuple[tuple[str, bool], tuple[int, int]]]:
        """Yield the letters of each row and of rows that follow each other, with the number of the part and without it."""
        for first, row in enumerate(self._rows):
            whole = ""
            shown: list[str] = []
            for end, last in enumerate(self._rows[first : first + MAX_LINES], start=first + 1):
                whole += last.letters
                shown.append(last.shown)
                if last.run != row.run or len(whole) > MAX_TITLE:
                    break
                if not row.letters or not last.letters:
                    continue
                yield (whole, False), (first, end)
                bare = _letters(_LABEL.sub("", " ".join(shown), count=1))
                if len(bare) > 1 and bare != whole:
                    yield (bare, True), (first, end)

    def applied(self, entries: Sequence[OutlineEntry], above: list[OutlineEntry]) -> str:
        """Return the markdown with the headings of the outline.

        Args:
            entries: those that point to the page.
            above: the entry that the page begins in, after those that contain it; changed to that of the page's end.
        """
        found: dict[int, tuple[_Found, OutlineEntry]] = {}
        taken: set[int] = set()
        after = 0
        for entry in entries:
            place = self._place(entry, taken, after)
            if place is not None:
                found[place.first] = (place, entry)
                taken.update(range(place.first, place.end))
                after = place.end
        replaced: dict[int, str] = {}
        at = 0
        while at < len(self._rows):
            if at in found:
                place, entry = found[at]
                self._set(place, replaced)
                above[:] = [*(one for one in above if one.level < entry.level), entry]
                at = place.end
                continue
            row = self._rows[at]
            if row.is_heading and above:
                replaced[row.line] = (
                    row.text if self._is_running(at, above) else _heading(row.text, above[-1].level + 1)
                )
            at += 1
        return self._written(replaced)

    def _place(self, entry: OutlineEntry, taken: set[int], after: int) -> _Found | None:
        """Return the rows of an entry's title: those behind the last title and those marked as headings before others."""
        wanted = _letters(entry.title)
        bare = _letters(_LABEL.sub("", entry.title, count=1))
        best: tuple[tuple[bool, int, bool, int], _Found] | None = None
        for fit, key in enumerate(((wanted, False), (wanted, True), (bare, False), (bare, True))):
            for first, end in self._spans.get(key, ()) if len(key[0]) > 1 else ():
                if not taken.isdisjoint(range(first, end)):
                    continue
                rank = (first < after, fit, not any(row.is_heading for row in self._rows[first:end]), first)
                if best is None or rank < best[0]:
                    best = (rank, _Found(first, end, entry.level))
        if best is None:
            return None
        place = best[1]
        return _Found(place.first - self._has_label_above(place, taken), place.end, place.level)

    def _has_label_above(self, place: _Found, taken: set[int]) -> bool:
        """Return whether the row above a title is a heading that is only its number, such as "Chapter 3"."""
        if place.first == 0 or place.first - 1 in taken:
            return False
        row = self._rows[place.first - 1]
        is_near = row.run == self._rows[place.first].run
        return is_near and row.is_heading and bool(row.letters) and not _LABEL.sub("", row.shown)

    def _is_running(self, at: int, above: Sequence[OutlineEntry]) -> bool:
        is_edge = at in (0, len(self._rows) - 1)
        own = _without_figures(self._rows[at].letters)
        return is_edge and any(own == _without_figures(_letters(entry.title)) for entry in above)

    def _set(self, place: _Found, replaced: dict[int, str]) -> None:
        rows = self._rows[place.first : place.end]
        replaced[rows[0].line] = _heading(" ".join(row.text for row in rows), place.level)
        for line in range(rows[0].line + 1, rows[-1].line + 1):
            replaced[line] = ""

    def _written(self, replaced: dict[int, str]) -> str:
        """Return the markdown with lines replaced, and with an empty line on both sides of each heading."""
        made: list[str] = []
        was_set = was_removed = False
        for at, line in enumerate(self._lines):
            text = replaced.get(at, line)
            if at in replaced and not text:
                was_removed = True
                continue
            if not text.strip() and was_removed and made and not made[-1].strip():
                continue
            if made and made[-1].strip() and text.strip() and (was_set or at in replaced):
                made.append("")
            made.append(text)
            was_set, was_removed = at in replaced, was_removed and not text.strip()
        return "\n".join(made)


def _rows(lines: Sequence[str]) -> Iterator[_Row]:
    run, is_in_code = 0, False
    for at, line in enumerate(lines):
        if FENCE.match(line):
            is_in_code = not is_in_code
        if is_in_code or FENCE.match(line) or _NO_TITLE.match(line):
            run += 1
        elif line.strip():
            match = _HEADING.match(line)
            text = (match[1] if match else line).strip()
            whole = _EMPHASIS.match(text)
            yield _Row(at, run, whole[2] if whole and whole[1] not in whole[2] else text, match is not None)


def _heading(text: str, level: int) -> str:
    return f"{'#' * min(DEEPEST, max(1, level))} {text}"


def _letters(text: str) -> str:
    return letters_of(unicodedata.normalize("NFKC", text))


def _without_figures(letters: str) -> str:
    return "".join(char for char in letters if not char.isdigit())
