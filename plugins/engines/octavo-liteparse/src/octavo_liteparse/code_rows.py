"""Rows of code: set in a fixed-pitch font, and no part of a paragraph that goes on with a name in such a font."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median, median_low
from typing import TYPE_CHECKING, Final

from .page_rows import Row, box_around

if TYPE_CHECKING:
    from liteparse.types import LayoutBlock, ParsedPage, TextItem

    from .fixed_pitch import FixedPitch

_SIGNS: Final = re.compile(r"[<>={}\[\];|\\$#~^`]|\w\(|\w[._/:]\w|(?<!\w)--?\w|//|::|^[%@&]")
"""What code has and the words and figures of a form do not have."""
_CODE_SHARE: Final = 0.1
"""Least share of the lines of a document's code that have such signs."""
_TIGHT: Final = 1.12
"""Largest distance of two rows of one paragraph, in distances that are usual on the page."""
_SAME_EDGE: Final = 1.5
"""Largest distance of two left edges that are one, in points."""
_HANGING: Final = 3.0
"""Largest distance of the text of a list item from the left edge of its bullet, in sizes of the font."""
_NEAR: Final = 2.6
"""Largest distance of two rows of one listing, in sizes of the font: an empty line may stand between them."""
_EMPTY_LINE: Final = 1.6
"""Distance of two rows from which on an empty line stands between them, in usual distances."""
_WIDE: Final = 0.85
"""Least width of a row that a paragraph goes on below, as a share of the widest row's."""
_MARKED: Final = re.compile(r"[•▪◦‣∙●–*-]\s|\(?\w{1,3}[.)]\s")


def has_code(pages: Iterable[ParsedPage]) -> bool:
    """Return whether a document has code: liteparse takes titles, page numbers and first lines in a typewriter font for it too."""
    blocks = [block for page in pages for block in page.blocks or [] if block.kind == "code"]
    lines = [line for block in blocks for line in block.lines or [] if line.strip()]
    return sum(_SIGNS.search(line) is not None for line in lines) >= _CODE_SHARE * len(lines)


class CodeRows:
    """The rows of code of a page.

    Args:
        fixed: the fixed-pitch fonts of the document.
        rows: of each block of the page, from the top.
    """

    def __init__(self, fixed: FixedPitch, rows: Sequence[Sequence[Row]]) -> None:
        self._fixed = fixed
        self._rows = rows
        self._held = [[fixed.holds(row) for row in own] if fixed else [False] * len(own) for own in rows]
        steps = [
            below.bottom - above.bottom
            for own, held in zip(rows, self._held, strict=True)
            for (above, is_held), (below, other) in pairwise(zip(own, held, strict=True))
            if below.bottom > above.bottom and not is_held and not other
        ]
        self._usual = median(steps) if steps else 0.0
        self._right = max((row.right for own in rows for row in own), default=0.0)

    def roles(self, at: int) -> list[bool]:
        """Return for each row of a block whether it is code."""
        rows, held = self._rows[at], list(self._held[at])
        above, first = self._above(at), 0
        while first < len(rows):
            if not held[first]:
                above, first = rows[first], first + 1
                continue
            end = first + 1
            while end < len(rows) and held[end] and is_near(rows[end - 1], rows[end]):
                end += 1
            run = rows[first:end]
            if (above is not None and self._goes_on(above, run[0])) or not any(_SIGNS.search(row.text) for row in run):
                held[first:end] = [False] * len(run)
            above, first = run[-1], end
        return held

    def is_running_text(self, block: LayoutBlock, at: int) -> bool:
        """Return whether a block that liteparse takes for code goes on with the paragraph above it."""
        return (
            block.kind == "code" and self._above(at) is not None and self.goes_on_above(at) and not any(self.roles(at))
        )

    def goes_on_above(self, at: int) -> bool:
        """Return whether a block stands below another one as the next line of a paragraph does."""
        return at > 0 and bool(self._rows[at - 1]) and self._goes_on(self._rows[at - 1][-1], self._rows[at][0])

    def _above(self, at: int) -> Row | None:
        """Return the last row of the block above; None if there is none, or if it is set in a fixed-pitch font."""
        return self._rows[at - 1][-1] if at and self._rows[at - 1] and not self._held[at - 1][-1] else None

    def _goes_on(self, above: Row, row: Row) -> bool:
        """Return whether a row stands below one of prose as the next line of its paragraph does."""
        if not 0 < row.bottom - above.bottom <= _TIGHT * self._usual:
            return False
        edges = [item.x for item in above.items]
        if any(abs(row.left - edge) <= _SAME_EDGE for edge in edges):
            return True
        is_hanging = _MARKED.match(above.text) is not None and 0 < row.left - above.left <= _HANGING * row.size
        return is_hanging and above.right - above.left >= _WIDE * (self._right - above.left)


def is_near(above: Row, below: Row) -> bool:
    """Return whether two rows may belong to one listing."""
    return 0 < below.bottom - above.bottom <= _NEAR * below.size


def code_block(block: LayoutBlock, rows: Sequence[Row], fixed: FixedPitch) -> LayoutBlock:
    """Return rows of code as a block that has them as lines, indented as the page shows them.

    Args:
        block: the first block that some of the rows come from.
        rows: from the top; each is set in a fixed-pitch font.
        fixed: the fixed-pitch fonts of the document.
    """
    left = min(row.left for row in rows)
    steps = [step for above, below in pairwise(rows) if (step := below.bottom - above.bottom) > 0]
    usual = median_low(steps) if steps else 0.0
    lines: list[str] = []
    above: Row | None = None
    for row in rows:
        if above is not None and row.bottom - above.bottom > _EMPTY_LINE * usual:
            lines.append("")
        lines.append(_line(row, left, fixed))
        above = row
    return replace(
        block, kind="code", text=None, lines=lines, header=None, rows=None, bbox=box_around(rows), level=None
    )


def _line(row: Row, left: float, fixed: FixedPitch) -> str:
    line = ""
    for item in row.items:
        advance = fixed.advance(item) or 1.0
        column = round((item.x - left) / advance)
        line = line.ljust(max(column, len(line) + bool(line))) + _with_blanks(item, advance)
    return line


def _with_blanks(item: TextItem, advance: float) -> str:
    """Return a piece of text with as many blanks as its width says: PDFium makes one of several, which are alike here."""
    text = item.text.strip()
    blanks = text.count(" ")
    missing = round(item.width / advance) - len(text)
    return text.replace(" ", " " * (1 + missing // blanks)) if blanks and missing > 0 else text
