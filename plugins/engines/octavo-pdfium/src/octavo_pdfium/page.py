"""Reads one page: its lines with their positions, and its invisible text."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import index
from typing import NamedTuple

from octavo_contracts import HiddenText
from octavo_contracts.authoring.control_signs import with_bullets
from octavo_contracts.authoring.hyphens import SOFT_HYPHEN
from octavo_contracts.authoring.symbol_signs import with_symbol_signs
from octavo_contracts.authoring.vertical_lines import CharEdges, VerticalLine, reading_order, vertical_lines

from .found_tables import FoundTable
from .frame import Frame
from .native import Cells, Native, Rect
from .page_rules import RuleReader
from .page_tables import tables_on
from .page_words import Word, may_have_figures
from .right_to_left import RIGHT_TO_LEFT, ReadingOrder
from .ruled_tables import grids_of
from .visibility import ObjectScanner, Scan, Why

MAX_PAGE_CHARS = 2_000_000
"""Most characters kept of one page. A page of a book has about three thousand."""

MAX_WORDS = 5000
"""Most words of a page that is searched for tables. A dense page has two thousand."""
_SAME_LINE, _RAISED, _LEAST_GAP, _WIDEST_GAP = 0.25, 0.6, 0.12, 0.6
"""In font sizes: by how much the tops of the parts of a line and of its raised marks differ, the least and the widest gap of a blank."""
SPECK = 0.1
"""Least width and height of a word, in points."""

_CONTROLS = dict.fromkeys((*range(32), *range(127, 160), 8232, 8233), " ") | {0xAD: None}
"""Control characters from broken fonts, and soft hyphens, which are invisible inside a line."""


_WORD = re.compile(rf"[^\s\x00-\x1f\x7f-\x9f\xad{SOFT_HYPHEN}]+")


class Line(NamedTuple):
    """A line of text, in the page's own orientation: points from its top left corner."""

    text: str
    top: float
    last_top: float
    """Top of the last printed line: a word broken at a line's end makes one line of two."""
    left: float
    size: float
    """Font size in points, to a tenth: the smaller of the line's first and last character."""


@dataclass(frozen=True, slots=True)
class PageReading:
    """One page as read by PDFium."""

    lines: Sequence[Line] = ()
    width: float | None = None
    height: float | None = None
    has_images: bool = False
    hidden: tuple[HiddenText, ...] = ()
    chars: int = 0
    """Characters of the page's text, hidden ones included."""
    cut: bool = False
    """Whether characters past `MAX_PAGE_CHARS`, or objects past the scanner's limit, were left out."""
    tables: Sequence[FoundTable] = ()
    """The tables of figures, if they are looked for."""


