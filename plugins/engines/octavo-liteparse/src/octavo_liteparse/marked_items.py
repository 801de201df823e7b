"""List items whose bullets liteparse does not know: drawn dots, and signs of symbol fonts without a Unicode value."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from octavo_contracts.authoring.control_signs import CONTROL

from .paragraphs import PROSE, PageItems, letter_places

if TYPE_CHECKING:
    from liteparse.types import LayoutBlock, ParsedPage, TextItem
    from octavo_contracts.authoring.pdf_overflow import Bounds

_SIGN: Final = re.compile(rf"[{CONTROL}]+\s+(?=\S)")
_MARKS: Final = re.compile(rf"(?:[{CONTROL}]+\s+)?[^\w\s{CONTROL}]*$")
"""What stands before the first letter of an item: its bullet, and marks of emphasis."""
_EMPHASIS: Final = re.compile(r"(?<!\\)\*")
_FEWEST: Final = 2
"""Dots one below the other that are bullets: one alone may be anything."""
_COLUMN: Final = 1.0
"""How far the left edges of the bullets of a list may lie apart, in points."""
_GAP: Final = 3.0
"""Largest gap between a bullet and its item, in heights of the line."""
_LARGEST: Final = 0.7
"""Largest height of a bullet, in heights of its line."""


def with_marked_items(page: ParsedPage, dots: Sequence[Bounds]) -> list[LayoutBlock]:
    """Return the blocks of a page; of paragraphs each line behind a bullet begins a list item.

    Args:
        page: as liteparse read it.
        dots: left, top, right and bottom of the small shapes that are drawn on the page.
    """
    blocks = page.blocks or []
    starts = {id(item) for item in page.text_items if _SIGN.match(item.text)} | _beside_dots(page, dots)
    if not starts:
        return blocks
    items = PageItems(page.text_items)
    return [part for block in blocks for part in (_parts(block, items, starts) if block.kind in PROSE else (block,))]


def _beside_dots(page: ParsedPage, dots: Sequence[Bounds]) -> set[int]:
    """Return the ids of the pieces of text that a dot stands before, where several dots stand one below the other."""
    columns: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for dot in dots:
        item = _first_behind(page.text_items, dot)
        if item is not None:
            columns[round(dot[0] / _COLUMN)].append((dot[1], id(item)))
    return {found for column in columns.values() if len(dict(column)) >= _FEWEST for _, found in column}


def _first_behind(items: Sequence[TextItem], dot: Bounds) -> TextItem | None:
    """Return the first piece of text to the right of a dot; None if no text stands there, or if some stands to its left."""
    left, top, right, bottom = dot
    middle = (top + bottom) / 2
    line = [item for item in items if item.y < middle < item.y + item.height and bottom - top < _LARGEST * item.height]
    first = min(line, key=lambda item: item.x, default=None)
    return first if first is not None and left < right <= first.x <= right + _GAP * first.height else None


def _parts(block: LayoutBlock, items: PageItems, starts: Collection[int]) -> Iterator[LayoutBlock]:
    """Yield the items of a block, and the paragraph before the first."""
    text = block.text or ""
    places = letter_places(text)
    begun, is_item = 0, False
    lines: list[TextItem] = []
    for place, item in items.along("".join(text[at] for at in places)):
        marks = _MARKS.search(text, 0, places[place]) if id(item) in starts else None
        before = text[begun : marks.start()] if marks is not None else ""
        # Signs without a letter before the first bullet are unreadable text, and so is the sign that looks like a bullet.
        if marks is not None and len(_EMPHASIS.findall(before)) % 2 == 0 and (lines or not before.strip()):
            if before.strip():
                yield _part(block, before, lines, is_item=is_item)
            begun, lines, is_item = marks.start(), [], True
        lines.append(item)
    yield _part(block, text[begun:], lines, is_item=is_item) if is_item else block


def _part(block: LayoutBlock, text: str, lines: Sequence[TextItem], *, is_item: bool) -> LayoutBlock:
    left, top = min(item.x for item in lines), min(item.y for item in lines)
    width, height = (
        max(item.x + item.width for item in lines) - left,
        max(item.y + item.height for item in lines) - top,
    )
    box = block.bbox and replace(block.bbox, x=left, y=top, width=width, height=height)
    said = _SIGN.sub("", text, count=1) if is_item else text
    return replace(block, kind="list_item" if is_item else block.kind, text=said.strip(), bbox=box)
