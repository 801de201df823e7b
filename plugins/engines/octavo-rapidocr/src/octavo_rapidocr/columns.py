"""Puts the lines of a page in the order in which people read them: one column after the other.

RapidOCR returns lines from the top of the page to its foot, so that a page of two columns is read straight across.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

from .engine import Line

LEAST_LINES = 4
"""Lines of a column."""
LEAST_LETTERS = 12
"""Letters of the usual line of a column: the cells of tables and forms are shorter, and are read across."""
FILLED = 0.7
"""Share of a column's width that its usual line fills."""
GUTTER = 0.7
"""Least width of the blank between two columns, in heights of the usual line."""
SLACK = 0.3
"""What a line may reach into the gutter and still not cross it, in heights of the usual line: scans lie slightly askew."""


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float
    line: Line

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


def in_reading_order(lines: Sequence[Line]) -> list[Line]:
    """Return lines column by column; those above, between and below columns keep their place.

    Columns are told from tables by their lines: some that are long, and as wide as the column. Lines in one row are read from the
    left, also where one is taller: RapidOCR sorts by the top, and a stroke through an amount puts it before its label.

    Args:
        lines: the lines of an upright page, from the top.
    """
    return [box.line for box in _ordered(_in_rows([_box(line) for line in lines]))]


def _in_rows(boxes: Sequence[_Box]) -> list[_Box]:
    """Return lines with those that follow each other in one row sorted from the left."""
    rows: list[_Box] = []
    for box in boxes:
        at = len(rows)
        while at and box.right <= rows[at - 1].left and _are_level(rows[at - 1], box):
            at -= 1
        rows.insert(at, box)
    return rows


def _are_level(one: _Box, other: _Box) -> bool:
    return one.top < other.middle < one.bottom and other.top < one.middle < other.bottom


def _box(line: Line) -> _Box:
    across, down = [x for x, _ in line.corners], [y for _, y in line.corners]
    return _Box(min(across), min(down), max(across), max(down), line)


def _ordered(boxes: list[_Box]) -> list[_Box]:
    parts = _columns_of(boxes)
    if not parts:
        return boxes
    return [box for part in parts for box in (_ordered(part) if len(part) < len(boxes) else part)]


def _columns_of(boxes: Sequence[_Box]) -> list[list[_Box]]:
    """Return the lines in parts, in reading order, as the gutter divides them that has most of them beside it; or nothing."""
    if len(boxes) < 2 * LEAST_LINES:
        return []
    height = median(box.bottom - box.top for box in boxes)
    best: list[list[_Box]] = []
    for place in _starts(boxes, height):
        parts = _parted(boxes, place, height)
        if _in_columns(parts) > _in_columns(best):
            best = parts
    return best


def _starts(boxes: Sequence[_Box], height: float) -> list[float]:
    """Return the places at which several lines begin: a gutter ends at one of them."""
    starts: list[list[float]] = []
    for left in sorted(box.left for box in boxes):
        if starts and left - starts[-1][0] <= height:
            starts[-1].append(left)
        else:
            starts.append([left])
    return [lefts[0] for lefts in starts if len(lefts) >= LEAST_LINES]


def _in_columns(parts: Iterable[list[_Box]]) -> int:
    """Count the lines that stand in columns: parts of one line are none."""
    return sum(len(part) for part in parts if len(part) >= LEAST_LINES)


def _parted(boxes: Sequence[_Box], place: float, height: float) -> list[list[_Box]]:
    """Divide the lines at a gutter that ends at `place`, and return the parts in reading order; an empty list if there is no gutter.

    Lines that cross the gutter, such as a headline, divide the columns above them from those below.
    """
    slack = SLACK * height
    parts: list[list[_Box]] = []
    stretch: list[_Box] = []
    found = False
    for box in [*sorted(boxes, key=lambda box: box.middle), None]:
        if box is not None and not (box.left < place - slack and box.right > place + slack):
            stretch.append(box)
            continue
        sides = (
            [one for one in stretch if one.left < place - slack],
            [one for one in stretch if one.left >= place - slack],
        )
        if _are_columns(*sides, height=height):
            found = True
            parts += sides
        else:
            kept = set(map(id, stretch))
            parts += [[one] for one in boxes if id(one) in kept]
        if box is not None:
            parts.append([box])
        stretch = []
    return parts if found else []


def _are_columns(left: Sequence[_Box], right: Sequence[_Box], *, height: float) -> bool:
    """Whether two groups of lines are columns of text beside each other."""
    if min(len(left), len(right)) < LEAST_LINES:
        return False
    edges = sorted(box.right for box in left)
    # A line or two of the left column may have been read a little too wide.
    gutter = min(box.left for box in right) - edges[-1 - len(edges) // 20]
    if gutter < GUTTER * height:
        return False
    if min(left[-1].bottom, right[-1].bottom) < max(left[0].top, right[0].top):
        return False
    return all(_is_column(side) for side in (left, right))


def _is_column(boxes: Sequence[_Box]) -> bool:
    """Whether lines are a column of text, or several beside each other."""
    width = max(box.right for box in boxes) - min(box.left for box in boxes)
    usual = median(box.right - box.left for box in boxes)
    is_text = median(len(box.line.text) for box in boxes) >= LEAST_LETTERS
    return is_text and (usual >= FILLED * width or bool(_columns_of(boxes)))
