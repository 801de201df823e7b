"""Paragraphs that liteparse runs together, told apart by the lines that they are printed in."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median_low
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from liteparse.types import LayoutBlock, ParsedPage, TextItem

PROSE: Final = frozenset({"paragraph", "text"})
"""Kinds of blocks that are running text."""
TEXTS: Final = PROSE | {"list_item"}
"""Kinds of blocks of which the lines may be those of one paragraph."""
_TARGET: Final = re.compile(r"\]\((?:[^()\s]|\([^()\s]*\))*\)")
"""The part of a link that the page does not show."""
_EMPHASIS: Final = re.compile(r"(?<!\\)\*")
_ENDED: Final = re.compile(r"[.!?:;…]['\"”’)\]*†‡\d]*$")
_WIDER: Final = 0.25
"""How much wider than between the lines of one paragraph the gap between two paragraphs is, in heights of a line."""
_BLANK: Final = 0.5
"""How much wider it is where nothing but the leading ends a paragraph."""
_SHORT: Final = 6
"""Room for another word at the end of a short line, in heights of a line."""
_INDENT: Final = (0.6, 4.0)
"""Smallest and largest indentation of a paragraph's first line, in heights of a line."""
_ANOTHER_SIZE: Final = 1.08
"""Ratio from which on two sizes of a font are not one."""
_FEWEST: Final = 3
"""Lines from which on a block shows by itself how far apart its lines usually are."""
_SAME_LINE: Final = 0.4
"""Least overlap of two words of one line, in heights of the lower one."""
_PREFIX: Final = 2
"""First letters by which a piece of text is looked up."""


@dataclass(frozen=True)
class Line:
    """A printed line of a block.

    Attributes:
        start: its first letter, counted in the block.
        left: in points, as are the others.
        top: of its longest piece.
        right: of its last word.
        bottom: of its longest piece.
        size: font size of its longest piece.
    """

    start: int
    left: float
    top: float
    right: float
    bottom: float
    size: float

    @property
    def height(self) -> float:
        """Of its words."""
        return max(0.1, self.bottom - self.top)


def apart(page: ParsedPage) -> list[LayoutBlock]:
    """Return a page's blocks with one paragraph each.

    A paragraph ends where the gap to the next line is wider than the usual one, where the font's size changes for whole
    lines, and before an indented line after the end of a sentence.
    """
    blocks = page.blocks or []
    prose = [block for block in blocks if block.kind in PROSE]
    if not prose:
        return blocks
    items = PageItems(page.text_items)
    texts = {id(block): _Text(block.text or "", items) for block in prose}
    usual = _usual([text for text in texts.values() if len(text.lines) >= _FEWEST])
    return [
        part
        for block in blocks
        for part in (_parts(block, texts[id(block)], usual) if id(block) in texts else (block,))
    ]


def _parts(block: LayoutBlock, text: _Text, usual: float | None) -> Iterator[LayoutBlock]:
    begun, first = 0, 0
    for index in _beginnings(text, usual):
        cut = text.blank_before(text.lines[index])
        if cut is None or len(_EMPHASIS.findall(text.value[begun:cut])) % 2:
            continue
        yield _part(block, text.value[begun:cut], text.lines[first:index])
        begun, first = cut, index
    yield _part(block, text.value[begun:], text.lines[first:]) if begun else block


def _part(block: LayoutBlock, text: str, lines: Sequence[Line]) -> LayoutBlock:
    left, top = min(line.left for line in lines), min(line.top for line in lines)
    width, height = max(line.right for line in lines) - left, max(line.bottom for line in lines) - top
    box = block.bbox
    bbox = None if box is None else replace(box, x=left, y=top, width=width, height=height)
    return replace(block, text=text.strip(), bbox=bbox)


def _beginnings(text: _Text, usual: float | None) -> Iterator[int]:
    """Yield the lines that begin a paragraph, apart from the first.

    Args:
        text: the block's.
        usual: distance of two lines of one paragraph elsewhere on the page, in sizes of the font.
    """
    lines = text.lines
    if len(lines) >= _FEWEST:
        usual = _usual([text])
    if usual is None:
        return
    for index in range(1, len(lines)):
        above, line = lines[index - 1], lines[index]
        step = line.bottom - above.bottom
        if step <= 0:
            continue  # The text goes on in the next column.
        another_size = max(above.size, line.size) > _ANOTHER_SIZE * min(above.size, line.size)
        below = lines[index + 1] if index + 1 < len(lines) else None
        starts = _is_indented(above, line, below) and text.has_ended_before(line)
        wider = step > usual * line.size + _WIDER * line.height or another_size
        if starts or (wider and (not text.goes_on_with(line) or _is_last(lines, index - 1, usual))):
            yield index


def _usual(texts: Iterable[_Text]) -> float | None:
    """Return the median distance of two lines, in sizes of the font."""
    steps = [
        (below.bottom - above.bottom) / below.size
        for text in texts
        for above, below in pairwise(text.lines)
        if below.bottom > above.bottom
    ]
    return median_low(steps) if steps else None


