"""Divides a grid that holds two tables which stand side by side on the page.

Many engines take them for one. Each has a caption of its own, or their rows have different heights, so that the grid has
rows of the one alone between rows of the other alone.
"""

from __future__ import annotations

import re
from itertools import pairwise

from octavo_contracts.authoring.table_captions import CAPTION_NAME, CAPTION_NUMBER

Rows = tuple[tuple[str, ...], ...]

CAPTION_ROWS = 3
"""Captions stand in one of so many first rows."""
MIN_COLUMNS = 2
"""Fewest columns of a table."""
FEWEST_APART = 2
"""Fewest rows of each table that have nothing of the other one beside them."""
LABELS = 0.8
"""Least share of the cells of a first column that are labels, not figures."""

_CAPTION = re.compile(rf"{CAPTION_NAME}\s*{CAPTION_NUMBER}", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")


def divided(rows: Rows) -> list[Rows]:
    """Return the tables that a grid holds side by side, from the left; the grid itself if it holds one.

    Args:
        rows: of equal length.
    """
    starts, first = _captioned(rows)
    if not starts and (column := _apart(rows)) is not None:
        starts = [0, column]
    if not starts:
        return [rows]
    ends = [*starts[1:], len(rows[0])]
    parts = [tuple(row[start:end] for row in rows[first:]) for start, end in zip(starts, ends, strict=True)]
    return [tuple(row for row in part if any(cell.strip() for cell in row)) for part in parts]


def _captioned(rows: Rows) -> tuple[list[int], int]:
    """Return the columns at which the captions of several tables begin, and the row below them."""
    for place, row in enumerate(rows[:CAPTION_ROWS]):
        filled = [column for column, cell in enumerate(row) if cell.strip()]
        if len(filled) > 1 and all(_CAPTION.match(row[column].strip()) for column in filled):
            starts = [0, *filled[1:]]
            ends = [*starts[1:], len(row)]
            if all(end - start >= MIN_COLUMNS for start, end in zip(starts, ends, strict=True)):
                return starts, place + 1
    return [], 0


def _apart(rows: Rows) -> int | None:
    """Return the column at which a second table begins whose rows stand between those of the first."""
    spans = [(filled[0], filled[-1]) for row in rows if (filled := _filled(row)) and len(filled) > 1]
    best, most = None, 0
    for column in range(MIN_COLUMNS, len(rows[0]) - 1 if rows else 0):
        sides = [first >= column for first, last in spans if last < column or first == column]
        fewer = min(sum(sides), len(sides) - sum(sides))
        turns = sum(one != other for one, other in pairwise(sides))
        if fewer >= FEWEST_APART and turns > 1 and fewer > most and _has_labels(rows, 0) and _has_labels(rows, column):
            best, most = column, fewer
    return best


def _filled(row: tuple[str, ...]) -> list[int]:
    return [column for column, cell in enumerate(row) if cell.strip()]


def _has_labels(rows: Rows, column: int) -> bool:
    cells = [row[column] for row in rows if row[column].strip()]
    return bool(cells) and sum(_LETTER.search(cell) is not None for cell in cells) >= LABELS * len(cells)
