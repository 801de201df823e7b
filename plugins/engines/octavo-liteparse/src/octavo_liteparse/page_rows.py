"""The printed rows of a page's blocks, and the parts of a block's text that stand in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from octavo_contracts.authoring import escape

from .paragraphs import letter_places, letters_of

if TYPE_CHECKING:
    from liteparse.types import AnnotationRect, LayoutBlock, TextItem

_SAME_ROW: Final = 0.4
"""Least overlap of two pieces of one row, in heights of the lower one."""
_EDGE: Final = 1.0
"""How far the middle of a piece may lie outside of its block, in points."""

_PICTURES: Final = frozenset({"figure", "rule"})
LEADER: Final = r"(?:(?:\.\s*){4,}|(?:\u2026\s*){2,})"
"""Pattern of leader dots."""
PAGE_NUMBER: Final = r"(?:\d{1,4}|[ivxlc]{1,7})"
"""Pattern of a page number."""
_LEADER: Final = re.compile(f"{LEADER}$")
_NUMBER: Final = re.compile(PAGE_NUMBER)
_ESCAPED: Final = re.compile(r"\\.")


@dataclass(frozen=True)
class Row:
    """Pieces of text that are printed beside each other.

    Attributes:
        items: from the left; at least one.
    """

    items: tuple[TextItem, ...]

    @property
    def left(self) -> float:
        """In points, as are the others."""
        return self.items[0].x

    @property
    def right(self) -> float:
        """Of the piece that reaches farthest."""
        return max(one.x + one.width for one in self.items)

    @property
    def top(self) -> float:
        """Of the highest piece."""
        return min(one.y for one in self.items)

    @property
    def bottom(self) -> float:
        """Of the lowest piece."""
        return max(one.y + one.height for one in self.items)

    @property
    def size(self) -> float:
        """Size of the font of its longest piece."""
        main = max(self.items, key=lambda one: len(one.text))
        return max(0.1, main.font_size or main.height)

    @property
    def text(self) -> str:
        """Of its pieces, with a blank between two."""
        return " ".join(one.text.strip() for one in self.items)

    @property
    def letters(self) -> str:
        """Its letters and digits."""
        return letters_of(one.text for one in self.items)


def rows_of(items: Iterable[TextItem]) -> list[Row]:
    """Group pieces of text into rows, from the top."""
    found: list[list[TextItem]] = []
    for item in sorted(items, key=lambda one: one.y + one.height):
        row = found[-1] if found else None
        if row and any(_is_beside(other, item) for other in row):
            row.append(item)
        else:
            found.append([item])
    return [Row(tuple(sorted(row, key=lambda one: one.x))) for row in found]


def _is_beside(item: TextItem, other: TextItem) -> bool:
    overlap = min(item.y + item.height, other.y + other.height) - max(item.y, other.y)
    return overlap > _SAME_ROW * min(item.height, other.height)


def rows_by_block(blocks: Sequence[LayoutBlock], items: Iterable[TextItem]) -> list[tuple[LayoutBlock, list[Row]]]:
    """Return the blocks with their rows: those of the pieces that lie in a block and in no smaller one.

    The page number at the end of leader dots belongs to the block of its title. A block of page numbers alone is left out; one
    with other text has that text alone.
    """
    printed = [item for item in items if item.text.strip()]
    owners = _owners(blocks, printed)
    before = set(owners.values())
    moved = {id(number): owners[id(title)] for title, number in _numbers_at_leaders(printed)}
    losers = {owners[number] for number, at in moved.items() if owners[number] != at}
    owners |= moved
    owned: list[list[TextItem]] = [[] for _ in blocks]
    for item in printed:
        at = owners[id(item)]
        if at is not None:
            owned[at].append(item)
    found = []
    for at, (block, own) in enumerate(zip(blocks, owned, strict=True)):
        if own or at not in before:
            rows = rows_of(own)
            found.append((_with_text_of(block, rows) if at in losers else block, rows))
    return found


def _with_text_of(block: LayoutBlock, rows: Sequence[Row]) -> LayoutBlock:
    return block if block.text is None else replace(block, text=escape(" ".join(row.text for row in rows)))


def _numbers_at_leaders(items: Sequence[TextItem]) -> Iterator[tuple[TextItem, TextItem]]:
    """Yield the titles that end with leader dots, each with the page number behind it, which may be a block of its own."""
    if any(_LEADER.search(item.text) for item in items):
        for row in rows_of(items):
            for title, number in pairwise(row.items):
                if _LEADER.search(title.text) and _NUMBER.fullmatch(number.text.strip()):
                    yield title, number


def _owners(blocks: Sequence[LayoutBlock], items: Iterable[TextItem]) -> dict[int, int | None]:
    """Return for the id of each piece the index of the smallest block that it lies in, or None."""
    boxes = sorted(
        ((one.bbox, at) for at, one in enumerate(blocks) if one.bbox is not None and one.kind not in _PICTURES),
        key=lambda pair: pair[0].width * pair[0].height,
    )
    edges = [
        (box.x - _EDGE, box.x + box.width + _EDGE, box.y - _EDGE, box.y + box.height + _EDGE, at) for box, at in boxes
    ]
    found: dict[int, int | None] = {}
    for item in items:
        across, down = item.x + item.width / 2, item.y + item.height / 2
        found[id(item)] = None
        for left, right, top, bottom, at in edges:
            if top <= down <= bottom and left <= across <= right:
                found[id(item)] = at
                break
    return found


def divided(block: LayoutBlock, rows: Sequence[Row], ends: Sequence[int]) -> list[LayoutBlock] | None:
    """Divide a block of text between rows.

    Args:
        block: with a text.
        rows: all of its rows, from the top.
        ends: number of rows up to the end of each part, ascending; the last one is that of all rows.

    Returns:
        the parts; None where the block does not have the letters of its rows in their order, or where emphasis or a link runs
        over the end of a part.
    """
    text = block.text or ""
    places = letter_places(text)
    counts = [len(row.letters) for row in rows]
    spoken = "".join(row.letters for row in rows)
    marker = len(spoken) - len(places)  # liteparse takes the marker off a list item's text
    if marker < 0 or marker > (counts[0] if block.kind == "list_item" else 0):
        return None
    if spoken[marker:] != "".join(text[place] for place in places):
        return None
    parts: list[LayoutBlock] = []
    first, begun = 0, 0
    for end in ends:
        last = sum(counts[:end]) - marker
        value = text[_start(text, places, begun) : _end(text, places, last)].strip()
        bare = _ESCAPED.sub("", value)
        if bare.count("*") % 2 or ("](" in text and bare.count("[") != bare.count("]")):
            return None
        parts.append(replace(block, text=value, bbox=box_around(rows[first:end])))
        first, begun = end, last
    return parts


def _start(text: str, places: Sequence[int], begun: int) -> int:
    """Return where the word of a letter begins."""
    if begun == 0 or begun >= len(places):
        return 0 if begun == 0 else len(text)
    at = places[begun]
    while at - 1 > places[begun - 1] and not text[at - 1].isspace():
        at -= 1
    return at


def _end(text: str, places: Sequence[int], end: int) -> int:
    """Return where the word before a letter ends."""
    if end >= len(places):
        return len(text)
    if end == 0:
        return 0
    at = places[end - 1] + 1
    while at < places[end] and not text[at].isspace():
        at += 1
    return at


def box_around(rows: Sequence[Row]) -> AnnotationRect:
    """Return the rectangle that rows take."""
    from liteparse.types import AnnotationRect

    left, top = min(row.left for row in rows), min(row.top for row in rows)
    right, bottom = max(row.right for row in rows), max(row.bottom for row in rows)
    return AnnotationRect(x=left, y=top, width=right - left, height=bottom - top)
