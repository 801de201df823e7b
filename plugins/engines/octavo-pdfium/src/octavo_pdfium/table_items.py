"""Items of a printed row: figures with their signs, and pieces of text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .page_words import Row, Word

GAP = 0.5
"""A gap wider than this share of a line's height separates two items; a space between words has about a quarter."""
SIGN_GAP = 9.0
"""Widest gap between a currency sign and its figure, in heights of a line: tables have the signs at a column's left edge."""
UNIT_GAP = 1.2
"""Widest gap between a figure and a per cent sign or a bracket behind it, in heights of a line."""

_FIGURE = re.compile(
    r"[(\[]?[-+\u2212\u2013]?[($\u20ac\u00a3\u00a5]*[-+\u2212\u2013]?(?:\d[\d.,'/:]*|\.\d+)[%)\]\u2030]*[*\u2020\u2021a-d]?"
    r"|[-\u2212\u2013\u2014]+|[-\u2013\u2014]%|n/?a|N/?A|NM|nm|n\.m\.|n\.a\."
)
_SIGNS = frozenset("$\u20ac\u00a3\u00a5(") | {"US$", "($", "C$", "A$"}
_UNITS = frozenset({"%", ")", ")%", "%)", "*", "]"})
_THOUSANDS = re.compile(r"\d{3}(?:[.,]\d+)?[%)]*")
_HEAD = re.compile(r"[-+\u2212\u2013(]?\d{1,3}")


@dataclass(slots=True)
class Item:
    """Words of a printed row that belong together.

    Attributes:
        words: from the left.
        text: of the words; signs are joined to their figure.
        is_figure: whether it is a figure, or a sign that stands in the place of one.
    """

    words: list[Word]
    text: str
    is_figure: bool

    @property
    def left(self) -> float:
        """Of its first word."""
        return self.words[0].left

    @property
    def right(self) -> float:
        """Of its last word."""
        return self.words[-1].right


def is_figure(text: str) -> bool:
    """Return whether a word is a figure with its signs, or stands in the place of one."""
    return _FIGURE.fullmatch(text) is not None


def items_of(row: Row) -> list[Item]:
    """Return the items of a printed row, from the left."""
    height = row.bottom - row.top
    found: list[Item] = []
    for chain in _chains(row, height):
        if all(is_figure(word.text) or word.text in _SIGNS or word.text in _UNITS for word in chain):
            found += (Item([word], word.text, is_figure(word.text)) for word in chain)
        else:
            found.append(Item(chain, " ".join([word.text for word in chain]), is_figure=False))
    return _with_signs(found, height)


def _chains(row: Row, height: float) -> Iterator[list[Word]]:
    """Yield runs of words with the spaces of running text between them."""
    chain: list[Word] = []
    for word in row.words:
        if chain and word.left - chain[-1].right > GAP * height:
            yield chain
            chain = []
        chain.append(word)
    if chain:
        yield chain


def _with_signs(items: list[Item], height: float) -> list[Item]:
    """Join currency signs, units and groups of thousands to their figures."""
    found: list[Item] = []
    for item in items:
        last = found[-1] if found else None
        gap = item.left - last.right if last is not None else 0.0
        if last is None:
            found.append(item)
        elif (last.text in _SIGNS and item.is_figure and gap < SIGN_GAP * height) or (
            last.is_figure and item.text in _UNITS and gap < UNIT_GAP * height
        ):
            found[-1] = Item([*last.words, *item.words], last.text + item.text, is_figure=True)
        elif (
            last.is_figure
            and gap < GAP * height
            and _THOUSANDS.fullmatch(item.text)
            and _HEAD.fullmatch(last.words[0].text)
        ):
            found[-1] = Item([*last.words, *item.words], f"{last.text} {item.text}", is_figure=True)
        else:
            found.append(item)
    return found
