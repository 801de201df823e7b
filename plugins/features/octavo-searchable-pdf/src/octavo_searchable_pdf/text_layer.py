"""Where each word of a text layer goes, so that a viewer selects what the eye sees (OCR-4). Pure geometry.

Three frames, each in points with y downwards from the top left corner: the page as it is shown; the page turned so that
its text stands upright, in which lines are told; and, at the end, the PDF's own user space with y upwards.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from octavo_contracts import OCRWord

Turn = Literal[0, 90, 180, 270]
"""Degrees by which the text of a page is turned anticlockwise: at 90, reading goes up."""

LINE_SHARE = 0.7
"""How far a word's box goes from its ink towards its line, for the figures in the decision record 0014."""
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
        """This map first, the other one after it."""
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
        """The image of a point."""
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f


class Placed(NamedTuple):
    """A word where its text is upright.

    Attributes:
        text: the word.
        left: of its box.
        top: of its box, between that of its ink and that of its line.
        right: of its box.
        bottom: of its box, likewise.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float


def find_turn(words: Sequence[OCRWord]) -> Turn:
    """How the text of a page is turned, by the shapes of its words and the way from one to the next.

    Longer words are wider than tall when they stand upright or on their heads. Which of the two it is: reading goes
    on to the right within a line and downwards between lines, or the other way round.
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
    """The words where the page is turned upright, each with a box of even height.

    A recogniser's box is the ink's; a viewer's is the font's, the same for all words of a line. A box between the
    two lies well over either, and shows as an even band when it is selected.

    Args:
        words: in reading order, boxes on the page as it is shown.
        turn: how its text is turned.
        width: of the page as it is shown, points.
        height: of it.
    """
    boxes = [_upright(word, turn=turn, width=width, height=height) for word in words]
    return [placed for line in _lines(boxes) for placed in _even(line)]


def shown_from_upright(turn: Turn, *, width: float, height: float) -> Matrix:
    """From the page turned upright to the page as it is shown."""
    if turn == 90:
        return Matrix(0, -1, 1, 0, 0, height)
    if turn == 180:
        return Matrix(-1, 0, 0, -1, width, height)
    if turn == 270:
        return Matrix(0, 1, -1, 0, width, 0)
    return Matrix(1, 0, 0, 1, 0, 0)


def user_from_shown(rotate: int, box: tuple[float, float, float, float]) -> Matrix:
    """From the page as it is shown to the PDF's user space.

    Args:
        rotate: the page's `/Rotate`: degrees by which it is turned clockwise to be shown.
        box: left, bottom, right, top of what is shown, in user space.
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
    """Runs of words beside each other: each begins to the right of the one before, and level with it."""
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
    """Only a word's neighbours count: the far end of a skewed line stands higher or lower."""
    for number, word in enumerate(line):
        near = line[max(0, number - 2) : number + 3]
        top, bottom = min(other.top for other in near), max(other.bottom for other in near)
        if bottom - top > 2.5 * (word.bottom - word.top):  # a mark beside large print: its own box is nearer the truth
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
