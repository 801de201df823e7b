"""Short blocks side by side, such as the addresses of a letter, of whose lines liteparse makes one paragraph.

The lines of a label and its value are level, and stay in one paragraph. Those of two blocks are not, where each is set on its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .block_columns import LINK, part_of
from .paragraphs import PROSE, PageItems, letters_of

if TYPE_CHECKING:
    from liteparse.types import LayoutBlock, ParsedPage, TextItem

_GAP: Final = 6.0
"""Least width of the gap between two blocks, in heights of a line."""
_LEVEL: Final = 1.5
"""Baselines that are this near, in points, are those of one line."""
_DESCENT: Final = 0.2
"""How far below its baseline a piece of text reaches, in its heights."""
_APART: Final = 0.5
"""Least distance between two paragraphs of a block, in heights of a line."""
_FEWEST: Final = 2
"""Fewest lines of the larger one of two blocks."""


@dataclass(frozen=True)
class _Sides:
    """A block's pieces of text on both sides of a gap.

    Attributes:
        left: the pieces before the gap, from the top.
        right: those behind it.
    """

    left: Sequence[TextItem]
    right: Sequence[TextItem]

    @property
    def gap(self) -> tuple[float, float]:
        """Left and right edge of the gap."""
        return max(one.x + one.width for one in self.left), min(one.x for one in self.right)

    @property
    def is_apart(self) -> bool:
        """Whether no line on the left is level with one on the right."""
        lefts = [_baseline(one) for one in self.left]
        return all(abs(_baseline(one) - left) > _LEVEL for one in self.right for left in lefts)


def side_by_side(page: ParsedPage) -> list[LayoutBlock]:
    """Return a page's blocks; of paragraphs that run across a wide gap between two blocks, those on the left and then those on the right."""
    blocks = page.blocks or []
    items = PageItems(page.text_items)
    made: list[LayoutBlock] = []
    held: list[tuple[LayoutBlock, _Sides]] = []
    for block in blocks:
        sides = _sides_of(block, items) if block.kind in PROSE else None
        if held and (sides is None or not _is_same_gap(held[-1][1], sides)):
            made += _divided(held)
            held = []
        if sides is None:
            made.append(block)
        else:
            held.append((block, sides))
    return [*made, *_divided(held)]


def _sides_of(block: LayoutBlock, items: PageItems) -> _Sides | None:
    text = block.text or ""
    if LINK in text:
        return None
    pieces = sorted((item for _, item in items.along(letters_of(text))), key=lambda one: one.x)
    edge = float("-inf")
    for at, item in enumerate(pieces):
        if at and item.x - edge >= _GAP * item.height:
            by_line = [sorted(side, key=lambda one: one.y) for side in (pieces[:at], pieces[at:])]
            found = _Sides(left=by_line[0], right=by_line[1])
            is_block = max(map(_count, by_line)) >= _FEWEST
            return found if is_block and found.is_apart else None
        edge = max(edge, item.x + item.width)
    return None


def _count(pieces: Sequence[TextItem]) -> int:
    return len({round(_baseline(one) / _LEVEL) for one in pieces})


def _baseline(item: TextItem) -> float:
    return item.y + (1 - _DESCENT) * item.height


def _is_same_gap(one: _Sides, other: _Sides) -> bool:
    return max(one.gap[0], other.gap[0]) < min(one.gap[1], other.gap[1])


def _divided(held: Sequence[tuple[LayoutBlock, _Sides]]) -> Iterator[LayoutBlock]:
    """Yield the paragraphs of the blocks on the left of a gap, and then those on its right."""
    for pieces in ([(block, one) for block, sides in held for one in side(sides)] for side in (_left, _right)):
        part: list[TextItem] = []
        owner: LayoutBlock | None = None
        for block, piece in pieces:
            if owner is not None and piece.y - max(one.y + one.height for one in part) > _APART * piece.height:
                yield part_of(owner, part)
                part = []
            owner = owner if part else block
            part.append(piece)
        if owner is not None:
            yield part_of(owner, part)


def _left(sides: _Sides) -> Sequence[TextItem]:
    return sides.left


def _right(sides: _Sides) -> Sequence[TextItem]:
    return sides.right
