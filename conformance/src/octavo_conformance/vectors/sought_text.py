"""A text for extractors of entities in which people stand beside what a plugin's own code names."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from .fresh_text import FIRST, LAST

_EACH = 3
"""People beside each word."""
_FORMS = (
    "In the evening {} {} came to the office and signed the list.",
    "The list was signed in the evening by {} {} at the office.",
    "Later that day {} {} went back to the harbour.",
)
_PLAIN = "while"
"""The word in the place of those of the code."""
_BETWEEN = (
    "The gauge is read twice a day, and what it shows is written down in pencil.",
    "A rope that is wet is longer than the same rope after a week in the sun.",
    "Most of the cargo is grain, some of it is timber, and a little of it is lost.",
)


@dataclass(frozen=True, kw_only=True)
class SoughtText:
    """A text with people beside words, and the same with another word in their place.

    Attributes:
        text: the text with the words.
        plain: the text without them.
        beside: each word, with the people behind it; no name occurs twice.
    """

    text: str
    plain: str
    beside: dict[str, tuple[str, ...]]

    @property
    def names(self) -> tuple[str, ...]:
        """All people."""
        return tuple(name for names in self.beside.values() for name in names)


def make_sought_text(seed: int, words: Sequence[str], *, length: int) -> SoughtText:
    """Write a text with as many of the words as there are people for.

    Args:
        seed: the same seed gives the same text for the same words.
        words: what stands in front of people.
        length: letters that the text has more than.
    """
    dice = random.Random(seed)
    people = [f"{first} {last}" for first in FIRST for last in LAST]
    dice.shuffle(people)
    most = len(people) // _EACH
    chosen = list(words) if len(words) <= most else dice.sample(list(words), most)
    beside = {word: tuple(people.pop() for _ in range(_EACH)) for word in chosen}
    text, plain = "", ""
    for word, names in beside.items():
        for form, name in zip(_FORMS, names, strict=True):
            between = dice.choice(_BETWEEN)
            text += f"{form.format(word, name)} {between}\n"
            plain += f"{form.format(_PLAIN, name)} {between}\n"
    while beside and len(plain) <= length:
        between = f"{dice.choice(_BETWEEN)} "
        text, plain = text + between, plain + between
    return SoughtText(text=text, plain=plain, beside=beside)
