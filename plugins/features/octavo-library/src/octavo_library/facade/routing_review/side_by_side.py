"""Two texts line by line beside each other, where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import NamedTuple

MAX_LINES = 2000
"""Lines of a page that are compared."""
MAX_COST = 10_000_000
"""Of a comparison: pairs of lines that are alike, times lines. Finding what two pages share takes time with the square
of their length, and where most lines are alike with its cube; this much takes well under a second."""


class Row(NamedTuple):
    """One line of each, or a number of lines that are the same in both or were not compared.

    Attributes:
        left: line of the first text; empty where it has none here.
        right: line of the second.
        same: how many lines are left out here, as they are alike; 0 for a row of lines.
        beyond: how many lines of the longer text follow here that were not compared; 0 but in the last row.
    """

    left: str
    right: str
    same: int = 0
    beyond: int = 0


def rows(left: str, right: str) -> list[Row]:
    """The lines in which two texts differ; of what is alike, only how much it is. Blank lines do not count.

    Only so many lines of each are compared as that takes no time to speak of: `MAX_LINES`, and the fewer the more of
    them are alike. A last row says how many were left out.
    """
    mine, theirs = _lines(left), _lines(right)
    keys, other_keys = [_key(line) for line in mine[:MAX_LINES]], [_key(line) for line in theirs[:MAX_LINES]]
    while _cost(keys, other_keys) > MAX_COST:
        most = max(len(keys), len(other_keys)) * 3 // 4
        keys, other_keys = keys[:most], other_keys[:most]
    found: list[Row] = []
    for kind, start, end, other_start, other_end in SequenceMatcher(
        None, keys, other_keys, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            found.append(Row("", "", end - start))
            continue
        pairs = zip_longest(mine[start:end], theirs[other_start:other_end], fillvalue="")
        found += [Row(one, other) for one, other in pairs]
    if beyond := max(len(mine) - len(keys), len(theirs) - len(other_keys)):
        found.append(Row("", "", beyond=beyond))
    return found


def _cost(keys: Sequence[str], other_keys: Sequence[str]) -> int:
    """What matching takes at most: each block that is found goes through all pairs of lines that are alike."""
    counts, other_counts = Counter(keys), Counter(other_keys)
    alike = sum(count * other_counts[key] for key, count in counts.items())
    return (len(keys) + alike) * min(len(keys), len(other_keys))


def _lines(text: str) -> Sequence[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def _key(line: str) -> str:
    return " ".join(line.split())
