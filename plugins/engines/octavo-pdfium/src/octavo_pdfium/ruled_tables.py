"""Finds tables by the lines between their cells."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from .found_tables import FoundTable, found_table
from .page_rules import MAX_RULES, Rule, Rules
from .page_words import Row, Word, rows_of
from .table_items import is_figure, items_of

SAME_LINE = 3.0
"""Lines up to so many points apart are one line: a double one, or the sides of two cells."""
TOUCHING = 4.0
"""Lines that end so near to each other, in points, meet."""
COVERED = 0.6
"""Least share of a cell's side that has to be drawn."""
OPEN = 10.0
"""Level lines that go so far beyond the last upright line, in points, have a column there that is open at its side."""
MAX_CELLS = 10_000
"""Most cells of a grid: graph paper has more."""
NARROWEST, LOWEST = 60.0, 20.0
"""Least width and height of a table, in points: less has no room for two rows and columns. Logos are smaller."""
FEWEST_FILLED = 0.5
"""Least share of the cells that have words: a chart and a form have fewer."""
STACKED = 3
"""Two cells of a row with so many figures each hold rows that have no lines between them."""
NEAR = 1.0
"""A row of headings above the first line of a table is at most so many heights of a line away."""
FEWEST_ROWS = 2
"""Fewest rows with words in two cells."""
MOST_CROSSED = 0.1
"""Most words that a line between cells crosses: such lines underline or decorate."""
FEWEST_LINES = 3
"""A cell of so many lines may hold as many rows, if the others of its row have their lines at the same heights."""
MOSTLY = 0.8
"""Least share of the lines of such a cell, in one column at least, that are figures."""
LEVEL = 0.5
"""Lines of two cells whose middles differ by less than this share of their height are at the same height."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Lines that meet each other and may divide the cells of a table.

    Attributes:
        xs: left edge of each column, and the right edge of the last one.
        ys: top of each row, and the bottom of the last one.
        level: level lines.
        upright: upright lines.
    """

    xs: Sequence[float]
    ys: Sequence[float]
    level: Sequence[Rule]
    upright: Sequence[Rule]


@dataclass(slots=True)
class _Net:
    """Lines that meet each other."""

    level: list[Rule] = field(default_factory=list)
    upright: list[Rule] = field(default_factory=list)


def grids_of(rules: Rules) -> list[Grid]:
    """Return the grids that the lines of a page form; behind them those that the frames of filled areas are part of."""
    grids = _grids(rules)
    return [*grids, *_grids(rules.with_filled())] if rules.filled else grids


def ruled_tables(grids: Iterable[Grid], words: Sequence[Word]) -> list[FoundTable]:
    """Return the tables whose cells are divided by lines, from the top.

    Args:
        grids: of the page; of two in one place the first is taken that has a table.
        words: of the page.
    """
    found: list[FoundTable] = []
    for grid in grids:
        table = _table(grid, words)
        if table is not None and not any(_share(table, other) for other in found):
            found.append(table)
    return sorted(found, key=lambda table: table.top)


def _share(table: FoundTable, other: FoundTable) -> bool:
    """Return whether two tables share a part of the page."""
    return min(table.right, other.right) > max(table.left, other.left) and min(table.bottom, other.bottom) > max(
        table.top, other.top
    )


def _grids(rules: Rules) -> list[Grid]:
    if len(rules.level) + len(rules.upright) > MAX_RULES:
        return []
    nets = _nets(_merged(rules.level), _merged(rules.upright))
    return [grid for net in nets if (grid := _grid(net)) is not None]


def _grid(net: _Net) -> Grid | None:
    ys, xs = _edges(net.level), _edges(net.upright)
    upright = list(net.upright)
    # A table may be open at its sides: then two level lines or more go on beyond the last upright one.
    left, right = sorted(rule.start for rule in net.level)[1], sorted(rule.end for rule in net.level)[-2]
    if left < xs[0] - OPEN:
        xs.insert(0, left)
        upright.append(Rule(left, ys[0], ys[-1]))
    if right > xs[-1] + OPEN:
        xs.append(right)
        upright.append(Rule(right, ys[0], ys[-1]))
    is_large = xs[-1] - xs[0] >= NARROWEST and ys[-1] - ys[0] >= LOWEST
    if len(xs) < 3 or len(ys) < 2 or not is_large or (len(xs) - 1) * (len(ys) - 1) > MAX_CELLS:
        return None
    return Grid(xs, ys, net.level, upright)


