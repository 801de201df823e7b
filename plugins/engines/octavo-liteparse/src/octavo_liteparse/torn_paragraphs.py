"""Paragraphs that liteparse tears behind a line, because the line begins in another font."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from .marked_text import emphasised
from .page_rows import Row, rows_of
from .paragraphs import PROSE, has_ended, joined_lines

if TYPE_CHECKING:
    from liteparse.types import LayoutBlock, TextItem

_MARGIN: Final = 1.5
"""How far the middle of a piece of text may lie outside of its block, in points."""
_CLOSE: Final = 0.6
"""Largest gap between two lines of one paragraph, in heights of a line."""
_ALIKE: Final = 1.15
"""Largest ratio of the heights of two lines of one paragraph."""
_INDENT: Final = 2.5
"""Largest indentation of a paragraph's first line, in heights of a line."""


class LineHeights:
    """Heights of the printed lines of a page.

    Args:
        items: pieces of text of the page.
    """

    def __init__(self, items: Sequence[TextItem]) -> None:
        self._items = items

    def goes_on(self, above: LayoutBlock, below: LayoutBlock) -> bool:
        """Return whether a paragraph is the rest of the one above: close to it, as large, and in the midst of its sentence.

        The one above may be a heading, if the paragraph below begins with a small letter.
        """
        upper, lower = above.bbox, below.bbox
        if below.kind not in PROSE or upper is None or lower is None or has_ended(above.text or ""):
            return False
        begins_small = next(filter(str.isalnum, below.text or ""), "").islower()
        if above.kind not in PROSE and not (above.kind == "heading" and begins_small):
            return False
        if not -lower.height < lower.y - (upper.y + upper.height) < _CLOSE * upper.height:
            return False
        last, first = self._height(above, is_last=True), self._height(below, is_last=False)
        gap, line = lower.y - (upper.y + upper.height), min(last, first)
        return (
            line > 0
            and max(last, first) <= _ALIKE * line
            and -line < gap < _CLOSE * line
            and abs(lower.x - upper.x) < _INDENT * line
            and (begins_small or upper.x + upper.width > lower.x + lower.width - _INDENT * line)
        )

    def is_below(self, above: LayoutBlock, below: LayoutBlock) -> bool:
        """Return whether two paragraphs may be one that was taken for two: close to each other, at one edge, and as large.

        A short line at the end of a sentence ends a paragraph.
        """
        upper, lower = above.bbox, below.bbox
        if above.kind not in PROSE or below.kind not in PROSE or upper is None or lower is None:
            return False
        last_line, first_line = self._rows(above)[-1:], self._rows(below)[:1]
        if not last_line or not first_line:
            return False
        last, first = last_line[0], first_line[0]
        gap, line = lower.y - (upper.y + upper.height), min(last.size, first.size)
        return (
            max(last.size, first.size) <= _ALIKE * line
            and -line < gap < _CLOSE * line
            and abs(lower.x - upper.x) < _INDENT * line
            and (not has_ended(above.text or "") or last.right > lower.x + lower.width - _INDENT * line)
        )

    def _height(self, block: LayoutBlock, *, is_last: bool) -> float:
        """Return the height of a block's last line, or of its first one."""
        found = sorted(self._inside(block), key=lambda item: item.y, reverse=is_last)
        return found[0].height if found else 0.0

    def _rows(self, block: LayoutBlock) -> list[Row]:
        """Return the printed lines of a block, from the top."""
        return rows_of(self._inside(block))

    def _inside(self, block: LayoutBlock) -> list[TextItem]:
        """Return the pieces of text of a block."""
        box = block.bbox
        assert box is not None  # the callers ask for it
        return [
            item
            for item in self._items
            if item.text.strip()
            and box.x - _MARGIN <= item.x + item.width / 2 <= box.x + box.width + _MARGIN
            and box.y - _MARGIN <= item.y + item.height / 2 <= box.y + box.height + _MARGIN
        ]


def joined(above: LayoutBlock, below: LayoutBlock) -> LayoutBlock:
    """Return one paragraph of two, its box around both."""
    upper, lower = above.bbox, below.bbox
    assert upper is not None
    assert lower is not None  # `LineHeights.goes_on` asks for them
    first = emphasised(above.text or "", is_bold=above.bold, is_italic=above.italic).rstrip()
    rest = emphasised(below.text or "", is_bold=below.bold, is_italic=below.italic).lstrip()
    left, right = min(upper.x, lower.x), max(upper.x + upper.width, lower.x + lower.width)
    bbox = replace(upper, x=left, width=right - left, height=lower.y + lower.height - upper.y)
    return replace(above, text=joined_lines(first, rest), bold=False, italic=False, bbox=bbox)
