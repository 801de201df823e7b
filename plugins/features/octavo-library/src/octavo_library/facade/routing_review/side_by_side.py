"""Shows the differing lines of two texts side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import NamedTuple

MAX_LINES = 2000
"""Maximum lines of a page to compare."""
MAX_COST = 10_000_000
"""Maximum cost of a comparison: pairs of equal lines, times lines. Matching takes time in the square of the length, and
in its cube if most lines are equal; this limit takes well under a second."""


class Row(NamedTuple):
    """A pair of lines, or a number of lines that are equal or were not compared.

    Attributes:
        left: line of the first text; empty if it has none here.
        right: line of the second text, likewise.
        same: number of equal lines that are left out here; 0 for a pair of lines.
        beyond: number of lines of the longer text that were not compared; 0 except in the last row.
    """

    left: str
    right: str
    same: int = 0
    beyond: int = 0


def rows(left: str, right: str) -> list[Row]:
    """The differing lines of two texts, and the numbers of equal lines. Blank lines do not count.

    To bound the time, at most `MAX_LINES` lines are compared, and fewer if many of them are equal. A last row has the
    number of lines that were not compared.
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
    """Upper bound of the matching cost: each matched block visits all pairs of equal lines."""
    counts, other_counts = Counter(keys), Counter(other_keys)
    alike = sum(count * other_counts[key] for key, count in counts.items())
    return (len(keys) + alike) * min(len(keys), len(other_keys))


def _lines(text: str) -> Sequence[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def _key(line: str) -> str:
    return " ".join(line.split())
