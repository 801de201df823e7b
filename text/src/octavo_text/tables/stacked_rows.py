"""Rows of a table that hold several rows of the page, told by a reading that has those rows apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from octavo_contracts import Table

from ..deadline import checkpoint
from ..words import words
from .table_words import Bag

FEWEST_FIGURES: Final = 2
"""Fewest figures of a row: a line of text with one number may be anything."""
FEWEST_CELLS: Final = 2
"""Fewest cells of a row with figures of several rows: one alone may hold a range, or a value and its error."""
_NUMBER: Final = re.compile(r"[^\w\s]*\d[\d.,'%/\u2013-]*[^\w\s]*")
_EDGES: Final = re.compile(r"^\W+|\W+$")


@dataclass(frozen=True, kw_only=True)
class NumberRow:
    """A row of figures with a label.

    Attributes:
        label: its words with letters.
        figures: its numbers, without signs around them.
    """

    label: Bag
    figures: Bag


def numbers_in(cell: str) -> list[str]:
    """Return the numbers among the words of a cell, without signs around them."""
    return [_EDGES.sub("", word) for word in cell.split() if _NUMBER.fullmatch(word)]


def number_rows(rows: Iterable[Sequence[str]]) -> list[NumberRow]:
    """Return the rows that begin with a label and have several figures behind it.

    Args:
        rows: the cells of each row, as long as the widest or shorter.
    """
    found = []
    for label, *cells in (row for row in rows if row):
        figures = [number for cell in cells for number in numbers_in(cell)]
        if len(figures) >= FEWEST_FIGURES and any(map(str.isalpha, label)):
            found.append(NumberRow(label=_names(label), figures=Counter(figures)))
    return found


def number_lines(text: str) -> list[NumberRow]:
    """Return the lines of a text that are such rows: words, and several figures behind them."""
    found = []
    for line in text.split("\n"):
        pieces = line.split()
        first = next((at for at, piece in enumerate(pieces) if _NUMBER.fullmatch(piece)), len(pieces))
        found.append((" ".join(pieces[:first]), *pieces[first:]))
    return number_rows(found)


def has_stacked_rows(table: Table, apart: Sequence[NumberRow]) -> bool:
    """Return whether a row of a table holds several rows that stand apart elsewhere, with figures of each in several cells.

    Args:
        table: of one reading.
        apart: the rows of the page by another reading, from the top.
    """
    return any(_is_stacked(row, apart) for row in table.rows)


def _is_stacked(row: Sequence[str], apart: Sequence[NumberRow]) -> bool:
    cells = [Counter(numbers) for cell in row if len(numbers := numbers_in(cell)) > 1]
    if len(cells) < FEWEST_CELLS:
        return False
    checkpoint()
    names = _names(" ".join(row))
    figures: Bag = Counter(number for cell in row for number in numbers_in(cell))
    held = []
    for one in apart:
        if one.label <= names and one.figures <= figures:
            held.append(one.figures)
            names, figures = names - one.label, figures - one.figures
    mixed = sum(not any(cell <= one for one in held) for cell in cells)
    return len(held) > 1 and mixed >= FEWEST_CELLS


def _names(text: str) -> Bag:
    """Return the words with letters."""
    return Counter(word for word in words(text) if any(map(str.isalpha, word)))
