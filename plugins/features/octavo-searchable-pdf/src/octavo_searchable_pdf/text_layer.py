"""Geometry of a text layer: positions words so that a selection in a viewer matches the visible text (OCR-4).

There are three coordinate systems. Two are in points with y downwards from the top left corner: the page as displayed,
and the page rotated so that its text is upright, in which lines are found. The third is the PDF's user space, y upwards.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from octavo_contracts import OCRWord

Turn = Literal[0, 90, 180, 270]
"""Rotation of a page's text, degrees anticlockwise: at 90, text runs upwards."""

LINE_SHARE = 0.7
"""Interpolation of a word's box between its ink and its line; decision record 0014 has the measurements."""
_LONG_WORD = 3
_SAME_LINE = 0.5


class Matrix(NamedTuple):
    """An affine map as PDF writes it: (x, y) → (a x + c y + e, b x + d y + f)."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def then(self, outer: Matrix) -> Matrix:
        """Compose: apply this map first, then the other."""
        a, b, c, d, e, f = self
        return Matrix(
            a * outer.a + b * outer.c,
            a * outer.b + b * outer.d,
            c * outer.a + d * outer.c,
            c * outer.b + d * outer.d,
            e * outer.a + f * outer.c + outer.e,
            e * outer.b + f * outer.d + outer.f,
        )

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return the image of a point."""
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f


class Placed(NamedTuple):
    """A word in upright coordinates.

    Attributes:
        text: the word.
        left: left edge of its box.
        top: top edge of its box, between that of its ink and that of its line.
        right: right edge of its box.
        bottom: bottom edge of its box, likewise.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float


def find_turn(words: Sequence[OCRWord]) -> Turn:
    """Determine the rotation of a page's text from the shapes of its words and their sequence.

    Longer words are wider than tall if they are upright or upside down. To distinguish these two: upright text continues
    to the right within a line and downwards between lines.
    """
    long = [word for word in words if len(word.text) >= _LONG_WORD] or list(words)
    wide = sum(len(word.text) * (1 if _width(word) >= _height(word) else -1) for word in long)
    score = 0
    for before, word in itertools.pairwise(words):
        across, down = _centre(word)[0] - _centre(before)[0], _centre(word)[1] - _centre(before)[1]
        if wide >= 0:
            score += _sign(across) if abs(down) < _height(before) * _SAME_LINE else _sign(down)
        else:
            score += _sign(-down) if abs(across) < _width(before) * _SAME_LINE else _sign(across)
    if wide >= 0:
        return 0 if score >= 0 else 180
    return 90 if score >= 0 else 270


def place(words: Sequence[OCRWord], *, turn: Turn, width: float, height: float) -> list[Placed]:
    """Return the words in upright coordinates, with boxes of even height.

    An OCR engine's box is that of the ink; a viewer's is that of the font, equal for all words of a line. A box between
    the two covers both well and gives an even band when selected.

    Args:
        words: words in reading order, with boxes on the displayed page.
        turn: rotation of its text.
        width: width of the displayed page, points.
        height: height of the displayed page, points.
    """
    boxes = [_upright(word, turn=turn, width=width, height=height) for word in words]
    return [placed for line in _lines(boxes) for placed in _even(line)]


def shown_from_upright(turn: Turn, *, width: float, height: float) -> Matrix:
    """Return the map from upright coordinates to the displayed page."""
    if turn == 90:
        return Matrix(0, -1, 1, 0, 0, height)
    if turn == 180:
        return Matrix(-1, 0, 0, -1, width, height)
    if turn == 270:
        return Matrix(0, 1, -1, 0, width, 0)
    return Matrix(1, 0, 0, 1, 0, 0)


def user_from_shown(rotate: int, box: tuple[float, float, float, float]) -> Matrix:
    """Return the map from the displayed page to the PDF's user space.

    Args:
        rotate: the page's `/Rotate`: clockwise rotation for display, degrees.
        box: left, bottom, right, top of the displayed area, in user space.
    """
    left, bottom, right, top = box
    if rotate % 360 == 90:
        return Matrix(0, 1, 1, 0, left, bottom)
    if rotate % 360 == 180:
        return Matrix(-1, 0, 0, 1, right, bottom)
    if rotate % 360 == 270:
        return Matrix(0, -1, -1, 0, right, top)
    return Matrix(1, 0, 0, -1, left, top)


def _upright(word: OCRWord, *, turn: Turn, width: float, height: float) -> Placed:
    box = word.box
    if turn == 90:
        return Placed(word.text, height - box.bottom, box.left, height - box.top, box.right)
    if turn == 180:
        return Placed(word.text, width - box.right, height - box.bottom, width - box.left, height - box.top)
    if turn == 270:
        return Placed(word.text, box.top, width - box.right, box.bottom, width - box.left)
    return Placed(word.text, box.left, box.top, box.right, box.bottom)


def _lines(words: Sequence[Placed]) -> Iterator[list[Placed]]:
    """Yield runs of adjacent words: each begins to the right of the previous one and at the same level."""
    line: list[Placed] = []
    for word in words:
        if line and not (word.left >= line[-1].left and _level(line[-1], word)):
            yield line
            line = []
        line.append(word)
    if line:
        yield line


def _level(first: Placed, second: Placed) -> bool:
    shared = min(first.bottom, second.bottom) - max(first.top, second.top)
    return shared > _SAME_LINE * min(first.bottom - first.top, second.bottom - second.top)


def _even(line: Sequence[Placed]) -> Iterator[Placed]:
    """Even out boxes using only neighbouring words: the far end of a skewed line is higher or lower."""
    for number, word in enumerate(line):
        near = line[max(0, number - 2) : number + 3]
        top, bottom = min(other.top for other in near), max(other.bottom for other in near)
        if bottom - top > 2.5 * (
            word.bottom - word.top
        ):  # a small mark beside large print: its own box is more accurate
            top, bottom = word.top, word.bottom
        yield word._replace(
            top=word.top + LINE_SHARE * (top - word.top), bottom=word.bottom + LINE_SHARE * (bottom - word.bottom)
        )


def _width(word: OCRWord) -> float:
    return word.box.right - word.box.left


def _height(word: OCRWord) -> float:
    return word.box.bottom - word.box.top


def _centre(word: OCRWord) -> tuple[float, float]:
    return (word.box.left + word.box.right) / 2, (word.box.top + word.box.bottom) / 2


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
