"""Analyses the positions of a page's lines: aligned rows of cells, and lines in a larger font.

Uses the boxes that PDFium puts around text runs: a few hundred calls per page, no access to single characters.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from .pdf_calls import calls, handle_of

MAX_RUNS = 400
"""Maximum number of text runs that are analysed: the first of a page, in the order of the file."""
_GAP = 0.9
"""A gap wider than this many line heights separates two cells; a space between words is at most 0.6."""
_ALIGNED = 0.6
"""Cell edges closer than this many line heights count as aligned."""
_FLOWING = 0.36
"""Cells wider than this share of the page are columns of running text."""
_LARGER = 1.18
"""Minimum ratio of a heading's size to the body's."""
_SHORT = 8
"""Cells narrower than this many line heights hold a number or a few words."""
_MIN_ROWS = 3

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in points from the page's lower left corner."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Layout features of a page.

    Attributes:
        table_rows: lines that form aligned rows of cells.
        larger_lines: lines larger than the body, usually headings.
        columns: 2 or more if running text is in columns.
        lines: number of lines.
    """

    table_rows: int = 0
    larger_lines: int = 0
    columns: int = 1
    lines: int = 0

    def score(self, *, picture_share: float) -> float:
        """Return how much the page depends on its layout, 0..1 (CNV-3).

        It is the share of the page that its largest picture covers, plus the share of the lines on the rest of the page
        that are rows of tables or headings.

        Args:
            picture_share: share of the page that its largest picture covers.
        """
        structured = min(1.0, (self.table_rows + self.larger_lines) / self.lines) if self.lines else 0.0
        return picture_share + (1.0 - picture_share) * structured


UNSEEN = Layout()
"""Layout of a page that was not analysed, or has no lines."""


@dataclass(frozen=True, kw_only=True)
class _Line:
    """The cells of one line from left to right, as (left, right), with the line's height and vertical middle."""

    cells: tuple[tuple[float, float], ...]
    height: float
    middle: float

    @property
    def width(self) -> float:
        return sum(right - left for left, right in self.cells)


def layout_of(text_page: Any, *, width: float) -> Layout:
    """Analyse the lines of a page.

    Args:
        text_page: pypdfium2's text page. Any: pypdfium2 ships no types.
        width: of the page, in points.
    """
    return layout_of_runs(_runs(text_page), width=width)


def layout_of_runs(runs: Sequence[Box], *, width: float) -> Layout:
    """Analyse boxes around text runs.

    Args:
        runs: in any order.
        width: of the page, in points.
    """
    lines = _lines(runs)
    if not lines or width <= 0:
        return UNSEEN
    body = _body_height(lines)
    flowing = sum(
        sum(right - left >= 0.25 * width for left, right in line.cells) >= 2 and len(line.cells) <= 3 for line in lines
    )
    columns = 2 if flowing >= 6 and flowing * 3 >= len(lines) else 1
    return Layout(
        table_rows=_table_rows(lines, width=width),
        larger_lines=sum(line.height >= _LARGER * body and line.width >= 2 * line.height for line in lines),
        columns=columns,
        lines=len(lines),
    )


def _runs(text_page: Any) -> list[Box]:
    functions, handle = calls(), handle_of(text_page.raw)
    numbers = (ctypes.c_double * 4)()
    start = ctypes.addressof(numbers)
    places = tuple(range(start, start + 32, 8))
    found = []
    for index in range(min(MAX_RUNS, functions.count_rectangles(handle, 0, -1))):
        if functions.rectangle(handle, index, *places):
            left, top, right, bottom = numbers
            found.append((left, top, right, bottom))
    return found


def _lines(runs: Sequence[Box]) -> list[_Line]:
    """Group runs into lines, from the top: a run belongs to a line if its middle is within the line's height."""
    boxes = sorted((run for run in runs if run[1] - run[3] > 1 and run[2] > run[0]), key=lambda run: -(run[1] + run[3]))
    rows: list[list[Box]] = []
    for box in boxes:
        last = rows[-1] if rows else None
        middle = (box[1] + box[3]) / 2
        if last is not None and last[0][3] <= middle <= last[0][1]:
            last.append(box)
        else:
            rows.append([box])
    return [_line(row) for row in rows]


def _line(row: Sequence[Box]) -> _Line:
    height = max(top - bottom for _, top, _, bottom in row)
    cells: list[tuple[float, float]] = []
    for left, _, right, _ in sorted(row):
        if cells and left - cells[-1][1] < _GAP * height:
            cells[-1] = (cells[-1][0], max(right, cells[-1][1]))
        else:
            cells.append((left, right))
    return _Line(cells=tuple(cells), height=height, middle=(row[0][1] + row[0][3]) / 2)


def _body_height(lines: Sequence[_Line]) -> float:
    """Return the height of most of the text, weighted by width."""
    weighted: list[float] = []
    for line in lines:
        weighted.extend([line.height] * max(1, round(line.width / 40)))
    return median(weighted)


def _table_rows(lines: Sequence[_Line], *, width: float) -> int:
    """Count lines with two or more narrow cells that share edges with the line above, in groups of at least three.

    Of a group half of the lines have a short cell. Names and running text stand in columns without any.
    """
    total, run = 0, lines[:1]
    for above, line in pairwise((*lines, _Line(cells=(), height=0, middle=0))):
        if _is_row(above, width=width) and _is_row(line, width=width) and _aligned(above, line):
            run = (*run, line)
            continue
        total += len(run) if len(run) >= _MIN_ROWS and 2 * sum(map(_has_short_cell, run)) >= len(run) else 0
        run = (line,)
    return total


def _has_short_cell(line: _Line) -> bool:
    return any(right - left < _SHORT * line.height for left, right in line.cells)


def _is_row(line: _Line, *, width: float) -> bool:
    return len(line.cells) >= 2 and sum(right - left > _FLOWING * width for left, right in line.cells) <= (
        len(line.cells) > 2
    )


def _aligned(above: _Line, below: _Line) -> bool:
    """Return whether at least two cells are aligned with cells of the line above: by their left, right or middle."""
    slack = _ALIGNED * max(above.height, below.height)
    shared = 0
    for left, right in below.cells:
        for other, end in above.cells:
            if abs(left - other) <= slack or abs(right - end) <= slack or abs(left + right - other - end) <= slack:
                shared += 1
                break
        if shared == 2:
            return True
    return False
