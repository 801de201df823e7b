"""Tables of a recognised page, from the places of its words: rows of cells that stand under each other.

A recogniser returns lines and words, and reads the cells of a table column by column or line by line. The gaps between words show
the cells: in a table, wide gaps lie under each other in one line after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from octavo_contracts import BoundingBox, OCRWord, Table

MIN_ROWS = 3
"""Fewer lines of cells are no table: a heading with a date beside it, a signature with a name."""
MIN_COLUMNS = 3
"""Two columns are more often labels with values, or text beside text, than a table."""
MIN_GAP = 1.0
"""Minimum width of a gap between cells, in heights of a line: gaps between words are a third of it, even in justified text."""
MAX_LEADING = 3.5
"""Maximum distance between neighbouring rows, in heights of a line."""
MIN_FILLED = 0.6
"""Minimum share of filled cells."""
MAX_CELL_WORDS = 6
"""Cells with more words on average are columns of running text."""
MAX_WORDS = 20_000
"""Pages with more recognised words are not searched."""

HIGH = 2.0
"""Least height of a word that may be beside several lines, in heights of a line."""
Edges = tuple[float, float]
"""Left and right."""


@dataclass(frozen=True, kw_only=True)
class _Line:
    """Words that stand beside each other, from left to right."""

    words: tuple[OCRWord, ...]

    @property
    def top(self) -> float:
        return min(word.box.top for word in self.words)

    @property
    def bottom(self) -> float:
        return max(word.box.bottom for word in self.words)


def recognised_tables(words: Sequence[OCRWord]) -> list[Table]:
    """Return the tables that the places of a page's words show, from the top.

    Args:
        words: of one page, in any order.
    """
    if not words or len(words) > MAX_WORDS:
        return []
    height = median(word.box.bottom - word.box.top for word in words)
    if height <= 0:
        return []
    found = []
    for block in _blocks(_lines(words, height), gap=MIN_GAP * height, leading=MAX_LEADING * height):
        table = _table(block, gap=MIN_GAP * height)
        if table is not None:
            found.append(table)
    return found


def _lines(words: Sequence[OCRWord], height: float) -> list[_Line]:
    """Group words by height: a word belongs to a line if its middle is within the line's last word, or the reverse.

    A word beside several lines, such as a vertical label, would join them, and is left out.
    """
    level = _rows(word for word in words if _height(word) < HIGH * height)
    alone = []
    for word in words:
        if _height(word) >= HIGH * height:
            beside = [row for row in level if any(_beside(word, one) for one in row)]
            if len(beside) == 1:
                beside[0].append(word)
            elif not beside:
                alone.append(word)
    lines = [_Line(words=tuple(sorted(row, key=lambda one: one.box.left))) for row in [*level, *_rows(alone)]]
    return sorted(lines, key=lambda line: line.top + line.bottom) if alone else lines


def _rows(words: Iterable[OCRWord]) -> list[list[OCRWord]]:
    rows: list[list[OCRWord]] = []
    for word in sorted(words, key=lambda one: (one.box.top + one.box.bottom, one.box.left)):
        last = rows[-1][-1] if rows else None
        if last is not None and _beside(last, word):
            rows[-1].append(word)
        else:
            rows.append([word])
    return rows


def _height(word: OCRWord) -> float:
    return word.box.bottom - word.box.top


def _beside(one: OCRWord, other: OCRWord) -> bool:
    first, second = (one.box.top + one.box.bottom) / 2, (other.box.top + other.box.bottom) / 2
    return one.box.top <= second <= one.box.bottom or other.box.top <= first <= other.box.bottom


def _blocks(lines: Sequence[_Line], *, gap: float, leading: float) -> list[list[_Line]]:
    """Return the longest runs of neighbouring lines with gaps under each other, in each of which all lines share columns."""
    blocks: list[list[_Line]] = []
    run: list[_Line] = []
    shared: list[Edges] = []
    for line in lines:
        own = _columns([line], gap)
        # Columns of columns are those of their words, so that a long run costs no more than its lines.
        both = _separated([*shared, *own], gap)
        is_near = not run or line.top - run[-1].bottom <= leading
        if len(own) > 1 and is_near and len(both) >= MIN_COLUMNS:
            run.append(line)
            shared = both
            continue
        blocks.append(run)
        run, shared = ([line], own) if len(own) >= MIN_COLUMNS else ([], [])
    blocks.append(run)
    return [block for block in blocks if len(block) >= MIN_ROWS]


def _columns(lines: Sequence[_Line], gap: float) -> list[Edges]:
    """Return the left and right edges of the columns: parts of the page's width that gaps in all lines separate."""
    return _separated(((word.box.left, word.box.right) for line in lines for word in line.words), gap)


def _separated(parts: Iterable[Edges], gap: float) -> list[Edges]:
    """Join the parts of a line's width that no gap separates."""
    merged: list[Edges] = []
    for left, right in sorted(parts):
        if merged and left - merged[-1][1] < gap:
            merged[-1] = (merged[-1][0], max(merged[-1][1], right))
        else:
            merged.append((left, right))
    return merged


def _table(lines: Sequence[_Line], *, gap: float) -> Table | None:
    columns = _columns(lines, gap)
    rows = tuple(
        tuple(" ".join(word.text for word in line.words if left <= word.box.left <= right) for left, right in columns)
        for line in lines
    )
    cells = [cell for row in rows for cell in row]
    filled = [cell for cell in cells if cell]
    if len(filled) < MIN_FILLED * len(cells) or sum(len(cell.split()) for cell in filled) > MAX_CELL_WORDS * len(
        filled
    ):
        return None
    boxes = [word.box for line in lines for word in line.words]
    around = BoundingBox(
        left=min(box.left for box in boxes),
        top=min(box.top for box in boxes),
        right=max(box.right for box in boxes),
        bottom=max(box.bottom for box in boxes),
    )
    return Table(rows=rows, box=around)
