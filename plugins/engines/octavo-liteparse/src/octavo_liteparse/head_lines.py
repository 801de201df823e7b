"""First lines of the heads of tables, which liteparse leaves above the table where only one column's head has two lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from .paragraphs import PROSE, letters_of

if TYPE_CHECKING:
    from liteparse.types import LayoutBlock, ParsedPage, TextItem

_KINDS: Final = PROSE | {"heading"}
_NEAR: Final = 0.5
"""Largest gap between two lines of a head, in heights of a line."""


def with_whole_heads(page: ParsedPage) -> list[LayoutBlock]:
    """Return a page's blocks; a line above one head of a table, in its font, is the first line of that head.

    The head of the first column keeps what it has: a caption may stand above it.
    """
    blocks = list(page.blocks or [])
    gone: set[int] = set()
    for at, block in enumerate(blocks):
        if block.kind != "table" or not block.header:
            continue
        heads = _printed_heads(block, page.text_items)
        cells = list(block.header)
        for place in range(1, len(heads)):
            above = _line_above(place, heads, page.text_items)
            owner = next((one for one, other in enumerate(blocks) if above and _is_of(above, other)), None)
            if above is not None and owner is not None:
                cells[place] = replace(cells[place], text=f"{above.text.strip()} {cells[place].text}")
                gone.add(owner)
        blocks[at] = replace(block, header=cells)
    return [block for at, block in enumerate(blocks) if at not in gone]


def _printed_heads(block: LayoutBlock, items: Sequence[TextItem]) -> list[TextItem]:
    """Return the piece of text of each head of a table, if each is one piece and all are level."""
    box = block.bbox
    found: list[TextItem] = []
    for cell in block.header or ():
        own = [
            one
            for one in items
            if box is not None and box.y - 1 <= one.y <= box.y + one.height and letters_of(one.text)
            if letters_of(one.text) == letters_of(cell.text)
        ]
        if len(own) != 1 or (found and abs(own[0].y - found[0].y) > 1):
            return []
        found += own
    return found


def _line_above(place: int, heads: Sequence[TextItem], items: Sequence[TextItem]) -> TextItem | None:
    """Return the line right above a head, if it is in its font, around or within its width, and above no other head."""
    head = heads[place]
    middle = head.x + head.width / 2
    for one in items:
        gap = head.y - (one.y + one.height)
        is_near = -0.1 * head.height <= gap <= _NEAR * head.height
        if not (is_near and one.text.strip() and (one.font_name, one.font_size) == (head.font_name, head.font_size)):
            continue
        edges = one.x - head.x, one.x + one.width - head.x - head.width, one.x + one.width / 2 - middle
        is_alone = all(other is head or other.x > one.x + one.width or other.x + other.width < one.x for other in heads)
        if is_alone and min(map(abs, edges)) <= 1:
            return one
    return None


def _is_of(item: TextItem, block: LayoutBlock) -> bool:
    """Return whether a piece of text is all that a block of text has."""
    box = block.bbox
    return (
        block.kind in _KINDS
        and box is not None
        and abs(box.y - item.y) <= 1
        and letters_of(block.text or "") == letters_of(item.text)
    )
