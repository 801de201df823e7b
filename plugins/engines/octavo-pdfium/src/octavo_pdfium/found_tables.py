"""Tables that were found on a page, and the lines of the page's text that they hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .page_words import Word


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table on a page.

    Attributes:
        rows: its cells, from the top and from the left.
        lines: the lines of the page's text that it holds, each of them whole.
        left: in points from the page's corner, as are the others.
        top: of its first row.
        right: of its longest row.
        bottom: of its last row.
        columns: left edge of each column.
        is_ruled: whether lines that are drawn on the page divide its cells.
    """

    rows: tuple[tuple[str, ...], ...]
    lines: frozenset[int]
    left: float
    top: float
    right: float
    bottom: float
    columns: tuple[float, ...]
    is_ruled: bool = False


def found_table(
    rows: Iterable[Iterable[str]], words: Sequence[Word], columns: Iterable[float], *, is_ruled: bool = False
) -> FoundTable:
    """Return a table of these words.

    Args:
        rows: its cells.
        words: all that it holds.
        columns: left edge of each column.
        is_ruled: whether lines that are drawn on the page divide its cells.
    """
    return FoundTable(
        rows=tuple(map(tuple, rows)),
        lines=frozenset(word.line for word in words),
        left=min(word.left for word in words),
        top=min(word.top for word in words),
        right=max(word.right for word in words),
        bottom=max(word.bottom for word in words),
        columns=tuple(columns),
        is_ruled=is_ruled,
    )


def with_whole_lines(tables: Iterable[FoundTable], words: Sequence[Word]) -> list[FoundTable]:
    """Leave out tables with a line of the page's text of which another part stands outside of the tables.

    A line may run across tables that stand side by side.
    """
    kept: list[FoundTable] = []
    for table in tables:
        if not any(table.lines & other.lines and _is_above_or_below(table, other) for other in kept):
            kept.append(table)
    while True:
        whole = [table for table in kept if _has_whole_lines(table, kept, words)]
        if len(whole) == len(kept):
            return kept
        kept = whole


def _is_above_or_below(table: FoundTable, other: FoundTable) -> bool:
    return min(table.right, other.right) > max(table.left, other.left)


def _has_whole_lines(table: FoundTable, tables: Sequence[FoundTable], words: Sequence[Word]) -> bool:
    sharing = [other for other in tables if other.lines & table.lines]
    return all(any(holds(other, word) for other in sharing) for word in words if word.line in table.lines)


def holds(table: FoundTable, word: Word) -> bool:
    """Return whether a word stands in a table."""
    return (
        word.line in table.lines and table.left <= word.across <= table.right and table.top <= word.down <= table.bottom
    )
