"""Pages for recognisers with words in capitals and small letters: names that are alike, and what a plugin's own code names."""

from __future__ import annotations

import random
from collections.abc import Sequence

from .more_letters import MORE_LETTERS
from .png_bytes import ADVANCE, FIGURES, FONT, LEADING, MARGIN, draw, png

PAIRS = 8
"""Names of a page."""
AMOUNTS = 9
"""Amounts of a page."""
_CONSONANTS, _VOWELS = "bdfkmnprst", "aeou"
_LETTERS = {*MORE_LETTERS, *FONT} - {*FIGURES}
_LEAST, _MOST = 5, 12
"""Letters of a word that recognisers take for no other one, and that fits on a line."""
BESIDE = ("the boat", "the harbour", "a letter", "to the board", "of the report", "on the tide")
"""What stands beside a word; the lines have different lengths, since recognisers take words below each other for columns."""


def _page(lines: Sequence[str]) -> bytes:
    width = 2 * MARGIN + ADVANCE * max(map(len, lines))
    return png(draw(lines, width=max(width, 900), height=2 * MARGIN + LEADING * len(lines)))


def make_alike_names(seed: int) -> tuple[bytes, bytes, tuple[tuple[str, str], ...]]:
    """Draw two pages of names; each name of the second differs in one small letter from one of the first.

    Args:
        seed: the same seed gives the same names.

    Returns:
        The pages, and the names in pairs.
    """
    dice = random.Random(seed)
    pairs = []
    for _ in range(PAIRS):
        made = "".join(dice.choice(_CONSONANTS) + dice.choice(_VOWELS) for _ in range(3)) + dice.choice("nrst")
        at = dice.choice((3, 5))
        other = made[:at] + dice.choice([vowel for vowel in _VOWELS if vowel != made[at]]) + made[at + 1 :]
        pairs.append((made.capitalize(), other.capitalize()))
    pages = [_page([f"{pair[side]} {BESIDE[at % len(BESIDE)]}" for at, pair in enumerate(pairs)]) for side in (0, 1)]
    return pages[0], pages[1], tuple(pairs)


def make_amounts(seed: int) -> tuple[bytes, tuple[str, ...]]:
    """Draw a page of amounts with decimals, one on a line behind words; some of them are below zero.

    Args:
        seed: the same seed gives the same amounts.

    Returns:
        The page, and the amounts with their signs.
    """
    dice = random.Random(seed)
    amounts = []
    for at in range(AMOUNTS):
        # No figure twice, so that another order of the figures is another amount.
        figures = "".join(dice.sample("123456789", dice.randint(4, 6)))
        amounts.append(("{}", "-{}", "({})")[at % 3].format(f"{figures[:-2]}.{figures[-2:]}"))
    dice.shuffle(amounts)
    return _page([f"{BESIDE[at % len(BESIDE)]} {amount}" for at, amount in enumerate(amounts)]), tuple(amounts)


def printable_words(texts: Sequence[str]) -> list[str]:
    """Return the words of some texts that the font can print, each once."""
    words = dict.fromkeys(word for text in texts for word in text.split())
    return [word for word in words if _LEAST <= len(word) <= _MOST and set(word) <= _LETTERS]


def make_named_page(seed: int, words: Sequence[str]) -> bytes:
    """Draw a page on which each word stands on a line with others."""
    dice = random.Random(seed)
    return _page([f"{word} {dice.choice(BESIDE)}" for word in words])
