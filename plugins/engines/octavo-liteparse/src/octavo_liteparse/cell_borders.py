"""Divides words that liteparse makes of the end of a cell and the beginning of the next one.

A text that is cut off at its cell's edge ends where the next cell's text begins, without a blank between them. The page paints
the two as separate pieces, and the second one begins at the edge at which its column's cells begin.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from octavo_contracts.authoring.pdf_runs import TextRun, read_text_runs

from .engine import INSTALL
from .paragraphs import letter_places, letters_of

if TYPE_CHECKING:
    from liteparse.types import LayoutCell, ParsedPage, TextItem

_SHARE: Final = 0.6
"""Least share of a column's cells whose texts begin at one place."""
_FEWEST: Final = 4
"""Fewest texts that show where those of a column begin: columns of figures have no such place."""
_EDGE: Final = 0.5
"""Largest distance from that place of a text that begins there, in points."""
_MARGIN: Final = 1.0
"""How far a piece of text may lie outside of its cell, in points."""
_GAP: Final = 0.12
"""Largest distance of two pieces without a blank between them, in heights of a line."""
_JOINED: Final = re.compile(r"[^\W\d_](?=\d)|\d(?=[A-Z])|[a-z](?=[A-Z])")
"""Where a word may be made of two texts: words and numbers are seldom written so, but painted in pieces everywhere."""


@dataclass(frozen=True)
class _Border:
    """An edge between two cells that the text of one of them runs over.

    Attributes:
        row: cells from the left.
        at: index of the cell right of the edge.
        edge: in points.
    """

    row: list[LayoutCell]
    at: int
    edge: float


def divide_cells(pages: Iterable[ParsedPage], data: bytes) -> None:
    """Divide the words across the edges of two cells, in place.

    Args:
        pages: of a document, as liteparse read them.
        data: the document; its pages are read again where cells run over an edge.
    """
    found = {page.page_num: borders for page in pages if (borders := list(_borders(page)))}
    if not found:
        return
    runs = read_text_runs(data, found, remedy=INSTALL)
    for number, borders in found.items():
        for border in borders:
            _divide(border, runs[number])


def _borders(page: ParsedPage) -> Iterator[_Border]:
    """Yield the borders that a piece of text runs over, where both cells have a text and a word may be made of two."""
    for block in page.blocks or []:
        rows = [*([block.header] if block.header else []), *(block.rows or [])] if block.kind == "table" else []
        if not any(_JOINED.search(cell.text) for row in rows for cell in row):
            continue
        printed = [_items_beside(row, page.text_items) for row in rows]
        for at in range(1, max(map(len, rows))):
            edge = _edge(rows, printed, at)
            for row, own in zip(rows, printed, strict=True):
                if edge is None or at >= len(row) or not row[at - 1].text or not row[at].text:
                    continue
                if any(
                    one.x < edge - _EDGE < edge + _EDGE < one.x + one.width and _JOINED.search(one.text) for one in own
                ):
                    yield _Border(row, at, edge)


def _items_beside(row: Sequence[LayoutCell], items: Iterable[TextItem]) -> list[TextItem]:
    """Return the pieces of text that stand in a row."""
    top, bottom = _extent(row)
    return [item for item in items if top <= item.y + item.height / 2 <= bottom]


def _extent(row: Sequence[LayoutCell]) -> tuple[float, float]:
    """Return the top and the bottom of a row's cells."""
    boxes = [cell.bbox for cell in row if cell.bbox is not None]
    return min((box.y for box in boxes), default=0.0), max((box.y + box.height for box in boxes), default=0.0)


def _edge(rows: Sequence[Sequence[LayoutCell]], printed: Sequence[Sequence[TextItem]], at: int) -> float | None:
    """Return where the texts of a column begin; None if they begin at different places."""
    lefts: list[float] = []
    for row, own in zip(rows, printed, strict=True):
        box = row[at].bbox if at < len(row) else None
        if box is not None:
            inside = [one.x for one in own if box.x - _MARGIN <= one.x < box.x + box.width]
            lefts += [min(inside)] if inside else []
    if len(lefts) < _FEWEST:
        return None
    ((usual, _),) = Counter(round(left, 1) for left in lefts).most_common(1)
    same = [left for left in lefts if abs(left - usual) <= _EDGE]
    return usual if len(same) >= max(_FEWEST, _SHARE * len(lefts)) else None


def _divide(border: _Border, runs: Sequence[TextRun]) -> None:
    """Divide the texts of two cells where a piece of text begins at the edge, right behind another one."""
    before, behind = border.row[border.at - 1], border.row[border.at]
    if before.bbox is None or behind.bbox is None:
        return
    left = min(before.bbox.x, behind.bbox.x) - _MARGIN
    right = max(before.bbox.x + before.bbox.width, behind.bbox.x + behind.bbox.width) + _MARGIN
    top, bottom = _extent((before, behind))
    own = sorted(
        (run for run in runs if left <= run.left and run.right <= right and top < (run.top + run.bottom) / 2 < bottom),
        key=lambda run: run.left,
    )
    # The cut off letter at the end of a cell may be a piece of its own, left of the one that begins the next cell.
    cut = max(
        (
            at
            for at, (one, other) in enumerate(pairwise(own), start=1)
            if abs(other.left - border.edge) <= _EDGE
            and other.left - one.right <= _GAP * (one.bottom - one.top)
            and _JOINED.match(one.text[-1] + other.text)
        ),
        default=None,
    )
    text = f"{before.text} {behind.text}"
    places = letter_places(text)
    if cut is not None and letters_of(run.text for run in own) == "".join(text[place] for place in places):
        at = places[len(letters_of(run.text for run in own[:cut]))]
        before.text, behind.text = text[:at].strip(), text[at:].strip()
