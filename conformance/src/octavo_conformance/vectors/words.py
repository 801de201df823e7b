"""Made-up words for documents that no plugin can know in advance."""

from __future__ import annotations

import random

CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
SYLLABLES = tuple(consonant + vowel for consonant in CONSONANTS for vowel in VOWELS)
LONG = 8
"""Syllables of a long word, which has sixteen letters."""


class Words:
    """Generates made-up words without repetition.

    Args:
        seed: seed of the random numbers.
        others_after: number of words after which others are given, each as long as the one that takes its place; None: never.
        turn: which others, 1 to 12.
    """

    def __init__(self, seed: int, *, others_after: int | None = None, turn: int = 5) -> None:
        self.dice = random.Random(seed)
        self._others_after = others_after
        self._others = str.maketrans(CONSONANTS, CONSONANTS[turn:] + CONSONANTS[:turn])
        self._used: set[str] = set()

    @property
    def count(self) -> int:
        """The number of words of two or three syllables so far."""
        return len(self._used)

    def word(self) -> str:
        """Generate a word of two or three syllables in the Latin alphabet."""
        is_other = self._others_after is not None and self.count >= self._others_after
        while True:
            syllables = self.dice.choices(CONSONANTS, k=self.dice.randint(2, 3))
            made = "".join(consonant + self.dice.choice(VOWELS) for consonant in syllables)
            if made not in self._used:
                self._used.add(made)
                return made.translate(self._others) if is_other else made

    def line(self, count: int = 9) -> str:
        """Generate a line of prose."""
        return " ".join(self.word() for _ in range(count)).capitalize()

    def heading(self) -> str:
        """Generate a heading of two capitalised words."""
        return f"{self.word()} {self.word()}".title()

    def foreign(self) -> str:
        """Generate a word of ideographs and one of Cyrillic letters."""
        return " ".join(
            "".join(chr(self.dice.randint(*of)) for _ in range(4)) for of in ((0x4E00, 0x9FA0), (0x430, 0x438))
        )

    def lines(self) -> list[str]:
        """Generate a line in other scripts among eight of prose."""
        return [*(self.line() for _ in range(4)), f"{self.line(4)} {self.foreign()}", *(self.line() for _ in range(4))]

    def paragraphs(self) -> list[str]:
        """Generate a long paragraph in front of such lines."""
        return [self.line(24), *self.lines()]

    def grid(self) -> tuple[tuple[str, ...], ...]:
        """Generate a table: a header, and rows of a word and two numbers."""
        head = tuple(self.word().capitalize() for _ in range(3))
        rows = [
            (self.word(), str(self.dice.randint(1000, 9999)), self.word()) for _ in range(self.dice.randint(20, 26))
        ]
        return (head, *rows)

    def pages(self) -> list[tuple[str, list[str]]]:
        """Generate three to five pages of a heading and lines; one page between the first and the last is empty."""
        made = [(self.heading(), self.lines()) for _ in range(self.dice.randint(3, 5))]
        made[self.dice.randint(1, len(made) - 2)] = ("", [])
        return made

    def long_word(self) -> str:
        """Generate a word of sixteen letters."""
        return "".join(self.dice.choices(SYLLABLES, k=LONG))

    def amount(self) -> str:
        """Generate an amount of money, such as "€ 48371.20"."""
        return f"{self.dice.choice('€$£')} {self.dice.randint(10_000, 99_999)}.{self.dice.randint(10, 99)}"

    def sentence(self) -> str:
        """Generate a sentence with a number, an amount, a long word and the punctuation that plain text has."""
        first, second, third, fourth = (self.short() for _ in range(4))
        share = self.dice.choice((self.dice.randint(10, 99), self.dice.randint(100, 999), self.number()))
        return (
            f'{first.capitalize()} ({second}); {third} "{self.long_word()}", {share} %: '
            f"{fourth} & {self.short()} = {self.amount()}!"
        )

    def number(self) -> str:
        """Generate an identifier of 16 to 19 digits, more than a floating-point number keeps."""
        return str(self.dice.randint(10**15, 10**19 - 1) | 1)

    def loss(self) -> str:
        """Generate a negative amount in the form of accounts, such as "(4,217.30)"."""
        return f"({self.dice.randint(1, 9)},{self.dice.randint(100, 999)}.{self.dice.randint(10, 99)})"

    def short(self) -> str:
        """Generate a word that may occur again: a large document needs more words than there are short ones."""
        return "".join(self.dice.choices(SYLLABLES, k=self.dice.randint(2, 4)))

    def paragraph(self, sentences: int) -> str:
        """Generate a paragraph."""
        return " ".join(self.sentence() for _ in range(sentences))

    def wide_grid(self, rows: int) -> tuple[tuple[str, ...], ...]:
        """Generate a table of many rows: a header, then number, words, a remark that only late rows have, amount, sentence."""
        head = tuple(self.word().capitalize() for _ in range(6))
        remarked = {1000 + rows, *self.dice.sample(range(1000 + rows * 4 // 5, 1000 + rows), 3)}
        body = (
            (
                str(row),
                self.dice.choice((self.short, self.number, self.loss))(),
                f"{self.short()} {self.long_word()}",
                self.word() if row in remarked else "",
                self.amount(),
                self.sentence(),
            )
            for row in range(1001, 1001 + rows)
        )
        return (head, *body)
