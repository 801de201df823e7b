"""Two texts line by line beside each other, where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import NamedTuple

MAX_LINES = 2000
"""Lines of a page that are compared: finding what two long pages share takes time with the square of their length."""


class Row(NamedTuple):
    """One line of each, or the number of lines that are the same in both.

    Attributes:
        left: line of the first text; empty where it has none here.
        right: line of the second.
        same: how many lines are left out here, as they are alike; 0 for a row of lines.
    """

    left: str
    right: str
    same: int = 0


def rows(left: str, right: str) -> list[Row]:
    """The lines in which two texts differ; of what is alike, only how much it is. Blank lines do not count."""
    mine, theirs = _lines(left), _lines(right)
    found: list[Row] = []
    matcher = SequenceMatcher(None, [_key(line) for line in mine], [_key(line) for line in theirs], autojunk=False)
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        if kind == "equal":
            found.append(Row("", "", end - start))
            continue
        pairs = zip_longest(mine[start:end], theirs[other_start:other_end], fillvalue="")
        found += [Row(one, other) for one, other in pairs]
    return found


def _lines(text: str) -> Sequence[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()][:MAX_LINES]


def _key(line: str) -> str:
    return " ".join(line.split())
