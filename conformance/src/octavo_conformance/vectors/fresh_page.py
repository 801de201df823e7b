"""Fresh pages for recognisers: words of made-up letters, drawn like those of the golden page, clean or worn."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import cycle, islice

from .png_bytes import ADVANCE, DOT, FIGURES, LEADING, MARGIN, draw, png

LETTERS = "ACDEGOPRST"
"""Letters of the font that typefaces have in the same form."""
PLAIN = "CSTE"
"""Letters that recognisers seldom take for others."""
WORN = 0.18
"""Share of the dots that a worn page has lost."""
LENGTHS = (5, 6, 7)
"""Letters of the words of a page, one on a line."""
SMALL, SHEET = (400, 400), (1240, 1754)
"""Width and height in pixels: of the words alone, quick to recognise, and of a sheet of paper."""
_FREE = 8
"""Letters to the right of the place where a word of a sheet may begin."""


@dataclass(frozen=True, kw_only=True)
class FreshPage:
    """A page of made-up words.

    Attributes:
        png: the picture.
        words: each word with its left, top, right and bottom edge in pixels, in reading order.
    """

    png: bytes
    words: tuple[tuple[str, tuple[int, int, int, int]], ...]


def _placed(word: str, column: int, line: int) -> tuple[str, tuple[int, int, int, int]]:
    """Return a word with its edges, drawn from a column of letters of a line on."""
    left, top = MARGIN + column * ADVANCE, MARGIN + line * LEADING
    return word, (left, top, left + len(word) * ADVANCE, top + 7 * DOT)


COLUMN = 14
"""Letters between the beginnings of two columns."""
LINES = 5
"""Lines of a column."""


def make_columns(seed: int, *, wide: bool = False) -> FreshPage:
    """Draw a page of two columns, each of five lines with a word.

    Args:
        seed: the same seed gives the same words.
        wide: on a page that is wider than it is high; otherwise it is higher.
    """
    dice = random.Random(seed)
    words = ["".join(dice.choice(LETTERS) for _ in range(6)) for _ in range(2 * LINES)]
    columns = words[:LINES], words[LINES:]
    lines = [f"{left:<{COLUMN}}{right}" for left, right in zip(*columns, strict=True)]
    width, height = (840, 540) if wide else (840, 1000)
    rows = draw(lines, width=width, height=height)
    placed = []
    for column, told in enumerate(columns):
        for line, word in enumerate(told):
            placed.append(_placed(word, column * COLUMN, line))
    return FreshPage(png=png(rows), words=tuple(placed))


def make_page(
    seed: int, *, worn: bool = False, sheet: bool = False, other: bool = False, share: float = WORN
) -> FreshPage:
    """Draw a page of three words, one on a line.

    Args:
        seed: the same seed gives the same words.
        worn: leave out some of the dots, as a bad print does.
        other: with the letter R in the place of P: another word that looks alike.
        share: share of the dots that a worn page has lost.
        sheet: print the words somewhere in the lower half of a sheet, and not on a picture of about their size.
    """
    dice = random.Random(seed)
    width, height = SHEET if sheet else SMALL
    columns = (width - 2 * MARGIN) // ADVANCE - _FREE if sheet else 0
    start = dice.randint(10, 15) if sheet else 0
    lines, words = [""] * start, []
    turned = str.maketrans({"P": "R"} if other else {})
    for number, length in enumerate(dice.sample(LENGTHS, len(LENGTHS)), start=start):
        word, place = "".join(dice.choice(LETTERS) for _ in range(length)), dice.randint(0, columns)
        if sheet and length == max(LENGTHS):
            word = "".join(PLAIN[ord(letter) % len(PLAIN)] for letter in word[:-1]) + "P".translate(turned)
        words.append(_placed(word, place, number))
        lines.append(" " * place + word)
    rows = [bytearray(row) for row in draw(lines, width=width, height=height)]
    if worn:
        _wear(rows, range(MARGIN, height - DOT, DOT), share=share, dice=dice)
    return FreshPage(png=png([bytes(row) for row in rows]), words=tuple(words))


WIDE, FINE = (3508, 420), 300.0
"""Width and height in pixels, and resolution: of a strip as wide as a large sheet in the resolution of scanners."""


def make_wide(seed: int) -> FreshPage:
    """Draw a strip of three lines, each of two words that are far apart.

    Args:
        seed: the same seed gives the same words.
    """
    dice = random.Random(seed)
    width, height = WIDE
    columns = (width - 2 * MARGIN) // ADVANCE
    lines, placed = [], []
    for number in range(3):
        words = ["".join(dice.choice(LETTERS) for _ in range(6)) for _ in range(2)]
        places = dice.randint(0, 8), columns - 6 - dice.randint(0, 8)
        lines.append(f"{'':<{places[0]}}{words[0]}{'':<{places[1] - places[0] - 6}}{words[1]}")
        placed += [_placed(word, place, number) for word, place in zip(words, places, strict=True)]
    return FreshPage(png=png(draw(lines, width=width, height=height)), words=tuple(placed))


def make_short_words(seed: int) -> tuple[FreshPage, tuple[str, ...]]:
    """Draw a page of six lines, each of a long, a short and a long word; also return the short words.

    Args:
        seed: the same seed gives the same words.
    """
    dice = random.Random(seed)
    lines, placed, short = [], [], []
    long = [["".join(dice.choice(LETTERS) for _ in range(length)) for length in (6, 7)] for _ in range(6)]
    # A short word that stands within the long ones would seem to be read where only these are.
    others = "".join(word for pair in long for word in pair)
    for number, (first, last) in enumerate(long):
        while (between := "".join(dice.choice(LETTERS) for _ in range(3))) in others:
            continue
        words = [first, between, last]
        short.append(between)
        lines.append(" ".join(words))
        column = 0
        for word in words:
            placed.append(_placed(word, column, number))
            column += len(word) + 1
    return FreshPage(png=png(draw(lines, width=900, height=700)), words=tuple(placed)), tuple(short)


def make_sizes(seed: int) -> tuple[FreshPage, FreshPage]:
    """Draw a page of eight lines in large print and three in print of half its size, and one of the three small lines alone.

    The words of both are those of the small lines; they have the same places on both pages.

    Args:
        seed: the same seed gives the same words.
    """
    dice = random.Random(seed)

    def words(count: int) -> list[str]:
        return ["".join(dice.choice(LETTERS) for _ in range(6)) for _ in range(count)]

    small = [words(4) for _ in range(3)]
    width, height = 1200, 2000
    placed = [_placed(word, 7 * at, line) for line, told in enumerate(small) for at, word in enumerate(told)]
    alone = draw([" ".join(told) for told in small], width=width, height=height)
    half = draw([" ".join(words(2)) for _ in range(8)], width=width // 2, height=height // 2 - 200)
    large = [_doubled(row) for row in half for _ in range(2)]
    # The small lines stand in front of the large ones, as a line about the sender does above a letter.
    both = (*alone[: height - len(large)], *large)
    return FreshPage(png=png(both), words=tuple(placed)), FreshPage(png=png(alone), words=tuple(placed))


def _doubled(row: bytes) -> bytes:
    """Return a row with each pixel twice."""
    wide = bytearray(2 * len(row))
    wide[::2] = wide[1::2] = row
    return bytes(wide)


NUMBERS, DIGITS = 20, (6, 9, 12, 8)
"""Numbers of a page, and digits of the first, the second and so on; then again."""


def make_numbers(seed: int) -> FreshPage:
    """Draw a page of numbers of six to twelve digits, two on a line.

    Args:
        seed: the same seed gives the same numbers.
    """
    dice = random.Random(seed)
    # Each digit occurs as often as the others.
    lengths = [DIGITS[at % len(DIGITS)] for at in range(NUMBERS)]
    digits = list(islice(cycle(FIGURES), sum(lengths)))
    dice.shuffle(digits)
    numbers = ["".join(digits.pop() for _ in range(length)) for length in lengths]
    second = max(DIGITS) + 2
    placed = [_placed(number, at % 2 * second, at // 2) for at, number in enumerate(numbers)]
    lines = [f"{one:<{second}}{other}" for one, other in zip(numbers[::2], numbers[1::2], strict=True)]
    rows = draw(lines, width=2 * MARGIN + 2 * second * ADVANCE, height=2 * MARGIN + len(lines) * LEADING)
    return FreshPage(png=png(rows), words=tuple(placed))


EDGE = 24
"""Pixels between the last line of a page and its lower edge."""


def make_filled(seed: int) -> tuple[FreshPage, tuple[int, ...]]:
    """Draw a page of fourteen lines of four words, from its upper edge to its lower one; also return the line of each word.

    Args:
        seed: the same seed gives the same words.
    """
    dice = random.Random(seed)
    lines = [["".join(dice.choice(LETTERS) for _ in range(6)) for _ in range(4)] for _ in range(14)]
    # A word at an edge that is like another one would seem to be read where only that one is.
    inner = [word for told in lines[1:-1] for word in told]
    for edge in (0, -1):
        for at in range(4):
            while any(SequenceMatcher(None, lines[edge][at], one, autojunk=False).ratio() > 0.6 for one in inner):
                lines[edge][at] = "".join(dice.choice(LETTERS) for _ in range(6))
        inner += lines[edge]
    width, height = 2 * MARGIN + 28 * ADVANCE, MARGIN + 13 * LEADING + 7 * DOT + EDGE
    placed = [_placed(word, 7 * at, line) for line, told in enumerate(lines) for at, word in enumerate(told)]
    page = draw([" ".join(told) for told in lines], width=width, height=height)
    return FreshPage(png=png(page), words=tuple(placed)), tuple(
        number for number, told in enumerate(lines) for _ in told
    )


RUINED_LINES, RUINED = 10, 0.3
"""Lines of a page of which half are ruined, and the share of their dots that these have lost."""


def make_half_ruined(seed: int, *, full: bool = False) -> tuple[FreshPage, frozenset[int]]:
    """Draw a page of ten lines of three words, of which five have lost dots; also return the numbers of these, from 0.

    Args:
        seed: the same seed gives the same words.
        full: draw a page of thirty lines of six words, of which fifteen have lost dots.
    """
    dice = random.Random(seed)
    across, down = (6, 3 * RUINED_LINES) if full else (3, RUINED_LINES)
    lines = [["".join(dice.choice(LETTERS) for _ in range(6)) for _ in range(across)] for _ in range(down)]
    ruined = frozenset(dice.sample(range(down), down // 2))
    width, height = 2 * MARGIN + 7 * across * ADVANCE, 2 * MARGIN + down * LEADING
    rows = [bytearray(row) for row in draw([" ".join(told) for told in lines], width=width, height=height)]
    for line in sorted(ruined):
        top = MARGIN + line * LEADING
        _wear(rows, range(top, top + 7 * DOT, DOT), share=RUINED, dice=dice)
    placed = [_placed(word, 7 * at, line) for line, told in enumerate(lines) for at, word in enumerate(told)]
    return FreshPage(png=png([bytes(row) for row in rows]), words=tuple(placed)), ruined


def _wear(rows: list[bytearray], tops: Iterable[int], *, share: float, dice: random.Random) -> None:
    """Leave out a share of the dots of some rows of dots, as a bad print does."""
    for top in tops:
        for left in range(MARGIN, len(rows[0]) - DOT, DOT):
            if dice.random() < share:
                for row in rows[top : top + DOT]:
                    row[left : left + DOT] = b"\xff" * DOT


PROSE_LINES, PROSE_LETTERS, PROSE_GAP = 12, 24, 6
"""Lines of a column of text, letters and blanks of a line, and blanks between two columns."""


def make_prose(seed: int) -> tuple[FreshPage, tuple[int, ...]]:
    """Draw a page of two columns of twelve full lines, as journals are printed; also return the column of each word, 0 or 1.

    Args:
        seed: the same seed gives the same words.
    """
    dice = random.Random(seed)
    columns = [[_full_line(dice) for _ in range(PROSE_LINES)] for _ in range(2)]
    across = PROSE_LETTERS + PROSE_GAP
    lines = [f"{left:<{across}}{right}" for left, right in zip(*columns, strict=True)]
    width, height = 2 * MARGIN + (across + PROSE_LETTERS) * ADVANCE, 2 * MARGIN + PROSE_LINES * LEADING
    placed, numbers = [], []
    for number, told in enumerate(columns):
        for line, text in enumerate(told):
            column = number * across
            for word in text.split():
                placed.append(_placed(word, column, line))
                numbers.append(number)
                column += len(word) + 1
    return FreshPage(png=png(draw(lines, width=width, height=height)), words=tuple(placed)), tuple(numbers)


def _full_line(dice: random.Random) -> str:
    """Return words of three to eight letters that fill a line of a column."""
    words: list[str] = []
    left = PROSE_LETTERS
    while left > 8:
        length = dice.choice([one for one in range(3, 9) if left - one - 1 >= 3])
        words.append("".join(dice.choice(LETTERS) for _ in range(length)))
        left -= length + 1
    return " ".join((*words, "".join(dice.choice(LETTERS) for _ in range(left))))


HEAD_LINES, LETTER_LINES = 3, 9
"""Lines of the head of a letter, and lines below it."""


def make_letters(seed: int) -> tuple[FreshPage, FreshPage]:
    """Draw two pages with the same head, as letters of one office have; their words are those below it.

    Args:
        seed: the same seed gives the same words.
    """
    dice = random.Random(seed)

    def lines(count: int) -> list[list[str]]:
        return [["".join(dice.choice(LETTERS) for _ in range(6)) for _ in range(3)] for _ in range(count)]

    head = lines(HEAD_LINES)
    width, height = 2 * MARGIN + 21 * ADVANCE, 2 * MARGIN + (HEAD_LINES + LETTER_LINES) * LEADING
    pages = []
    for told in (lines(LETTER_LINES), lines(LETTER_LINES)):
        rows = draw([" ".join(one) for one in (*head, *told)], width=width, height=height)
        placed = [
            _placed(word, 7 * at, HEAD_LINES + line) for line, one in enumerate(told) for at, word in enumerate(one)
        ]
        pages.append(FreshPage(png=png(rows), words=tuple(placed)))
    return pages[0], pages[1]


FULL = (9, 33)
"""Words on a line, and lines, of a page of more than two thousand letters and blanks."""


def make_full(seed: int) -> bytes:
    """Draw a page that is full of words, and return the picture.

    Args:
        seed: the same seed gives the same words.
    """
    dice = random.Random(seed)
    across, down = FULL
    lines = [" ".join("".join(dice.choice(LETTERS) for _ in range(6)) for _ in range(across)) for _ in range(down)]
    width, height = 2 * MARGIN + 7 * across * ADVANCE, 2 * MARGIN + down * LEADING
    return png(draw(lines, width=width, height=height))


@cache
def make_blank() -> bytes:
    """Draw a blank sheet of paper at 300 dpi."""
    return png(draw([], width=2480, height=3508), dpi=300)


@dataclass(frozen=True, kw_only=True)
class Series:
    """The pages that a recogniser reads in one process, in this order.

    Attributes:
        pairs: the same page clean and worn, several times.
        columns: a page of two columns that is higher than wide, and one that is wider than high.
        alike: two sheets that differ in one letter.
    """

    pairs: tuple[tuple[FreshPage, FreshPage], ...]
    columns: tuple[FreshPage, FreshPage]
    alike: tuple[FreshPage, FreshPage]

    @property
    def pages(self) -> tuple[FreshPage, ...]:
        """All pages in order."""
        return (*(page for pair in self.pairs for page in pair), *self.columns, *self.alike)


def make_series(seed: int) -> Series:
    """Draw the pages of a run.

    Args:
        seed: the same seed gives the same words.
    """
    return Series(
        pairs=tuple((make_page(seed + at), make_page(seed + at, worn=True)) for at in range(2)),
        columns=(make_columns(seed), make_columns(seed, wide=True)),
        alike=(make_page(seed + 3, sheet=True), make_page(seed + 3, sheet=True, other=True)),
    )
