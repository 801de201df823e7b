"""Puts tables and rules into their own column of a page.

liteparse puts text in reading order, column by column, and puts what is drawn between it by height alone: a table of the right
column, or a line of its grid, ends a paragraph of the left column that is level with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from .paragraphs import PROSE, TEXTS
from .torn_paragraphs import LineHeights, joined

if TYPE_CHECKING:
    from liteparse.types import AnnotationRect, LayoutBlock, ParsedPage

_DRAWN: Final = frozenset({"table", "rule"})
_WRITTEN: Final = TEXTS | {"heading"}
_FEWEST_WORDS: Final = 15
"""Fewest words of a paragraph that shows a column of running text: labels beside a table are shorter."""
_EDGE: Final = 2.0
"""How far the edges of two blocks may reach over each other, in points."""


def in_own_columns(page: ParsedPage) -> list[LayoutBlock]:
    """Return a page's blocks, each table and rule between the text above and below it in its own column.

    The lines of a paragraph that it stood between are one block again. Rules that are lines of a table's grid are left out.

    Args:
        page: as liteparse read it.
    """
    blocks = page.blocks or []
    if not any(_is_astray(blocks, at) for at in range(len(blocks))):
        return blocks
    grids = [one.bbox for one in blocks if one.kind == "table" and one.bbox is not None]
    kept = [one for one in blocks if not (one.kind == "rule" and any(_is_inside(one.bbox, grid) for grid in grids))]
    made = list(kept)
    for one in kept:
        at = _index(made, one)
        if _is_astray(made, at):
            _move(made, at)
    return list(_mended(made, blocks, LineHeights(page.text_items)))


def _is_astray(blocks: Sequence[LayoutBlock], at: int) -> bool:
    """Return whether a block is drawn and follows, or precedes, text of another column."""
    return blocks[at].kind in _DRAWN and any(True for _ in _beside(blocks, at))


def _beside(blocks: Sequence[LayoutBlock], at: int) -> Iterator[AnnotationRect]:
    """Yield the places of the text before and behind a drawn block that stands in another column."""
    box = blocks[at].bbox
    for order in (range(at - 1, -1, -1), range(at + 1, len(blocks))):
        text = next((blocks[place] for place in order if blocks[place].kind in _WRITTEN), None)
        if box is not None and text is not None and text.bbox is not None and not _overlap(box, text.bbox):
            yield text.bbox


def _move(blocks: list[LayoutBlock], at: int) -> None:
    """Move a drawn block behind the nearest block above it in its column. If none is above it, move it before the one below it.

    Nothing moves unless both columns have running text. Nothing moves past a block across both columns, such as a heading.
    """
    drawn = blocks[at]
    box, others = drawn.bbox, list(_beside(blocks, at))
    assert box is not None  # `_is_astray` asks for it
    column, across, is_text_beside = [], [], False
    for one in blocks:
        if one is drawn or one.bbox is None or one.kind not in _WRITTEN | _DRAWN:
            continue
        is_beside = any(_overlap(one.bbox, other) for other in others)
        if not _overlap(one.bbox, box):
            is_text_beside |= is_beside and _is_running_text(one)
        elif is_beside:
            across.append(one.bbox)
        else:
            column.append(one)
    if not is_text_beside or not any(map(_is_running_text, column)) or any(_are_level(box, one) for one in across):
        return
    top = max((one.y + one.height for one in across if one.y < box.y), default=float("-inf"))
    bottom = min((one.y for one in across if one.y > box.y), default=float("inf"))
    above = [one for one in column if top <= _middle(one) <= box.y + _EDGE and _bottom(one) <= box.y + 2 * _EDGE]
    below = [one for one in column if box.y + box.height - _EDGE <= _middle(one) <= bottom and one not in above]
    if not above and not below:
        return
    del blocks[at]
    if above:
        blocks.insert(_index(blocks, max(above, key=_bottom)) + 1, drawn)
    else:
        blocks.insert(_index(blocks, min(below, key=_middle)), drawn)


def _mended(blocks: Sequence[LayoutBlock], before: Sequence[LayoutBlock], lines: LineHeights) -> Iterator[LayoutBlock]:
    """Yield blocks, each paragraph joined with its lines that a drawn block stood before."""
    torn = {id(below) for above, below in pairwise(before) if above.kind in _DRAWN}
    last: LayoutBlock | None = None
    for one in blocks:
        if last is not None and id(one) in torn and lines.is_below(last, one):
            last = joined(last, one)
            continue
        if last is not None:
            yield last
        last = one
    if last is not None:
        yield last


def _index(blocks: Sequence[LayoutBlock], wanted: LayoutBlock) -> int:
    return next(at for at, one in enumerate(blocks) if one is wanted)


def _is_running_text(block: LayoutBlock) -> bool:
    return block.kind in PROSE and len((block.text or "").split()) >= _FEWEST_WORDS


def _overlap(one: AnnotationRect, other: AnnotationRect) -> bool:
    """Return whether two blocks have a part of the page's width in common."""
    return min(one.x + one.width, other.x + other.width) - max(one.x, other.x) > _EDGE


def _are_level(one: AnnotationRect, other: AnnotationRect) -> bool:
    """Return whether two blocks have a part of the page's height in common."""
    return min(one.y + one.height, other.y + other.height) - max(one.y, other.y) > _EDGE


def _is_inside(box: AnnotationRect | None, grid: AnnotationRect) -> bool:
    return (
        box is not None
        and grid.x - _EDGE <= box.x
        and box.x + box.width <= grid.x + grid.width + _EDGE
        and grid.y - _EDGE <= box.y <= grid.y + grid.height + _EDGE
    )


def _middle(block: LayoutBlock) -> float:
    assert block.bbox is not None  # `_move` asks for it
    return block.bbox.y + block.bbox.height / 2


def _bottom(block: LayoutBlock) -> float:
    assert block.bbox is not None  # `_move` asks for it
    return block.bbox.y + block.bbox.height
