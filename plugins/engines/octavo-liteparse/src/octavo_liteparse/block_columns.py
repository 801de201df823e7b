"""Divides blocks that run across the gutter between two columns, and puts the columns in reading order.

liteparse orders text by its place. Where the lines of two columns are level, it makes one line of both. PDFium's text of the
page is in the order of the file. A block is divided where that text has the lines of each column one after the other, and does not have the block in one piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from octavo_contracts.authoring import escape

from .paragraphs import PageItems, letters_of

if TYPE_CHECKING:
    from liteparse.types import LayoutBlock, ParsedPage, TextItem

_DIVISIBLE: Final = frozenset({"paragraph", "text", "heading"})
_FEWEST_LETTERS: Final = 8
"""Letters from which on it is no chance that a part of a block is in the text of the page in one piece."""
_FEWEST_WORDS: Final = 4
"""Fewest words of a line of running text: the headings of a table's columns are shorter."""
_GUTTER: Final = 0.9
"""Least width of a gutter, in heights of a line."""
LINK: Final = "]("


@dataclass(frozen=True)
class _Gutter:
    """A gutter that a block runs across.

    Attributes:
        left: edge of the left column, in points, as are the others.
        cut: left edge of the right column.
        right: edge of the right column.
        height: of a line.
        is_in_text: whether both sides of it have lines of running text.
    """

    left: float
    cut: float
    right: float
    height: float
    is_in_text: bool = False

    def divide(self, pieces: Sequence[TextItem]) -> tuple[list[TextItem], list[TextItem]] | None:
        """Divide the pieces of a block by column; None if one is in neither."""
        before = [one for one in pieces if one.x + one.width <= self.cut and one.x > self.left - self.height]
        behind = [one for one in pieces if one.x >= self.cut and one.x + one.width < self.right + self.height]
        return (before, behind) if pieces and len(before) + len(behind) == len(pieces) else None


@dataclass
class _Group:
    """Blocks of one column that stay together.

    Attributes:
        place: in the text of the page.
        blocks: in the order of the column.
    """

    place: int
    blocks: list[LayoutBlock]


def in_columns(page: ParsedPage, page_text: str) -> list[LayoutBlock]:
    """Return a page's blocks, those across a gutter divided and in the order of the columns.

    Args:
        page: as liteparse read it.
        page_text: the text of the page as PDFium reads it.
    """
    blocks = page.blocks or []
    whole = letters_of(page_text)
    if not any(_is_torn(block, whole) for block in blocks):
        return blocks
    items = PageItems(page.text_items)
    pieces = [
        [item for _, item in items.along(letters_of(block.text or ""))] if block.kind in _DIVISIBLE else []
        for block in blocks
    ]
    gutters = _widened(
        [_gutter(own, whole) if _is_torn(block, whole) else None for block, own in zip(blocks, pieces, strict=True)]
    )
    made: list[LayoutBlock] = []
    at = 0
    while at < len(blocks):
        gutter = gutters[at]
        first, end = at, at + 1
        if gutter is not None:
            while end < len(blocks) and gutter.divide(pieces[end]) is not None:
                end += 1
            made += _ordered(blocks[first:end], pieces[first:end], gutters[first:end], gutter, whole)
        else:
            made.append(blocks[at])
        at = end
    return made


def _is_torn(block: LayoutBlock, whole: str) -> bool:
    """Return whether a block's text is not in one piece in the text of the page."""
    text = block.text or ""
    if block.kind not in _DIVISIBLE or LINK in text:
        return False
    letters = letters_of(text)
    return len(letters) >= 2 * _FEWEST_LETTERS and letters not in whole


def _gutter(pieces: Sequence[TextItem], whole: str) -> _Gutter | None:
    """Return the gutter of a block whose parts on both sides are in one piece in the text of the page."""
    edge = float("-inf")
    for item in sorted(pieces, key=lambda one: one.x):
        if item.x - edge >= _GUTTER * item.height and edge > float("-inf"):
            found = _Gutter(
                left=min(one.x for one in pieces),
                cut=item.x,
                right=max(one.x + one.width for one in pieces),
                height=item.height,
            )
            sides = found.divide(pieces)
            if sides is not None and all(_is_one_piece(side, whole) or _is_text(side, whole) for side in sides):
                return replace(found, is_in_text=all(_is_text(side, whole) for side in sides))
        edge = max(edge, item.x + item.width)
    return None


def _widened(gutters: Sequence[_Gutter | None]) -> list[_Gutter | None]:
    """Return the gutters between columns of text, with the edges of the columns: a heading is narrower than the text below it."""
    made: list[_Gutter | None] = []
    for one in gutters:
        same = [other for other in gutters if one and other and abs(other.cut - one.cut) < one.height]
        if one is None or not any(other.is_in_text for other in same):
            made.append(None)
        else:
            made.append(replace(one, left=min(at.left for at in same), right=max(at.right for at in same)))
    return made


def _is_one_piece(pieces: Sequence[TextItem], whole: str) -> bool:
    letters = letters_of(one.text for one in pieces)
    return len(letters) >= _FEWEST_LETTERS and letters in whole


def _is_text(pieces: Sequence[TextItem], whole: str) -> bool:
    """Return whether two lines of running text follow each other here and in the text of the page."""
    return any(
        min(len(one.text.split()), len(other.text.split())) >= _FEWEST_WORDS
        and letters_of(one.text + other.text) in whole
        for one, other in pairwise(pieces)
    )


def _ordered(
    blocks: Sequence[LayoutBlock],
    pieces: Sequence[Sequence[TextItem]],
    gutters: Sequence[_Gutter | None],
    gutter: _Gutter,
    whole: str,
) -> list[LayoutBlock]:
    """Return blocks beside a gutter in reading order: by PDFium's text, and a block without a place in it behind the one above."""
    sides = ([_Group(-1, [])], [_Group(-1, [])])
    for block, own, torn in zip(blocks, pieces, gutters, strict=True):
        parts = gutter.divide(own)
        assert parts is not None  # `in_columns` takes only blocks that the gutter divides
        for groups, part in zip(sides, parts, strict=True):
            if not part:
                continue
            if torn is not None:
                groups.append(_Group(max(groups[-1].place, _place(part, whole)), []))
            groups[-1].blocks.append(block if len(part) == len(own) else part_of(block, part))
    return [block for group in sorted([*sides[0], *sides[1]], key=lambda one: one.place) for block in group.blocks]


def _place(pieces: Sequence[TextItem], whole: str) -> int:
    """Return where the first long piece is in the text of the page: formulas are short, and often at its end."""
    long = (letters for one in pieces if len(letters := letters_of(one.text)) >= _FEWEST_LETTERS)
    return next((whole.find(letters) for letters in long), -1)


def part_of(block: LayoutBlock, pieces: Sequence[TextItem]) -> LayoutBlock:
    """Return the part of a block that some of its pieces of text make, in their order."""
    left, top = min(one.x for one in pieces), min(one.y for one in pieces)
    width = max(one.x + one.width for one in pieces) - left
    height = max(one.y + one.height for one in pieces) - top
    box = block.bbox
    return replace(
        block,
        text=escape(" ".join(one.text.strip() for one in pieces)),
        bbox=None if box is None else replace(box, x=left, y=top, width=width, height=height),
    )
