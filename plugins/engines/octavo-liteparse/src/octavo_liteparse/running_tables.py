"""Takes tables apart that liteparse makes of running text.

A heading such as `1.2   Console basics` has a gap behind its number. liteparse takes the gap for one between two columns, and
cuts the lines below it at the same place, each in the middle of a sentence. The page paints such a line in one piece, which
stands on both sides of the edge: the cells of a table are painted apart.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from .code_rows import is_near
from .page_rows import Row, box_around, rows_of
from .paragraphs import joined_lines, letter_places, letters_of

if TYPE_CHECKING:
    from liteparse.types import LayoutBlock, LayoutCell, ParsedPage

_SHARE: Final = 0.4
"""A table is running text if at least this share of its rows, headings apart, are lines of running text."""
_FEWEST: Final = 3
"""Fewest words of a line that shows running text."""
_FEWEST_BESIDE: Final = 2
"""Fewest words of another line of the same text."""
_FEWEST_ROWS: Final = 2
"""Fewest rows of a table above a line of running text."""
_SENTENCE: Final = 12
"""Words from which on a cell of a table with one column is running text."""
_SECTION: Final = re.compile(r"\d{1,3}(?:\.\d{1,3})*\.?")
"""Number of a section."""
_WITHOUT_BLANKS: Final = re.compile("[\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff9f]{2}")
"""Two signs of Chinese or Japanese text."""
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
                    if not _is_level(item.y, item.height, block):
                        continue
                    own = letters_of([item.text])
                    if own and own in letters:
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
        if max(map(len, cells), default=0) == 1:
            return _alone(block, [row[0] for row in cells])
        items = [one for one in page.text_items if one.text.strip() and _is_level(one.y, one.height, block)]
        printed = rows_of(one for one in items if box.x - 1 <= one.x + one.width / 2 <= box.x + box.width + 1)
        lines = _lines_of(cells, printed)
        if lines is None:
            return [block]  # cells of several lines beside each other
        pairs = list(zip(cells, lines, strict=True))
        others = [
            (row, own)
            for row, own in pairs
            if not (_SECTION.fullmatch(row[0].text.strip()) and _font(own[0]) in self._levels)
        ]
        counts = [_words_across(row, own) for row, own in others]
        if others and max(counts) < _FEWEST:
            return [block]
        running = [count >= _FEWEST_BESIDE for count in counts]
        if sum(running) < _SHARE * len(others):
            return _without_line_below(block, pairs)
        return list(self._texts(block, pairs, others, running))

    def _texts(
        self,
        block: LayoutBlock,
        pairs: Sequence[tuple[Sequence[LayoutCell], list[Row]]],
        others: Sequence[tuple[Sequence[LayoutCell], list[Row]]],
        running: Sequence[bool],
    ) -> Iterator[LayoutBlock]:
        """Yield headings and paragraphs for the rows, of which some are no headings, and some of these running text."""
        body = Counter(_font(own[0]) for (_, own), is_running in zip(others, running, strict=True) if is_running)
        usual = body.most_common(1)[0][0] if body else None
        texts: list[tuple[int | None, str, list[Row]]] = []
        for row, own in pairs:
            words = " ".join(cell.text.strip() for cell in row if cell.text.strip())
            level = self._levels.get(_font(own[0])) if _font(own[0]) != usual else None
            if texts and texts[-1][0] == level and (level is None or is_near(texts[-1][2][-1], own[0])):
                texts[-1] = (level, _joined(texts[-1][1], words), [*texts[-1][2], *own])
            else:
                texts.append((level, words, own))
        for level, text, own in texts:
            kind = "paragraph" if level is None else "heading"
            yield replace(block, kind=kind, level=level, header=None, rows=None, text=text, bbox=box_around(own))


def _joined(text: str, words: str) -> str:
    """Return a text with the words of the next line; two signs of a script without blanks have none between them."""
    is_one = _WITHOUT_BLANKS.fullmatch(text[-1:] + words[:1]) is not None
    return joined_lines(text, words, between="" if is_one else " ")


def _without_line_below(
    block: LayoutBlock, pairs: Sequence[tuple[Sequence[LayoutCell], list[Row]]]
) -> list[LayoutBlock]:
    """Return a table without the line of text below it, and that line: it alone is painted in one piece across the columns."""
    rows, (last, own) = pairs[:-1], pairs[-1]
    pieces = [item for line in own for item in line.items]
    is_line = len(pieces) == 1 and _words_across(last, own) >= _FEWEST
    if not is_line or len(rows) < _FEWEST_ROWS or not block.rows or any(_words_across(*one) for one in rows):
        return [block]
    table = replace(block, rows=block.rows[:-1], bbox=box_around([line for _, lines in rows for line in lines]))
    text = " ".join(cell.text.strip() for cell in last if cell.text.strip())
    return [table, replace(block, kind="paragraph", header=None, rows=None, text=text, bbox=box_around(own))]


def _alone(block: LayoutBlock, cells: Sequence[LayoutCell]) -> list[LayoutBlock]:
    """Return the cells of a table with one column, as paragraphs where one of them is running text."""
    if any(cell.bbox is None for cell in cells) or max(len(cell.text.split()) for cell in cells) < _SENTENCE:
        return [block]
    part = replace(block, kind="paragraph", header=None, rows=None)
    return [replace(part, text=cell.text.strip(), bbox=cell.bbox) for cell in cells if cell.text.strip()]


def _lines_of(cells: Sequence[Sequence[LayoutCell]], printed: Sequence[Row]) -> list[list[Row]] | None:
    """Return the lines that each row of a table is printed in; None where they do not have its letters in their order."""
    found: list[list[Row]] = []
    at = 0
    for row in cells:
        wanted, own = "".join(map(_letters, row)), ""
        begun = at
        while at < len(printed) and own != wanted and wanted.startswith(own):
            own += printed[at].letters
            at += 1
        if not wanted or own != wanted:
            return None
        found.append(list(printed[begun:at]))
    return found if at == len(printed) else None


def _words_across(cells: Sequence[LayoutCell], lines: Sequence[Row]) -> int:
    """Return the number of words of the shortest piece of text that an edge between two cells divides.

    It is 0 for a row of one cell, and where an edge lies between two pieces, or within one that holds two columns apart.
    """
    edges = list(accumulate(len(_letters(cell)) for cell in cells if _letters(cell)))[:-1]
    items = [item for line in lines for item in line.items]
    ends = list(accumulate(len(letters_of([item.text])) for item in items))
    found = {
        edge: len(item.text.split())
        for edge in edges
        for item, begun, end in zip(items, [0, *ends], ends, strict=False)
        if begun < edge < end and _WIDE not in item.text
    }
    return min(found.values()) if edges and len(found) == len(edges) else 0


def _letters(cell: LayoutCell) -> str:
    return "".join(cell.text[place] for place in letter_places(cell.text))


def _is_level(top: float, height: float, block: LayoutBlock) -> bool:
    """Return whether the middle of a piece of text is within the height of a block."""
    box = block.bbox
    return box is not None and box.y - 1 <= top + height / 2 <= box.y + box.height + 1


def _font(row: Row) -> tuple[str, float]:
    main = max(row.items, key=lambda one: len(one.text))
    return main.font_name or "", round(row.size, 1)
