"""Tables held against each other: the similarity of their trees (TEDS), and of their cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from apted import APTED, Config  # type: ignore[import-untyped]  # apted ships no types
from rapidfuzz.distance import Levenshtein

from .markup import Grid
from .words import normalised

LARGE = 220
"""Cells above which a table is compared by its cells: the distance of trees takes minutes there."""


@dataclass
class _Node:
    """A table, a row or a cell; only cells have a text."""

    name: str
    text: str = ""
    children: list[_Node] = field(default_factory=list)

    def size(self) -> int:
        return 1 + sum(child.size() for child in self.children)


class _Costs(Config):  # type: ignore[misc]  # apted ships no types
    def rename(self, one: _Node, other: _Node) -> float:
        if one.name != other.name:
            return 1.0
        return float(Levenshtein.normalized_distance(one.text, other.text))

    def children(self, node: _Node) -> list[_Node]:
        return node.children


def teds(truth: Grid, given: Grid) -> float:
    """Tree-edit-distance similarity (Zhong et al. 2020): 1 less the edits over the nodes of the larger tree.

    Deleting or adding a node costs 1, changing a cell's text its normalised edit distance.
    """
    if max(_cells(truth), _cells(given)) > LARGE:
        return cell_f1(truth, given)
    one, other = _tree(truth), _tree(given)
    distance = float(APTED(one, other, _Costs()).compute_edit_distance())
    return max(0.0, 1 - distance / max(one.size(), other.size()))


def cell_f1(truth: Grid, given: Grid) -> float:
    """F1 of the cells by row, column and text; empty ones left out."""
    wanted, found = _placed(truth), _placed(given)
    if not wanted or not found:
        return float(not wanted and not found)
    return 2 * len(wanted & found) / (len(wanted) + len(found))


def tables_score(truth: Sequence[Grid], given: Sequence[Grid], *, complete: bool) -> float:
    """How like the true tables are to those given.

    Where one sheet holds several blocks, people cut it into tables in more ways than one: a complete truth is compared
    table by table and as one table of all rows that hold anything, and the better of the two counts.

    Args:
        truth: at least one table.
        given: what was read.
        complete: whether the truth holds every table of the document; those beyond it then count as wrong.
    """
    matched = _matched(truth, given, complete=complete)
    return max(matched, teds(_joined(truth), _joined(given))) if complete and matched < 1 else matched


def has_lost_one(truth: Sequence[Grid], given: Sequence[Grid]) -> bool:
    """Whether a true table has no counterpart: no given one that holds a quarter of its cells."""
    bags = [_bag(grid) for grid in given]
    wanted = [_bag(grid) for grid in truth]
    return any(4 * max(((bag & other).total() for other in bags), default=0) < bag.total() for bag in wanted)


def _matched(truth: Sequence[Grid], given: Sequence[Grid], *, complete: bool) -> float:
    """The mean TEDS of the true tables, each with the given one that shares most cells with it."""
    left = list(range(len(given)))
    total = 0.0
    bags = [_bag(grid) for grid in given]
    for grid in truth:
        bag = _bag(grid)
        best = max(left, key=lambda index: (bag & bags[index]).total(), default=None)
        if best is None or not (bag & bags[best]).total():
            continue
        left.remove(best)
        total += teds(grid, given[best])
    return total / max(len(truth), len(given) if complete else 0)


def _joined(grids: Sequence[Grid]) -> Grid:
    return tuple(row for grid in grids for row in grid if any(cell.strip() for cell in row))


def _tree(grid: Grid) -> _Node:
    rows = [_Node("row", children=[_Node("cell", normalised(cell)) for cell in row]) for row in grid]
    return _Node("table", children=rows)


def _cells(grid: Grid) -> int:
    return sum(len(row) for row in grid)


def _bag(grid: Grid) -> Counter[str]:
    return Counter(normalised(cell) for row in grid for cell in row if cell.strip())


def _placed(grid: Grid) -> set[tuple[int, int, str]]:
    return {
        (row, column, normalised(cell))
        for row, cells in enumerate(grid)
        for column, cell in enumerate(cells)
        if cell.strip()
    }