def _merged(rules: Iterable[Rule]) -> list[Rule]:
    """Join lines that lie on or beside each other."""
    groups: list[list[Rule]] = []
    for rule in sorted(rules):
        if groups and rule.at - groups[-1][0].at <= SAME_LINE:
            groups[-1].append(rule)
        else:
            groups.append([rule])
    made: list[Rule] = []
    for group in groups:
        at = median(rule.at for rule in group)
        start = end = None
        for rule in sorted(group, key=lambda one: one.start):
            if end is None or start is None or rule.start > end + TOUCHING:
                if start is not None and end is not None:
                    made.append(Rule(at, start, end))
                start, end = rule.start, rule.end
            else:
                end = max(end, rule.end)
        if start is not None and end is not None:
            made.append(Rule(at, start, end))
    return made


def _nets(level: Sequence[Rule], upright: Sequence[Rule]) -> list[_Net]:
    """Group lines that meet."""
    owner = list(range(len(level) + len(upright)))

    def root(place: int) -> int:
        while owner[place] != place:
            owner[place] = owner[owner[place]]
            place = owner[place]
        return place

    for row, one in enumerate(level):
        for column, other in enumerate(upright, start=len(level)):
            if (
                one.start - TOUCHING <= other.at <= one.end + TOUCHING
                and other.start - TOUCHING <= one.at <= other.end + TOUCHING
            ):
                owner[root(column)] = root(row)
    nets: dict[int, _Net] = {}
    for row, one in enumerate(level):
        nets.setdefault(root(row), _Net()).level.append(one)
    for column, other in enumerate(upright, start=len(level)):
        nets.setdefault(root(column), _Net()).upright.append(other)
    return [net for net in nets.values() if len(net.level) > 1 and net.upright]


def _table(grid: Grid, words: Sequence[Word]) -> FoundTable | None:
    xs, ys = grid.xs, grid.ys
    inside = [word for word in words if xs[0] < word.across < xs[-1] and ys[0] < word.down < ys[-1]]
    if not inside or _is_crossed(inside, grid):
        return None
    xs, upright = _aligned(xs, ys, grid.upright, inside)
    owners = _owners(xs, ys, grid.level, upright)
    cells: dict[tuple[int, int], list[Word]] = {}
    for word in inside:
        row, column = _place(ys, word.down), _place(xs, word.across)
        cells.setdefault(owners[row, column], []).append(word)
    first, last = 0, len(ys) - 1
    # A title within the frame, and a note, are no rows.
    while first < last and _is_one_cell(owners, first, len(xs) - 1):
        first += 1
    while first < last and _is_one_cell(owners, last - 1, len(xs) - 1):
        last -= 1
    if first == last or _is_headed(words, xs, ys[first]):
        return None
    rows = _rows(cells, owners, range(first, last), len(xs) - 1)
    return _found(rows, xs, [word for word in inside if ys[first] < word.down < ys[last]])


def _aligned(
    xs: Sequence[float], ys: Sequence[float], upright: Sequence[Rule], words: Sequence[Word]
) -> tuple[list[float], list[Rule]]:
    """Move lines that part of the rows have, and of whose two columns no row has both, to the nearer line beside them.

    They are the same edge: the heading of a table and its other rows may be drawn a little apart.
    """
    kept, rules = list(xs), list(upright)
    for at in xs[1:-1]:
        own = [rule for rule in rules if rule.at == at]
        if all(_is_drawn(own, above, below) for above, below in pairwise(ys)):
            continue
        place = kept.index(at)
        before, after = kept[place - 1], kept[place + 1]
        near = {(_place(ys, word.down), word.across < at) for word in words if before < word.across < after}
        if not any((row, True) in near and (row, False) in near for row in range(len(ys) - 1)):
            kept.remove(at)
            nearer = before if at - before < after - at else after
            rules = [rule._replace(at=nearer) if rule.at == at else rule for rule in rules]
    return kept, rules


def _edges(rules: Iterable[Rule]) -> list[float]:
    return sorted({rule.at for rule in rules})


def _place(edges: Sequence[float], at: float) -> int:
    """Return the place of the row or the column that a point is in."""
    return min(max(0, bisect_left(edges, at) - 1), len(edges) - 2)


def _is_crossed(words: Sequence[Word], grid: Grid) -> bool:
    crossed = 0
    for word in words:
        inset = min(2.0, (word.right - word.left) / 4)
        crossed += any(
            word.left + inset < rule.at < word.right - inset and rule.start < word.down < rule.end
            for rule in grid.upright
        )
    return crossed > MOST_CROSSED * len(words)


