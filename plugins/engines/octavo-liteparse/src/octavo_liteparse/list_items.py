"""List items that liteparse takes for headings and paragraphs, and lines that it cuts off them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from liteparse.types import AnnotationRect, LayoutBlock

_BULLET: Final = re.compile(r"(?P<mark>(?:\*{1,3})?)[•▪◦‣∙●]\s+(?=\S)")
_ENDED: Final = re.compile(r"[.!?:;…]['\"”’)\]*†‡]*$")
_WORDS: Final = frozenset({"heading", "paragraph", "text"})
"""Kinds of blocks that hold running words."""
_CLOSE: Final = 0.9
"""Largest gap between two lines of one item, in heights of a line."""
_ALIKE: Final = 1.25
"""Largest ratio of the heights of two lines of one item."""


@dataclass(frozen=True)
class Shown:
    """A block as the page shows it.

    Attributes:
        block: liteparse's.
        kind: what it is.
        text: its words, those of cut off lines included.
    """

    block: LayoutBlock
    kind: str
    text: str


def shown_blocks(blocks: Iterable[LayoutBlock]) -> list[Shown]:
    """Return the blocks of a page, with whole list items.

    A heading or a paragraph that begins with a bullet is a list item. The line below an item that has not ended belongs to it,
    where it is as large and as close as the lines of one paragraph are.
    """
    found: list[Shown] = []
    bottom: AnnotationRect | None = None
    for block in blocks:
        one = Shown(block, block.kind, block.text or "")
        if found and _continues(found[-1], bottom, one):
            found[-1] = replace(found[-1], text=f"{found[-1].text.rstrip()} {one.text.lstrip()}")
        else:
            if one.kind in _WORDS and (bullet := _BULLET.match(one.text)) is not None:
                one = Shown(block, "list_item", bullet["mark"] + one.text[bullet.end() :])
            found.append(one)
        bottom = block.bbox
    return found


def _continues(before: Shown, above: AnnotationRect | None, one: Shown) -> bool:
    if before.kind != "list_item" or one.kind not in _WORDS or _BULLET.match(one.text) or not one.text.strip():
        return False
    below = one.block.bbox
    if above is None or below is None or _ENDED.search(before.text.rstrip(" *")):
        return False
    line = min(above.height, below.height)
    gap = below.y - (above.y + above.height)
    is_alike = above.height <= _ALIKE * below.height or one.kind != "heading"
    return line > 0 and -line < gap < _CLOSE * line and is_alike and below.x >= above.x - line