class PageReader:
    """Reads the pages of one document.

    Args:
        lib: PDFium.
        document: its handle.
        find_tables: whether to look for tables of figures.
    """

    def __init__(self, lib: Native, document: int, *, find_tables: bool = False) -> None:
        self._lib = lib
        self._find_tables = find_tables
        self._document = document
        self._scanner = ObjectScanner(lib)
        self._rules = RuleReader(lib)
        self._box = Rect()
        self._box_pointer = ctypes.c_void_p(ctypes.addressof(self._box))
        self._matrix = Cells(ctypes.c_float, 6)
        self._sizes: dict[float, float] = {}

    def read(self, index: int) -> PageReading | None:
        """Read the page at `index`, counted from 0; None where PDFium cannot load it."""
        lib = self._lib
        page = lib.load_page(self._document, index)
        if not page:
            return None
        try:
            text_page = lib.load_text(page)
            if not text_page:
                return None
            try:
                return self._read(page, text_page)
            finally:
                lib.close_text(text_page)
        finally:
            lib.close_page(page)

    def _read(self, page: int, text_page: int) -> PageReading:
        lib = self._lib
        lib.page_box(page, self._box_pointer)
        box = Rect.from_buffer_copy(self._box)
        scan = self._scanner.scan(page, box)
        chars = lib.count_chars(text_page)
        text = _Text(lib, text_page, min(chars, MAX_PAGE_CHARS))
        hidden: tuple[HiddenText, ...] = ()
        if scan.hidden or scan.white:
            text, hidden = self._without_hidden(text, scan)
        frame = Frame(box, lib.page_rotation(page))
        lines, numbers = self._lines(page, text, frame)
        vertical = () if text.value.isascii() else vertical_lines(self._line_ends(text, frame))
        return PageReading(
            lines=_turned(lines, vertical) if vertical else lines,
            width=lib.page_width(page) or None,
            height=lib.page_height(page) or None,
            has_images=scan.has_images,
            hidden=hidden,
            chars=chars,
            cut=chars > MAX_PAGE_CHARS or not scan.complete,
            tables=self._tables(text, numbers, scan, frame) if self._find_tables and not vertical else (),
        )

    def _tables(self, text: _Text, numbers: Sequence[int], scan: Scan, frame: Frame) -> Sequence[FoundTable]:
        grids = grids_of(self._rules.read(scan.drawn, frame))
        has_figures = may_have_figures(text.value)
        return tables_on(self._words(text, numbers, frame), grids, figures=has_figures) if grids or has_figures else ()

    def _lines(self, page: int, text: _Text, frame: Frame) -> tuple[list[Line], list[int]]:
        """Lines with text, and for each of PDFium's lines the index of the line that it is a part of.

        One or two PDFium calls per line: this loop takes most of the plugin's time.
        """
        char_box, place, sizes = self._lib.char_box, frame.place, self._sizes
        box, pointer, text_page, places = self._box, self._box_pointer, text.page, text.places
        order: ReadingOrder | None = None
        lines: list[Line] = []
        numbers: list[int] = []
        end, before, last = -2, 0.0, 0
        for piece in text.value.split("\r\n"):
            start = end + 2
            end = start + len(piece)
            clean = piece if piece.isprintable() else with_bullets(piece).translate(_CONTROLS)
            clean = with_symbol_signs(clean).strip()
            if not clean:
                continue
            if piece[0] == " ":
                start += len(piece) - len(piece.lstrip())
            first = places[start] if places else start
            char_box(text_page, first, pointer)
            top, left, extent = place(box)
            size = sizes.get(extent) or self._size(text_page, first, extent)
            if size > before:
                # A drop cap does not make a heading: the last character of the line must be as large.
                size = min(size, self._size_at(text, end - 1 - len(piece) + len(piece.rstrip()), frame))
            before = size
            last_top = top
            if SOFT_HYPHEN in clean:
                char_box(text_page, text.char(end - len(piece) + piece.rindex(SOFT_HYPHEN) + 1), pointer)
                last_top = max(top, place(box)[0])
            elif not clean.isascii() and RIGHT_TO_LEFT.search(clean):
                order = order or ReadingOrder(self._lib, page, text_page)
                kept = range(end - len(piece), end)
                clean = order.restore(piece.translate(_CONTROLS), [text.char(one) for one in kept]).strip()
            line = Line(clean, top, last_top, left, size)
            joint = self._joint(text, last, lines[-1], line, frame) if lines else None
            if joint is None:
                lines.append(line)
            else:
                lines[-1] = lines[-1]._replace(text=f"{lines[-1].text}{joint}{clean}", last_top=last_top)
            numbers.append(len(lines) - 1)
            last = end - 1 - len(piece) + len(piece.rstrip())
        return lines, numbers

    def _joint(self, text: _Text, last: int, line: Line, following: Line, frame: Frame) -> str | None:
        """Return what stands between two lines of PDFium that are one on the page; None if they are not.

        PDFium ends a line behind a raised mark, such as that of a note, although the line goes on.

        Args:
            text: the page's text.
            last: position of the last character of the first line.
            line: the first line.
            following: the second one.
            frame: of the page.
        """
        near = _SAME_LINE * line.size
        if (
            abs(following.top - line.last_top) > near
            or following.left <= line.left
            or following.last_top > following.top + near
        ):
            return None
        edges = self._edges(text, last, frame)
        gap = following.left - edges.right
        # The last letter of a line that runs upwards or downwards has another top than the first.
        if abs(edges.top - line.last_top) > _RAISED * line.size or not -near <= gap <= _WIDEST_GAP * line.size:
            return None
        return " " if gap > _LEAST_GAP * line.size else ""

    def _words(self, text: _Text, numbers: Sequence[int], frame: Frame) -> list[Word]:
        """The words with their places and the index of their line, for the search for tables.

        There are none on a page with text from right to left, whose lines are turned round, nor above `MAX_WORDS`.
        """
        if RIGHT_TO_LEFT.search(text.value):
            return []
        char_box, edges, box, pointer, page = self._lib.char_box, frame.edges, self._box, self._box_pointer, text.page
        found: list[Word] = []
        for number, (start, piece) in zip(numbers, text.lines(), strict=True):
            for match in _WORD.finditer(piece):
                char_box(page, text.char(start + match.start()), pointer)
                left, top, right, bottom = edges(box)
                if match.end() - match.start() > 1:
                    char_box(page, text.char(start + match.end() - 1), pointer)
                    last = edges(box)
                    left, top = min(left, last[0]), min(top, last[1])
                    right, bottom = max(right, last[2]), max(bottom, last[3])
                # A box without an extent, of a broken font, still has a place.
                right, bottom = max(right, left + SPECK), max(bottom, top + SPECK)
                found.append(Word(match.group(), left, top, right, bottom, number))
                if len(found) > MAX_WORDS:
                    return []
        return found

    def _line_ends(self, text: _Text, frame: Frame) -> Iterator[tuple[str, CharEdges, CharEdges]]:
        """Yield text, first character and last character of each line."""
        for start, piece in text.lines():
            first, last = start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()) - 1
            yield piece.strip(), self._edges(text, first, frame), self._edges(text, last, frame)

    def _edges(self, text: _Text, position: int, frame: Frame) -> CharEdges:
        self._lib.char_box(text.page, text.char(position), self._box_pointer)
        return CharEdges(*frame.edges(self._box))

    def _size_at(self, text: _Text, position: int, frame: Frame) -> float:
        index = text.char(position)
        self._lib.char_box(text.page, index, self._box_pointer)
        return self._size(text.page, index, frame.place(self._box)[2])

    def _size(self, text_page: int, index: int, extent: float) -> float:
        """A character's font size in points, to a tenth: the font's size times the scale of the text's matrix.

        The extent of a character's box depends on font, size and matrix and is already known, so it is the cache key.
        """
        known = self._sizes.get(extent)
        if known is None:
            scale = 1.0
            if self._lib.char_matrix(text_page, index, self._matrix.pointers[0]):
                scale = math.hypot(self._matrix.values[2], self._matrix.values[3])
            known = self._sizes[extent] = round(self._lib.char_font_size(text_page, index) * scale, 1)
        return known

    def _without_hidden(self, text: _Text, scan: Scan) -> tuple[_Text, tuple[HiddenText, ...]]:
        """Separate visible from invisible text, by runs of characters of one text object."""
        runs = list(self._runs(text))
        why: dict[int, Why] = dict(scan.hidden)
        if scan.white:
            middles = self._middles(text, runs, scan)
            why |= dict.fromkeys(self._scanner.whites_without_ground(scan, middles.get), "white")
        kept: list[tuple[int, int]] = []
        gone: dict[Why, list[str]] = {}
        last: Why | None = None
        for start, end, owner in runs:
            piece = text.value[start:end]
            # PDFium inserts spaces and line ends between objects: they follow the text before them.
            reason = why.get(owner) if owner else (last if piece.isspace() else None)
            if reason is None or "\n" in piece:
                # Neighbours become one range: most of a page is one.
                begin = kept.pop()[0] if kept and kept[-1][1] == start else start
                kept.append((begin, end))
            if reason is not None:
                gone.setdefault(reason, []).append(piece)
            last = reason
        hidden = tuple(
            HiddenText(text=words, why=reason)
            for reason, parts in gone.items()
            if (words := " ".join("".join(parts).translate(_CONTROLS).split()))
        )
        return text.only(kept) if gone else text, hidden

    def _runs(self, text: _Text) -> Iterator[tuple[int, int, int]]:
        """Start, end and owner of the runs of characters of one text object; owner 0: inserted by PDFium.

        An object's characters follow one another on a line, so that two of them vouch for those between: a few
        questions an object instead of one a character. Only lines with text from right to left, which PDFium turns
        round piece by piece, are asked for character by character.
        """
        char_object, page, value = self._lib.char_object, text.page, text.value
        char = text.char if text.places is not None else index  # the cheapest function that returns a number
        start = 0
        for line in value.split("\r\n"):
            end = start + len(line)
            turned = not line.isascii() and RIGHT_TO_LEFT.search(line) is not None
            while start < end:
                owner = char_object(page, char(start)) or 0
                place, beyond = start, start + 1 if turned or not owner else end
                while beyond - place > 1:
                    ahead = (place + beyond) // 2 if beyond < end or place > start else beyond - 1
                    if char_object(page, char(ahead)) == owner:
                        place = ahead
                    else:
                        beyond = ahead
                yield start, place + 1, owner
                start = place + 1
            if end < len(value):
                yield end, end + 2, 0  # both characters of a line end stay together: half of one would join two lines
            start = end + 2

    def _middles(self, text: _Text, runs: list[tuple[int, int, int]], scan: Scan) -> dict[int, tuple[float, float]]:
        """White text object → the middle between its first and its last character, in user space."""
        middles: dict[int, tuple[float, float]] = {}
        box = self._box
        for start, end, owner in runs:
            if owner not in scan.white or owner in middles or text.value[start:end].isspace():
                continue
            self._lib.char_box(text.page, text.char(start), self._box_pointer)
            left, bottom, right, top = box.left, box.bottom, box.right, box.top
            self._lib.char_box(text.page, text.char(end - 1), self._box_pointer)
            middles[owner] = (
                (min(left, box.left) + max(right, box.right)) / 2,
                (min(bottom, box.bottom) + max(top, box.top)) / 2,
            )
        return middles


