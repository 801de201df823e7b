"""Columns of a table of figures, and the columns that an item of a row belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .page_words import Word
from .table_items import Item, is_figure

FEW = 0.08
"""Items in fewer rows than this share do not join two columns."""
LABELS = 0.4
"""Text that begins a column of its own left of the figures has to stand in this share of the rows."""
SPLIT = 0.3
"""Least gap at which a heading over two columns is divided, in heights of a line."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        left: in points.
        right: in points.
        has_figures: whether figures stand in it.
    """

    left: float
    right: float
    has_figures: bool


def columns_of(rows: Sequence[Sequence[Item]]) -> list[Column]:
    """Return the columns of rows of figures, from the left.

    Args:
        rows: the items of each row that has figures.
    """
    figures = [(item.left, item.right) for row in rows for item in row if item.is_figure]
    columns = [Column(left, right, has_figures=True) for left, right in _covered(figures, FEW * len(rows))]
    if not columns:
        return []
    edges = [float("-inf"), *(edge for column in columns for edge in (column.left, column.right)), float("inf")]
    texts = [
        text
        for place in range(0, len(edges), 2)
        for text in _texts(rows, edges[place], edges[place + 1], is_label=place == 0)
    ]
    return sorted([*columns, *texts], key=lambda column: column.left)


def _texts(rows: Sequence[Sequence[Item]], left: float, right: float, *, is_label: bool) -> list[Column]:
    """Return the columns of text between two columns of figures, or beside them."""
    items = [
        (max(item.left, left), min(item.right, right))
        for row in rows
        for item in row
        if not item.is_figure and left < (item.left + item.right) / 2 < right
    ]
    if not items or not (is_label or len(items) > LABELS * len(rows)):
        return []
    found = _covered(items, LABELS * len(rows))
    if len(found) < 2:
        found = [(min(left for left, _ in items), max(right for _, right in items))]
    return [Column(left, right, has_figures=False) for left, right in found]


def _covered(edges: Sequence[tuple[float, float]], least: float) -> list[tuple[float, float]]:
    """Return the parts of the width that more than `least` of the given stretches cover."""
    steps = sorted([(left, 1) for left, _ in edges] + [(right, -1) for _, right in edges])
    found: list[tuple[float, float]] = []
    depth = 0
    begin: float | None = None
    for place, step in steps:
        depth += step
        if begin is None and depth > least:
            begin = place
        elif begin is not None and depth <= least:
            if place > begin:
                found.append((begin, place))
            begin = None
    return found


def nearest(item: Item, columns: Sequence[Column]) -> int:
    """Return the column that an item belongs to: the first that it overlaps by half of the smaller one, else the nearest."""
    best, distance = 0, float("inf")
    for place, column in enumerate(columns):
        shared = min(item.right, column.right) - max(item.left, column.left)
        if shared > 0.5 * min(item.right - item.left, column.right - column.left):
            return place
        away = -shared
        if away < distance:
            best, distance = place, away
    return best


def spanned(item: Item, columns: Sequence[Column]) -> list[Item]:
    """Divide an item over several columns where the gap between two words lies between two of them."""
    if item.is_figure or len(item.words) < 2:
        return [item]
    parts = [[item.words[0]]]
    for word in item.words[1:]:
        last = parts[-1][-1]
        gap = word.left - last.right
        one = Item(parts[-1], "", is_figure=False)
        other = Item([word], "", is_figure=False)
        if gap > SPLIT * (word.bottom - word.top) and nearest(one, columns) != nearest(other, columns):
            parts.append([word])
        else:
            parts[-1].append(word)
    if len(parts) == 1:
        return [item]
    return [Item(part, " ".join([word.text for word in part]), is_figure=False) for part in parts]


def divided_at(items: Sequence[Item], edge: float) -> list[Item]:
    """Return the items of a row; one that runs across the edge is two."""
    found: list[Item] = []
    for item in items:
        parts = [word for word in item.words if word.right <= edge], [word for word in item.words if word.right > edge]
        found += [_item(part) for part in parts] if all(parts) else [item]
    return found


def _item(words: list[Word]) -> Item:
    text = " ".join([word.text for word in words])
    return Item(words, text, is_figure=is_figure(text))
