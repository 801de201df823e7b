"""Divides words that liteparse makes of the end of a cell and the beginning of the next one.

A text that is cut off at its cell's edge ends where the next cell's text begins, without a blank between them. The page paints
the two as separate pieces, and the second one begins at the edge at which its column's cells begin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from octavo_contracts.authoring.pdf_runs import TextRun, read_text_runs

from .engine import INSTALL
from .paragraphs import letter_places

if TYPE_CHECKING:
    from liteparse.types import LayoutCell, ParsedPage

_SHARE: Final = 0.6
"""Least share of a column's cells that begin at its edge."""
_FEWEST: Final = 4
"""Fewest cells that show where a column begins."""
_EDGE: Final = 1.0
"""Largest distance from an edge of what begins there, in points."""
_OVER: Final = 1.5
"""Least distance by which a cell runs over the edge of the next column, in points."""
_PADDING: Final = 4.0
"""Largest distance of a cell's text from the ruling line left of it, in points."""
_GAP: Final = 0.12
"""Largest distance of two pieces without a blank between them, in heights of a line."""


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
    """Yield the borders that a piece of text runs over, where both cells have a text."""
    for block in page.blocks or []:
        rows = [*([block.header] if block.header else []), *(block.rows or [])] if block.kind == "table" else []
        edges = [_edge([row[at] for row in rows if at < len(row)]) for at in range(max(map(len, rows), default=0))]
        for row in rows:
            top, bottom = _extent(row)
            own = [item for item in page.text_items if top <= item.y + item.height / 2 <= bottom]
            for at, (before, behind) in enumerate(pairwise(row), start=1):
                edge = edges[at]
                if edge is None or before.bbox is None or behind.bbox is None or not before.text or not behind.text:
                    continue
                if any(item.x < edge - _OVER and item.x + item.width > edge + _OVER for item in own):
                    yield _Border(row, at, edge)


def _extent(row: Sequence[LayoutCell]) -> tuple[float, float]:
    """Return the top and the bottom of a row's cells."""
    boxes = [cell.bbox for cell in row if cell.bbox is not None]
    return min((box.y for box in boxes), default=0.0), max((box.y + box.height for box in boxes), default=0.0)


def _edge(cells: Sequence[LayoutCell]) -> float | None:
    """Return where the cells of a column begin; None if they begin at different places."""
    lefts = [cell.bbox.x for cell in cells if cell.bbox is not None and cell.text]
    if len(lefts) < _FEWEST:
        return None
    ((usual, _),) = Counter(round(left, 1) for left in lefts).most_common(1)
    same = [left for left in lefts if abs(left - usual) <= _EDGE]
    return usual if len(same) >= max(_FEWEST, _SHARE * len(lefts)) else None


def _divide(border: _Border, runs: Sequence[TextRun]) -> None:
    """Divide the texts of two cells where a piece of text begins at the edge, right behind another one."""
    before, behind = border.row[border.at - 1], border.row[border.at]
    assert before.bbox is not None  # a border has places on both sides
    assert behind.bbox is not None
    left = min(before.bbox.x, behind.bbox.x) - _EDGE
    right = max(before.bbox.x + before.bbox.width, behind.bbox.x + behind.bbox.width) + _EDGE
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
            if -_EDGE <= other.left - border.edge <= _PADDING
            and other.left - one.right <= _GAP * (one.bottom - one.top)
        ),
        default=None,
    )
    text = f"{before.text} {behind.text}"
    places = letter_places(text)
    if cut is None or _letters(own) != "".join(text[place] for place in places):
        return
    at = places[len(_letters(own[:cut]))]
    while at > 0 and text[at - 1] in "(\"'$#" and own[cut].text.lstrip()[:1] == text[at - 1]:
        at -= 1
    before.text, behind.text = text[:at].strip(), text[at:].strip()


def _letters(runs: Iterable[TextRun]) -> str:
    return "".join(filter(str.isalnum, "".join(run.text for run in runs)))