def _turned(lines: Sequence[Line], vertical: Sequence[VerticalLine]) -> list[Line]:
    """Return the lines of a page in vertical writing in reading order, with the places that they have on the page turned left.

    So turned, a line stands below the one that is read before it, as the lines of other pages do.
    """
    return [
        lines[place]._replace(top=-vertical[place].right, last_top=-vertical[place].right, left=vertical[place].top)
        for place in reading_order(vertical)
    ]


class _Text:
    """A page's text, with a map from its offsets to PDFium's character indexes."""

    def __init__(self, lib: Native, page: int, count: int, places: list[int] | None = None, value: str = "") -> None:
        self.page = page
        self._lib = lib
        self._count = count
        self.places = places
        self.value = value if places is not None else self._fetch(count)

    def _fetch(self, count: int) -> str:
        # Sizes that are powers of two: ctypes makes a type for each size of a buffer.
        buffer = ctypes.create_string_buffer(1 << (4 * count + 4).bit_length())
        units = self._lib.get_text(self.page, 0, count, buffer) - 1 if count > 0 else 0
        text = ctypes.string_at(buffer, 2 * max(0, units)).decode("utf-16-le", "replace")
        if len(text) != count:
            # PDFium's text and its character list differ: query each offset, in UTF-16 units.
            places, unit = [], 0
            for char in text:
                places.append(self._lib.char_of_text(self.page, unit))
                unit += 2 if ord(char) > 0xFFFF else 1
            self.places = places
        return text

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the offset and the characters of each line that has a text."""
        end = -2
        for line in self.value.split("\r\n"):
            start = end + 2
            end = start + len(line)
            if (line if line.isprintable() else line.translate(_CONTROLS)).strip():
                yield start, line

    def char(self, place: int) -> int:
        """PDFium's index of the character at `place`."""
        if self.places is None:
            return place
        return max(0, self.places[place]) if place < len(self.places) else 0

    def only(self, kept: list[tuple[int, int]]) -> _Text:
        """Only the text of the given ranges."""
        places: list[int] = []
        for start, end in kept:
            places.extend(self.places[start:end] if self.places is not None else range(start, end))
        value = "".join([self.value[start:end] for start, end in kept])
        return _Text(self._lib, self.page, self._count, places=places, value=value)
