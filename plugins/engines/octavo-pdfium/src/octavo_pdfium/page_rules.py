"""The lines that are drawn on a page, level or upright: those between the cells of a table among them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .frame import Frame
from .native import OBJECT_FORM, OBJECT_PATH, Cells, Native, Rect

MAX_OBJECTS = 20_000
"""Most paths and forms of a page that are looked at: a page with more is a drawing."""
MAX_RULES = 4_000
"""Most lines of a page; a table of a thousand cells has two thousand, if each cell is framed."""
MAX_SEGMENTS = 400
"""Most segments of one path; a path with more is a drawing."""
MAX_POINTS = 60_000
"""Most segments of all paths of a page that are looked at."""
MAX_DEPTH = 4
"""Forms nested deeper are not looked at."""
THICK = 3.0
"""A filled area up to so many points thick is a line."""
SHORTEST = 4.0
"""Shorter lines, in points, are parts of drawn characters and marks."""

_BEZIER, _MOVE = 1, 2
"""`FPDFPathSegment_GetType`."""

Matrix = tuple[float, float, float, float, float, float]
_SAME: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


class Rule(NamedTuple):
    """A level or an upright line.

    `at` is its distance from the page's top (level) or left edge (upright); `start` and `end` are where it begins and ends
    in the other direction. In points.
    """

    at: float
    start: float
    end: float


class Box(NamedTuple):
    """What is drawn, in user space, and whether its outline is drawn: else it is only filled."""

    left: float
    bottom: float
    right: float
    top: float
    stroked: bool


@dataclass(slots=True)
class Rules:
    """The lines of a page.

    Attributes:
        level: level lines.
        upright: upright lines.
        filled: left, top, right and bottom of the areas without an outline: cells perhaps, or the ground of a line of text.
    """

    level: list[Rule] = field(default_factory=list)
    upright: list[Rule] = field(default_factory=list)
    filled: list[tuple[float, float, float, float]] = field(default_factory=list)

    def add(self, left: float, top: float, right: float, bottom: float, *, stroked: bool) -> None:
        """Add a thin area as a line, a thick one with an outline as the four lines of its frame."""
        width, height = right - left, bottom - top
        if height <= THICK and width >= SHORTEST and width > height:
            self.level.append(Rule((top + bottom) / 2, left, right))
        elif width <= THICK and height >= SHORTEST:
            self.upright.append(Rule((left + right) / 2, top, bottom))
        elif width > THICK and height > THICK and not stroked:
            self.filled.append((left, top, right, bottom))
        elif width > THICK and height > THICK:
            self._add_frame(left, top, right, bottom)

    def with_filled(self) -> Rules:
        """Return these lines and the frames of the filled areas."""
        made = Rules(level=[*self.level], upright=[*self.upright])
        for area in self.filled:
            made._add_frame(*area)
        return made

    def _add_frame(self, left: float, top: float, right: float, bottom: float) -> None:
        self.level += (Rule(top, left, right), Rule(bottom, left, right))
        self.upright += (Rule(left, top, bottom), Rule(right, top, bottom))


class RuleReader:
    """Reads the lines of pages; reuses the buffers that PDFium writes to."""

    def __init__(self, lib: Native) -> None:
        self._lib = lib
        self._point = Cells(ctypes.c_float, 2)
        self._matrix = Cells(ctypes.c_float, 6)
        self._modes = Cells(ctypes.c_int, 2)
        self._objects = self._segments = 0

    def read(self, drawn: Iterable[int], frame: Frame) -> Rules:
        """Read the lines among the paths and forms of a page; nothing more of a page that is a drawing."""
        rules = Rules()
        self._objects = self._segments = 0
        for obj in drawn:
            for left, bottom, right, top, stroked in self._of_object(obj, _SAME, 0):
                rules.add(*frame.edges(Rect(left=left, top=top, right=right, bottom=bottom)), stroked=stroked)
            if self._objects > MAX_OBJECTS or self._segments > MAX_POINTS:
                break
        return rules

    def _of_object(self, obj: int, outer: Matrix, depth: int) -> Iterator[Box]:
        lib = self._lib
        kind = lib.object_type(obj)
        self._objects += 1
        if self._objects > MAX_OBJECTS:
            return
        if kind == OBJECT_PATH:
            yield from self._of_path(obj, outer)
        elif kind == OBJECT_FORM and depth < MAX_DEPTH:
            inner = _composed(self._matrix_of(obj), outer)
            for place in range(min(lib.form_count(obj), MAX_OBJECTS)):
                part = lib.form_object(obj, place)
                if part:
                    yield from self._of_object(part, inner, depth + 1)

    def _of_path(self, path: int, outer: Matrix) -> Iterator[Box]:
        lib = self._lib
        count = lib.count_segments(path)
        if not 2 <= count <= MAX_SEGMENTS or self._segments > MAX_POINTS:
            return
        self._segments += count
        fill, stroke = self._modes.pointers
        if not lib.draw_mode(path, fill, stroke) or not any(self._modes.values):
            return
        filled, stroked = self._modes.values[0] != 0, self._modes.values[1] != 0
        matrix = _composed(self._matrix_of(path), outer)
        for points, closed in self._outlines(path, count):
            turned = [_moved(point, matrix) for point in points]
            if _is_rectangle(turned, closed=closed or filled):
                xs, ys = [x for x, _ in turned], [y for _, y in turned]
                yield Box(min(xs), min(ys), max(xs), max(ys), stroked)
            elif stroked:
                ends = [*turned[1:], turned[0]] if closed else turned[1:]
                for (x0, y0), (x1, y1) in zip(turned, ends, strict=False):
                    if abs(x1 - x0) <= 1 or abs(y1 - y0) <= 1:
                        yield Box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1), True)

    def _outlines(self, path: int, count: int) -> Iterator[tuple[list[tuple[float, float]], bool]]:
        """Yield the points of each outline of a path that has no curve, and whether it is closed."""
        lib = self._lib
        across, down = self._point.pointers
        points: list[tuple[float, float]] = []
        closed = curved = False
        for place in range(count):
            segment = lib.path_segment(path, place)
            if not segment or not lib.segment_point(segment, across, down):
                return
            kind = lib.segment_type(segment)
            if kind == _MOVE:
                if len(points) > 1 and not curved:
                    yield points, closed
                points, closed, curved = [], False, False
            curved = curved or kind == _BEZIER
            points.append((self._point.values[0], self._point.values[1]))
            closed = closed or bool(lib.segment_closes(segment))
        if len(points) > 1 and not curved:
            yield points, closed

    def _matrix_of(self, obj: int) -> Matrix:
        if not self._lib.matrix(obj, self._matrix.pointers[0]):
            return _SAME
        a, b, c, d, e, f = self._matrix.values
        return a, b, c, d, e, f


def _is_rectangle(points: Sequence[tuple[float, float]], *, closed: bool) -> bool:
    """Return whether an outline is a rectangle whose sides are level and upright."""
    corners = points[:-1] if len(points) == 5 and points[0] == points[-1] else points
    if len(corners) != 4 or not (closed or len(points) == 5):
        return False
    return all(
        abs(x1 - x0) <= 0.5 or abs(y1 - y0) <= 0.5
        for (x0, y0), (x1, y1) in zip(corners, [*corners[1:], corners[0]], strict=True)
    )


def _composed(inner: Matrix, outer: Matrix) -> Matrix:
    if outer == _SAME:
        return inner
    a, b, c, d, e, f = inner
    g, h, i, j, k, m = outer
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def _moved(point: tuple[float, float], matrix: Matrix) -> tuple[float, float]:
    x, y = point
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f
