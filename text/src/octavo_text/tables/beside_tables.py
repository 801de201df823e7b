"""Tells a table that holds two which stand side by side on the page: its rows have cells of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .read_tables import ReadTable
from .table_words import Bag

FEWEST_MIXED: Final = 2
"""Fewest rows with cells of two tables in tables side by side: a total may be that of another table."""
MIXED: Final = 0.15
"""Least share of such rows in a table: a long one has some by chance."""


def are_beside(tables: Sequence[ReadTable], apart: Sequence[ReadTable]) -> bool:
    """Return whether tables have rows of two of the others in one row: several engines take two side by side for one.

    Each of the others has labels of its own. Otherwise it may be half of a table that was cut between two columns.
    """
    if len(tables) >= len(apart):
        return False
    bags = [one.words for one in apart if one.has_labels]
    return len(bags) > 1 and any(
        sum(_is_mixed(row, bags) for row in one.cell_bags) >= max(FEWEST_MIXED, MIXED * len(one.rows)) for one in tables
    )


def _is_mixed(row: Sequence[Bag], bags: Sequence[Bag]) -> bool:
    """Return whether a row has cells of several tables: each has words of a table, and no table has the words of all."""
    owners = [{place for place, bag in enumerate(bags) if cell <= bag} for cell in row]
    return bool(owners) and all(owners) and not set.intersection(*owners)