def _is_last(lines: Sequence[Line], at: int, usual: float) -> bool:
    """Return whether a line is the last one of its paragraph though no sentence ends with it: it is short, and blank leading follows.

    A formula between two lines of a sentence is set off from their left edge.
    """
    line, below = lines[at], lines[at + 1]
    room = max(one.right for one in lines) - line.right
    is_set_off = abs(line.left - below.left) > _WIDER * line.height
    leading = below.bottom - line.bottom - usual * below.size
    return not is_set_off and room > _SHORT * line.height and leading > _BLANK * below.height


def _is_indented(above: Line, line: Line, below: Line | None) -> bool:
    """Return whether a line is indented beside both of its neighbours."""
    least, most = (share * line.height for share in _INDENT)
    if below is None or not least < line.left - above.left < most:
        return False
    return least < line.left - below.left < most


def letter_places(text: str) -> list[int]:
    """Return the places of the letters and digits of a block's text that the page shows: not those of the targets of links."""
    hidden = {place for match in _TARGET.finditer(text) for place in range(*match.span())}
    shown = [place for place, sign in enumerate(text) if sign.isalnum()]
    return [place for place in shown if place not in hidden] if hidden else shown


def letters_of(texts: Iterable[str]) -> str:
    """Return the letters and digits of texts."""
    return "".join(filter(str.isalnum, "".join(texts)))


def joined_lines(text: str, below: str, *, between: str = " ") -> str:
    """Return a text with that of the line below it.

    As liteparse does, the hyphen at the end of a line between small letters is left out.

    Args:
        text: up to the end of a line.
        below: what goes on.
        between: stands between the two, unless they are one word.
    """
    is_broken = text.endswith("-") and text[-2:-1].islower() and below[:1].islower()
    return f"{text[:-1]}{below}" if is_broken else f"{text}{between}{below}"


def has_ended(text: str) -> bool:
    """Return whether a sentence ends with a text."""
    return _ENDED.search(text.rstrip(" *[")) is not None


class PageItems:
    """The pieces of text of a page, found by their letters; each belongs to one block."""

    def __init__(self, items: Iterable[TextItem]) -> None:
        self._found: dict[str, list[tuple[str, TextItem]]] = defaultdict(list)
        for item in items:
            letters = letters_of(item.text)
            if letters:
                self._found[letters[:_PREFIX]].append((letters, item))

    def along(self, letters: str) -> Iterator[tuple[int, TextItem]]:
        """Take the pieces that have the letters, as far as they can be followed: the first letter's place and each piece."""
        place, last = 0, None
        while place < len(letters):
            found = self._take(letters, place, last)
            if found is None:
                return
            length, last = found
            yield place, last
            place += length

    def _take(self, letters: str, place: int, last: TextItem | None) -> tuple[int, TextItem] | None:
        """Return the piece that has the next letters, and their number: the longest, and of several the one nearest to the last."""
        best: tuple[int, float, str, tuple[str, TextItem]] | None = None
        for length in range(1, _PREFIX + 1):
            key = letters[place : place + length]
            for piece in self._found.get(key, ()):
                if letters.startswith(piece[0], place):
                    rank = (len(piece[0]), -abs(piece[1].y - last.y) if last else 0.0)
                    if best is None or rank > best[:2]:
                        best = (*rank, key, piece)
        if best is None:
            return None
        self._found[best[2]].remove(best[3])
        return best[0], best[3][1]


class _Text:
    """The text of a block and the lines that it is printed in, as far as its letters can be followed on the page."""

    def __init__(self, value: str, items: PageItems) -> None:
        self.value = value
        self._places = letter_places(value)
        self.lines = list(self._lines("".join(value[place] for place in self._places), items))

    def _lines(self, letters: str, items: PageItems) -> Iterator[Line]:
        row: list[TextItem] = []
        begun = 0
        for place, item in items.along(letters):
            if row and not _is_beside(row[-1], item):
                yield _line(begun, row)
                begun, row = place, []
            row.append(item)
        if row:
            yield _line(begun, row)

    def blank_before(self, line: Line) -> int | None:
        """Return the place of the blank before a line; None where a word goes on over the end of the line above."""
        place = self._places[line.start]
        blank = self.value.rfind(" ", 0, place)
        return blank if blank > 0 and not any(map(str.isalnum, self.value[blank:place])) else None

    def goes_on_with(self, line: Line) -> bool:
        """Return whether a line begins with a small letter, in the midst of a sentence."""
        return self.value[self._places[line.start]].islower() and not self.has_ended_before(line)

    def has_ended_before(self, line: Line) -> bool:
        """Return whether a sentence ends with the line above."""
        return has_ended(self.value[: self._places[line.start]])


def _is_beside(last: TextItem, item: TextItem) -> bool:
    """Return whether a piece is on the line of the last one, right of it."""
    overlap = min(last.y + last.height, item.y + item.height) - max(last.y, item.y)
    return overlap > _SAME_LINE * min(last.height, item.height) and item.x >= last.x


def _line(start: int, row: Sequence[TextItem]) -> Line:
    main = max(row, key=lambda one: len(one.text))
    return Line(
        start=start,
        left=min(one.x for one in row),
        top=main.y,
        right=max(one.x + one.width for one in row),
        bottom=main.y + main.height,
        size=max(0.1, main.font_size or main.height),
    )
