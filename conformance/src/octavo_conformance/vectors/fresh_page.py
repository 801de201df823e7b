"""Fresh pages for recognisers: words of made-up letters, drawn like those of the golden page, clean or worn."""

from __future__ import annotations

import random
from dataclasses import dataclass

from .png_bytes import ADVANCE, DOT, LEADING, MARGIN, draw, png

LETTERS = "ACDEGOPRST"
"""Letters of the font that typefaces have in the same form."""
WORN = 0.12
"""Share of the dots that a worn page has lost."""


@dataclass(frozen=True, kw_only=True)
class FreshPage:
    """A page of made-up words.

    Attributes:
        png: the picture.
        words: each word with its left, top, right and bottom edge in pixels, in reading order.
    """

    png: bytes
    words: tuple[tuple[str, tuple[int, int, int, int]], ...]


def make_page(seed: int, *, worn: bool = False) -> FreshPage:
    """Draw a page of six lines.

    Args:
        seed: the same seed gives the same words.
        worn: leave out some of the dots, as a bad print does.
    """
    dice = random.Random(seed)
    lines: list[str] = []
    words: list[tuple[str, tuple[int, int, int, int]]] = []
    for number in range(6):
        line = ""
        for length in dice.sample((5, 6, 7), 3):
            word = "".join(dice.choice(LETTERS) for _ in range(length))
            left, top = MARGIN + len(line) * ADVANCE, MARGIN + number * LEADING
            words.append((word, (left, top, left + length * ADVANCE, top + 7 * DOT)))
            line += f"{word}  "
        lines.append(line.rstrip())
    rows = [bytearray(row) for row in draw(lines, height=2 * MARGIN + 6 * LEADING)]
    if worn:
        for top in range(MARGIN, len(rows) - DOT, DOT):
            for left in range(MARGIN, len(rows[0]) - DOT, DOT):
                if dice.random() < WORN:
                    for row in rows[top : top + DOT]:
                        row[left : left + DOT] = b"\xff" * DOT
    return FreshPage(png=png([bytes(row) for row in rows]), words=tuple(words))
