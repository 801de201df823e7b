"""Blocks of liteparse as markdown, tables and boxes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal

from octavo_contracts import BoundingBox, Box, Table
from octavo_contracts.authoring import collapse, escape_line_starts, fence, pipe_table

from .list_items import Shown, shown_blocks

if TYPE_CHECKING:
    from liteparse.types import AnnotationRect, LayoutBlock, LayoutCell

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_MARKUP = re.compile(r"\\([\\`*_\[\]])|(?<!\\)\*{1,3}|`")
_LINK = re.compile(r"\[([^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*\)")

BoxKind = Literal["line", "word", "image", "table", "heading", "figure", "form_field"]
Restore = Callable[[str], str]


def markdown_of(blocks: Iterable[LayoutBlock], restore: Restore) -> str:
    """A page's markdown; list items follow each other without a blank line.

    Args:
        blocks: the page's, in reading order.
        restore: puts folded signs back into a text.
    """
    parts: list[str] = []
    was_item = False
    for one in shown_blocks(blocks):
        text = _render(one, restore)
        if not text:
            continue
        is_item = one.kind == "list_item"
        parts.append(("\n" if is_item and was_item else "\n\n" if parts else "") + text)
        was_item = is_item
    return "".join(parts)


def _render(one: Shown, restore: Restore) -> str:
    block = one.block
    if block.kind in ("code", "grid_fallback"):
        lines = [restore(line) for line in block.lines or ()]
        return fence("\n".join(lines), language=block.lang or "") if any(line.strip() for line in lines) else ""
    if block.kind == "table":
        rows = [[_escaped(restore(cell.text)) for cell in row] for row in _rows(block)]
        return pipe_table(rows) if any(any(row) for row in rows) else ""
    if block.kind == "rule":
        return "---"
    text = _escaped(restore(one.text)).strip()
    if not text:
        return ""
    if one.kind == "heading":
        return f"{'#' * min(6, max(1, block.level or 1))} {collapse(text)}"
    text = escape_line_starts(text)
    if one.kind == "list_item":
        marker = (block.marker or "1.").rstrip() if block.ordered else "-"
        return f"{'  ' * (block.level or 0 if block.kind == 'list_item' else 0)}{marker if marker[-1:] in '.)-' else '-'} {collapse(text)}"
    mark = "**" * block.bold + "*" * block.italic
    return f"{mark}{text}{mark[::-1]}"


def _escaped(text: str) -> str:
    """Defuse tags and entities; liteparse escapes the marks of emphasis itself."""
    return _ENTITY.sub(r"\\&", _TAG.sub(r"\\<", text))


def plain(text: str) -> str:
    """A block's text without liteparse's emphasis, links and escapes."""
    return collapse(_MARKUP.sub(lambda match: match[1] or "", _LINK.sub(r"\1", text))).strip()


def tables_of(blocks: Iterable[LayoutBlock], restore: Restore) -> tuple[Table, ...]:
    """The page's tables as cells."""
    found = []
    for block in blocks:
        rows = _rows(block) if block.kind == "table" else []
        cells = tuple(tuple(plain(restore(cell.text)) for cell in row) for row in rows)
        if any(any(row) for row in cells):
            found.append(Table(rows=cells, header_rows=1 if block.header else 0, box=corners(block.bbox)))
    return tuple(found)


def _rows(block: LayoutBlock) -> list[list[LayoutCell]]:
    return [*([block.header] if block.header else []), *(block.rows or [])]


def corners(rect: AnnotationRect | None) -> BoundingBox | None:
    """A rectangle of liteparse, which counts from the top left corner of the page as shown."""
    if rect is None:
        return None
    left, top = rect.x, rect.y
    return BoundingBox(left=left, top=top, right=left + max(0.0, rect.width), bottom=top + max(0.0, rect.height))


def boxes_of(blocks: Iterable[LayoutBlock], restore: Restore) -> list[Box]:
    """Headings, tables and figures with their places."""
    kinds: dict[str, BoxKind] = {"heading": "heading", "table": "table", "figure": "figure"}
    found = []
    for one in shown_blocks(blocks):
        box = corners(one.block.bbox)
        if box is not None and one.kind in kinds:
            text = plain(restore(one.text)) if one.kind == "heading" else ""
            found.append(Box(kind=kinds[one.kind], box=box, text=text))
    return found
