"""First columns of tables that hold the number of a row and its label, which stand near to each other, in one cell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from octavo_contracts.authoring.pdf_runs import TextRun, read_words
from octavo_contracts.authoring.row_numbers import FEWEST, ROW_NUMBER, gutter_behind_numbers

from .engine import INSTALL
from .paragraphs import letters_of

if TYPE_CHECKING:
    from liteparse.types import LayoutBlock, LayoutCell, ParsedPage

_NUMBERED: Final = re.compile(rf"{ROW_NUMBER}\s+\S")


def divide_numbered_labels(pages: Iterable[ParsedPage], data: bytes) -> None:
    """Divide first columns of row numbers and labels that have a head each, in place.

    Args:
        pages: of a document, as liteparse read them.
        data: the document; pages with such columns are read again.
    """
    found = {page.page_num: page for page in pages if any(map(_may_be_two, page.blocks or []))}
    if not found:
        return
    words = read_words(data, found, remedy=INSTALL)
    for number, page in found.items():
        page.blocks = [_divided(block, words[number]) if _may_be_two(block) else block for block in page.blocks or []]


def _rows_of(block: LayoutBlock) -> list[list[LayoutCell]]:
    """Return the rows of a table, the head first: liteparse does not always set it apart."""
    rows = [*([block.header] if block.header else []), *(block.rows or [])] if block.kind == "table" else []
    return rows if all(rows) else []


def _may_be_two(block: LayoutBlock) -> bool:
    """Return whether the first head of a table has several words, and every text below begins with a number."""
    head, *texts = [row[0].text.strip() for row in _rows_of(block)] or [""]
    numbered = [text for text in texts if text]
    return len(head.split()) > 1 and len(numbered) >= FEWEST and all(map(_NUMBERED.match, numbered))


def _divided(block: LayoutBlock, words: Sequence[TextRun]) -> LayoutBlock:
    """Return a table with its first column divided, if the words of every cell are found there."""
    rows = _rows_of(block)
    head, *below = [_words_in(row, words) for row in rows]
    edge = gutter_behind_numbers([own for row, own in zip(rows[1:], below, strict=True) if row[0].text.strip()], [head])
    if edge is None:
        return block
    made = [_row(row, own, edge) for row, own in zip(rows, (head, *below), strict=True)]
    return replace(block, header=made[0], rows=made[1:]) if block.header else replace(block, rows=made)


def _words_in(row: Sequence[LayoutCell], words: Sequence[TextRun]) -> list[TextRun]:
    """Return the words of the first cell of a row from the left; none if they do not follow each other in the row.

    A head may reach beyond the box of its cell.
    """
    box, wanted = row[0].bbox, letters_of(row[0].text)
    if box is None or not wanted:
        return []
    level = sorted(
        (one for one in words if box.y < (one.top + one.bottom) / 2 < box.y + box.height), key=lambda one: one.left
    )
    for first in range(len(level)):
        for end in range(first + 1, len(level) + 1):
            found = letters_of(one.text for one in level[first:end])
            if found == wanted and level[first].left < box.x + box.width and level[end - 1].right > box.x:
                return level[first:end]
            if not wanted.startswith(found):
                break
    return []


def _row(row: Sequence[LayoutCell], words: Sequence[TextRun], edge: float) -> list[LayoutCell]:
    """Return a row with its first cell divided at an edge."""
    parts = [word for word in words if word.right <= edge], [word for word in words if word.right > edge]
    texts = [" ".join(word.text for word in part) for part in parts]
    return [*(replace(row[0], text=text) for text in texts), *row[1:]]
