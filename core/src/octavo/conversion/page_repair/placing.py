"""Where a table stands among the lines of a page, by its words.

A table that one engine sees and another one lost is, in the other one's text, a run of lines that hold the words of its cells. Two
engines seldom write a cell's words in the same order, but they write them near each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MISS = 2
"""What a word that is not the table's takes from a run of lines; one that is gives 1."""
MIN_SHARE = 0.5
"""A line of which fewer words are the table's is a line between its rows."""
ENOUGH = 0.8
"""Share of a table's words that its lines hold, and of these lines' words that are the table's."""
GIVE_UP = 60
"""A run that lost so much does not recover: a caption and a note are shorter."""

Line = Sequence[str] | None
"""The words of a line; None for a line that another table has taken."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """A run of lines that holds a table's words.

    Attributes:
        start: index of its first line.
        end: index after its last line.
        held: the lines among them all of whose words stand in the table: they say nothing beside it.
        is_whole: whether every word of the table stands in them.
    """

    start: int
    end: int
    held: tuple[int, ...]
    is_whole: bool


def find_place(wanted: Sequence[str], lines: Sequence[Line]) -> Place | None:
    """The lines of a page that a table stands in; None where there is no such run.

    A word counts as often as the table has it. The best run is looked for from above and from below, since what stands before
    a table may use its words: a caption names its columns. The time is linear in the words of the page.

    Args:
        wanted: the table's words.
        lines: those of the page, line by line.
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
    """The last line of the run that gains most, of those that begin where nothing was gained before."""
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
    """What the best run from a line on gains, the lower and the higher of its ends."""
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
    """What a line gives to a run that has used some of the table's words already; it uses its own."""
    gained = 0
    for word in line:
        if used[word] < bag[word]:
            used[word] += 1
            gained += 1
        else:
            gained -= MISS
    return gained


def _judged(bag: Counter[str], lines: Sequence[Line], *, start: int, end: int) -> Place | None:
    """The run as a place, where it holds enough of the table and little else."""
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
