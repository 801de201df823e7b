"""The tables of a page: those that lines divide, and those of figures among the other words."""

from __future__ import annotations

from collections.abc import Sequence

from .figure_tables import figure_tables
from .found_tables import FoundTable, holds, with_whole_lines
from .page_words import Word
from .ruled_tables import Grid, ruled_tables


def tables_on(words: Sequence[Word], grids: Sequence[Grid], *, figures: bool) -> list[FoundTable]:
    """Return the tables of a page.

    Args:
        words: of the page.
        grids: the lines on it that meet each other.
        figures: whether to look for tables of figures.
    """
    ruled = with_whole_lines(ruled_tables(grids, words), words)
    if not figures:
        return ruled
    others = [word for word in words if not any(holds(table, word) for table in ruled)]
    return with_whole_lines([*ruled, *figure_tables(others)], words)
