"""Takes tables apart that liteparse makes of running text.

A heading such as `1.2   Console basics` has a gap behind its number. liteparse takes the gap for one between two columns, and
cuts the lines below it at the same place, each in the middle of a sentence. The page paints such a line in one piece, which
stands on both sides of the edge: the cells of a table are painted apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from .page_rows import Row, box_around, rows_of
from .paragraphs import letters_of

if TYPE_CHECKING:
    from liteparse.types import LayoutBlock, LayoutCell, ParsedPage

_SHARE: Final = 0.4
"""Least share of a table's rows that are lines of running text, if it is none."""
_OVER: Final = 1.0
"""How far a piece of text reaches over an edge, in points."""
_FEWEST: Final = 3
"""Fewest words of a line of running text; another one of the same text may have two."""
_SENTENCE: Final = 12
"""Words from which on a cell of a table with one column is running text."""
_WIDE: Final = "   "
"""Blanks inside of a piece of text that keep two columns apart."""


class RunningTables:
    """Tables of a document that are running text.

    Args:
        pages: all its pages: the levels of its headings are those of other headings in the same font.
    """

    def __init__(self, pages: Iterable[ParsedPage]) -> None:
        seen: dict[tuple[str, float], Counter[int]] = defaultdict(Counter)
        for page in pages:
            headings = [block for block in page.blocks or [] if block.kind == "heading" and block.bbox is not None]
            for block in headings:
                letters = letters_of([block.text or ""])
                for item in page.text_items:
                    own = letters_of([item.text])
                    if own and own in letters and block.bbox is not None and _is_level(item.y, item.height, block):
                        seen[_font(Row((item,)))][block.level or 1] += 1
        self._levels = {font: levels.most_common(1)[0][0] for font, levels in seen.items()}

    def apart(self, page: ParsedPage) -> list[LayoutBlock]:
        """Return a page's blocks, with headings and paragraphs in place of tables of running text."""
        made: list[LayoutBlock] = []
        for block in page.blocks or []:
            made += self._parts(block, page) if block.kind == "table" and block.bbox is not None else [block]
        return made

    def _parts(self, block: LayoutBlock, page: ParsedPage) -> list[LayoutBlock]:
        cells = [*([block.header] if block.header else []), *(block.rows or [])]
        box = block.bbox
        assert box is not None  # `apart` asks for it
        items = [one for one in page.text_items if one.text.strip() and _is_level(one.y, one.height, block)]
        printed = rows_of(one for one in items if box.x - 1 <= one.x + one.width / 2 <= box.x + box.width + 1)
        if max(map(len, cells), default=0) == 1:
            return _alone(block, [row[0] for row in cells])
        if len(printed) != len(cells):
            return [block]  # a cell of several lines: no line of text is cut
        pairs = list(zip(cells, printed, strict=True))
        if not any(_is_running(row, own, fewest=_FEWEST) for row, own in pairs):
            return [block]
        running = [_is_running(row, own, fewest=2) for row, own in pairs]
        return list(self._texts(block, cells, printed, running)) if sum(running) >= _SHARE * len(cells) else [block]

    def _texts(
        self,
        block: LayoutBlock,
        cells: Sequence[Sequence[LayoutCell]],
        printed: Sequence[Row],
        running: Sequence[bool],
    ) -> Iterator[LayoutBlock]:
        body = Counter(_font(row) for row, is_running in zip(printed, running, strict=True) if is_running)
        usual = body.most_common(1)[0][0]
        text = ""
        own: list[Row] = []
        for row, one in zip(cells, printed, strict=True):
            words = " ".join(cell.text.strip() for cell in row if cell.text.strip())
            level = self._levels.get(_font(one)) if _font(one) != usual else None
            if level is not None or (_font(one) != usual and _font(one) not in body):
                if text:
                    yield _paragraph(block, text, own)
                text, own = "", []
                part = replace(block, header=None, rows=None, text=words, bbox=box_around([one]))
                yield (
                    replace(part, kind="heading", level=level) if level else replace(part, kind="paragraph", bold=True)
                )
                continue
            # As liteparse does, the hyphen at the end of a line between small letters is left out.
            is_broken = text.endswith("-") and text[-2:-1].islower() and words[:1].islower()
            text = f"{text[:-1]}{words}" if is_broken else f"{text} {words}".strip()
            own.append(one)
        if text:
            yield _paragraph(block, text, own)


def _paragraph(block: LayoutBlock, text: str, rows: Sequence[Row]) -> LayoutBlock:
    return replace(block, kind="paragraph", header=None, rows=None, text=text, bbox=box_around(rows))


def _alone(block: LayoutBlock, cells: Sequence[LayoutCell]) -> list[LayoutBlock]:
    """Return the cells of a table with one column, as paragraphs where one of them is running text."""
    if any(cell.bbox is None for cell in cells) or max(len(cell.text.split()) for cell in cells) < _SENTENCE:
        return [block]
    part = replace(block, kind="paragraph", header=None, rows=None)
    return [replace(part, text=cell.text.strip(), bbox=cell.bbox) for cell in cells if cell.text.strip()]


def _is_running(cells: Sequence[LayoutCell], row: Row, *, fewest: int) -> bool:
    """Return whether pieces of a row, with so many words, stand across all edges of its cells."""
    edges = [cell.bbox.x for cell in cells if cell.text.strip() and cell.bbox is not None][1:]
    return bool(edges) and all(
        any(
            one.x < edge - _OVER
            and edge + _OVER < one.x + one.width
            and len(one.text.split()) >= fewest
            and _WIDE not in one.text
            for one in row.items
        )
        for edge in edges
    )


def _is_level(top: float, height: float, block: LayoutBlock) -> bool:
    """Return whether the middle of a piece of text is within the height of a block."""
    box = block.bbox
    return box is not None and box.y - 1 <= top + height / 2 <= box.y + box.height + 1


def _font(row: Row) -> tuple[str, float]:
    main = max(row.items, key=lambda one: len(one.text))
    return main.font_name or "", round(row.size, 1)
