"""Pages for recognisers as accounts are printed: with lines that stand there again."""

from __future__ import annotations

import random
from dataclasses import dataclass

from .png_bytes import ADVANCE, LEADING, MARGIN, draw, png
from .printed_names import BESIDE

COPIES = 4
"""Times that a repeated line stands on its page, twice of them one below the other."""
REPEATED, UNIQUE = 4, 5
"""Lines of a page that stand there again, and lines that do not."""


@dataclass(frozen=True, kw_only=True)
class RepeatedLines:
    """A page on which lines stand again.

    Attributes:
        png: the picture.
        repeated: the first word and the one before the amount of each line that stands there `COPIES` times; no other line has one of them.
        unique: the first word of each other line.
    """

    png: bytes
    repeated: tuple[tuple[str, str], ...]
    unique: tuple[str, ...]


def _name(dice: random.Random) -> str:
    return "".join(dice.choice("bdfkmnprst") + dice.choice("aeou") for _ in range(dice.randint(3, 4))).capitalize()


def make_repeated_lines(seed: int) -> RepeatedLines:
    """Draw a page of lines of two words and an amount, as accounts are printed, of which some stand there again.

    Args:
        seed: the same seed gives the same words.
    """
    dice = random.Random(seed)
    # Lines of different lengths: recognisers take words below each other for columns.
    lines = [
        f"{_name(dice)} {BESIDE[at if at < REPEATED else REPEATED + at % 2]} {dice.randint(100, 999)}.{dice.randint(10, 99)}"
        for at in range(REPEATED + UNIQUE)
    ]
    repeated, unique = lines[:REPEATED], lines[REPEATED:]
    blocks = [[line] for line in unique]
    for line in repeated:
        blocks += [[line, line], *([line] for _ in range(COPIES - 2))]
    dice.shuffle(blocks)
    printed = [line for block in blocks for line in block]
    width, height = 2 * MARGIN + max(map(len, printed)) * ADVANCE, 2 * MARGIN + len(printed) * LEADING
    return RepeatedLines(
        png=png(draw(printed, width=width, height=height)),
        repeated=tuple((line.split()[0], line.split()[-2]) for line in repeated),
        unique=tuple(line.split()[0] for line in unique),
    )