def _owners(
    xs: Sequence[float], ys: Sequence[float], level: Sequence[Rule], upright: Sequence[Rule]
) -> dict[tuple[int, int], tuple[int, int]]:
    """Return for each place of the grid the first place of the cell that it is part of."""
    sides, tops = _by_place(upright), _by_place(level)
    places = [(row, column) for row in range(len(ys) - 1) for column in range(len(xs) - 1)]
    owner = {place: place for place in places}

    def root(place: tuple[int, int]) -> tuple[int, int]:
        while owner[place] != place:
            place = owner[place]
        return place

    def join(one: tuple[int, int], other: tuple[int, int]) -> None:
        first, second = sorted((root(one), root(other)))
        owner[second] = first

    for row, column in places:
        if column and not _is_drawn(sides[xs[column]], ys[row], ys[row + 1]):
            join((row, column - 1), (row, column))
        if row and not _is_drawn(tops[ys[row]], xs[column], xs[column + 1]):
            join((row - 1, column), (row, column))
    return {place: root(place) for place in places}


def _is_one_cell(owners: dict[tuple[int, int], tuple[int, int]], row: int, width: int) -> bool:
    return len({owners[row, column] for column in range(width)}) == 1


def _by_place(rules: Iterable[Rule]) -> Mapping[float, Sequence[Rule]]:
    found: dict[float, list[Rule]] = {}
    for rule in rules:
        found.setdefault(rule.at, []).append(rule)
    return found


def _is_drawn(rules: Iterable[Rule], start: float, end: float) -> bool:
    """Return whether lines of one place cover a side."""
    return sum(max(0.0, min(rule.end, end) - max(rule.start, start)) for rule in rules) >= COVERED * (end - start)


def _rows(
    cells: dict[tuple[int, int], list[Word]],
    owners: dict[tuple[int, int], tuple[int, int]],
    places: range,
    width: int,
) -> list[list[str]]:
    rows: list[list[str]] = []
    for row in places:
        here = {column: cells[row, column] for column in range(width) if (row, column) in cells}
        spans = any(owners[row, column] != (row, column) for column in range(width))
        for part in [here] if spans else _divided(here):
            rows.append([_text(part.get(column, ())) for column in range(width)])
    return rows


def _divided(cells: dict[int, list[Word]]) -> list[dict[int, list[Word]]]:
    """Divide a row whose cells hold the same number of lines at the same heights: its rows have no lines between them."""
    lines = {column: rows_of(words) for column, words in cells.items()}
    count = max(map(len, lines.values()), default=0)
    full = [rows for rows in lines.values() if len(rows) == count]
    if count < FEWEST_LINES or len(full) < max(2, 0.6 * len(lines)) or not any(map(_are_figures, full)):
        return [cells]
    heights = [
        (median(rows[place].top for rows in full), median(rows[place].bottom for rows in full))
        for place in range(count)
    ]
    divided: list[dict[int, list[Word]]] = [{} for _ in heights]
    for column, rows in lines.items():
        for row in rows:
            middle = (row.top + row.bottom) / 2
            near = [
                place
                for place, (top, bottom) in enumerate(heights)
                if abs(middle - (top + bottom) / 2) < LEVEL * (bottom - top)
            ]
            if not near:
                return [cells]
            divided[near[0]].setdefault(column, []).extend(row.words)
    return divided


def _is_headed(words: Sequence[Word], xs: Sequence[float], top: float) -> bool:
    """Return whether headings of the columns stand above the first line: the lines then divide a part of the table only."""
    above = [word for word in words if word.left >= xs[0] and word.right <= xs[-1] and word.down < top]
    if not above:
        return False
    row = rows_of(above)[-1]
    if top - row.bottom > NEAR * (row.bottom - row.top):
        return False
    places = [
        [column for column, (left, right) in enumerate(pairwise(xs)) if min(right, item.right) > max(left, item.left)]
        for item in items_of(row)
    ]
    return all(len(columns) == 1 for columns in places) and len({columns[0] for columns in places}) > 1


def _is_stacked(row: Sequence[str]) -> bool:
    return sum(sum(map(is_figure, cell.split())) >= STACKED for cell in row) > 1


def _are_figures(rows: Sequence[Row]) -> bool:
    """Return whether the lines of a cell are figures: lines of words may be those of one text."""
    return sum(all(is_figure(word.text) for word in row.words) for row in rows) >= MOSTLY * len(rows)


def _text(words: Sequence[Word]) -> str:
    return " ".join(word.text for row in rows_of(words) for word in row.words)


def _found(rows: Sequence[Sequence[str]], xs: Sequence[float], words: Sequence[Word]) -> FoundTable | None:
    kept = [column for column in range(len(xs) - 1) if any(row[column] for row in rows)]
    filled = [[row[column] for column in kept] for row in rows if any(row)]
    if len(filled) < 2 or len(kept) < 2:
        return None
    if sum(bool(cell) for row in filled for cell in row) < FEWEST_FILLED * len(filled) * len(kept):
        return None
    if sum(sum(map(bool, row)) > 1 for row in filled) < FEWEST_ROWS or any(map(_is_stacked, filled)):
        return None
    return found_table(filled, words, (xs[column] for column in kept), is_ruled=True)
