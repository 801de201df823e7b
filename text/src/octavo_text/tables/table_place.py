"""Locates a table among the lines of a page by its words.

If one engine finds a table and another one misses it, the other one's text contains the words of its cells in a run of
lines. Two engines seldom write a cell's words in the same order, but they write them near each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MISS = 2
"""Penalty for a word in a run of lines that is not in the table; a word that is in the table scores 1."""
MIN_SHARE = 0.5
"""A line with a smaller share of table words counts as a line between the table's rows."""
ENOUGH = 0.8
"""Minimum share of the table's words that the lines contain, and of the lines' words that are in the table."""
GIVE_UP = 60
"""A run whose score drops by this much is abandoned: captions and notes are shorter."""

Line = Sequence[str] | None
"""The words of a line; None for a line that is assigned to another table."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """A run of lines that contains a table's words.

    Attributes:
        start: index of its first line.
        end: index after its last line.
        held: lines that contain only words of the table, so the table can replace them.
        is_whole: whether the lines contain every word of the table.
    """

    start: int
    end: int
    held: tuple[int, ...]
    is_whole: bool


def find_place(wanted: Sequence[str], lines: Sequence[Line]) -> Place | None:
    """Find the lines of a page that contain a table; None if there is no such run.

    Each word counts as often as it occurs in the table. The search runs from above and from below, since text before a
    table may use its words: a caption names its columns. The time is linear in the words of the page.

    Args:
        wanted: the table's words.
        lines: the words of each line of the page.
    """
    bag = Counter(wanted)
    down, up = range(len(lines)), range(len(lines) - 1, -1, -1)
    runs = []
    if (found := _best_run(bag, lines, down)) is not None:
        runs.append(_grown(bag, lines, range(found, -1, -1)))
    if (found := _best_run(bag, lines, up)) is not None:
        runs.append(_grown(bag, lines, range(found, len(lines))))
    if not runs:
        return None
    _, start, end = max(runs, key=lambda run: (run[0], -run[1]))
    return _judged(bag, lines, start=start, end=end)


def _best_run(bag: Counter[str], lines: Sequence[Line], order: Iterable[int]) -> int | None:
    """Return the last line of the highest-scoring run; a run starts where the score so far is not positive."""
    most = gained = 0
    last = None
    used: Counter[str] = Counter()
    for index in order:
        line = lines[index]
        if line is None:
            gained = 0
        elif line:
            if gained <= 0:
                gained, used = 0, Counter()
            gained += _gain(bag, used, line)
            if gained > most:
                most, last = gained, index
    return last


def _grown(bag: Counter[str], lines: Sequence[Line], order: Iterable[int]) -> tuple[int, int, int]:
    """Extend a run from a line on; return its best score and its lower and higher end."""
    most = gained = 0
    first = last = next(iter(order))
    used: Counter[str] = Counter()
    for index in order:
        line = lines[index]
        if line is None:
            break
        gained += _gain(bag, used, line)
        if line and gained > most:
            most, last = gained, index
        if gained <= -GIVE_UP:
            break
    return most, min(first, last), max(first, last)


def _gain(bag: Counter[str], used: Counter[str], line: Sequence[str]) -> int:
    """Return the score of a line, given the table words already used by the run; mark the line's words as used."""
    gained = 0
    for word in line:
        if used[word] < bag[word]:
            used[word] += 1
            gained += 1
        else:
            gained -= MISS
    return gained


def _judged(bag: Counter[str], lines: Sequence[Line], *, start: int, end: int) -> Place | None:
    """Return the run as a place if it contains enough of the table and little else."""
    left = Counter(bag)
    held, count, shared = [], 0, 0
    for index in range(start, end + 1):
        own = Counter(lines[index] or ())
        both = own & left
        if both.total() >= MIN_SHARE * own.total():
            left -= both
            count += own.total()
            shared += both.total()
            if both.total() == own.total():
                held.append(index)
    covered = 1 - left.total() / bag.total() if bag else 0.0
    if covered < ENOUGH or shared < ENOUGH * count:
        return None
    return Place(start=start, end=end + 1, held=tuple(held), is_whole=not left.total())
