"""Sorts out false tables of a reading, and strips what is not part of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from octavo_contracts import Table

from ..words import has_figure, words
from .adjacent_tables import Rows, divided
from .complete_tables import MAX_CELL_WORDS

MIN_ROWS = 2
MIN_COLUMNS = 2

SCATTERED_CELLS = 5
"""Minimum number of filled cells of a row that is a line of text, its words in one cell each."""
SCATTERED_ROWS = 3
"""Minimum number of such rows in a false table."""
SCATTERED = 0.2
"""Minimum share of such rows in a false table: in a real one they are at most the lines of its header."""
GAPS = 0.25
"""Minimum share of empty cells in a false table: the words of its lines do not stand below each other."""
FIGURES = 0.25
"""Maximum share of cells with a figure in a false table."""

_LEADER = re.compile(r"(?:[.\u2026\u00b7] ?){4}")
"""Dot leaders from a title to its page number."""
_AMOUNT = re.compile(r"[^\w\s]*\s?\d[\d., ']*[.,]\d\d[^\w\s]*")
"""A number with two decimals, perhaps with the sign of a currency: a page number has none."""


def sound_tables(tables: Sequence[Table]) -> list[Table]:
    """Drop false tables, divide those that hold two side by side, and strip title rows.

    What is left has no empty columns, at least two rows and columns, and is no table of contents.
    """
    found = []
    for table in tables:
        parts = [_core(part) for part in divided(_core(table.rows))]
        for rows in parts:
            is_grid = len(rows) >= MIN_ROWS and len(rows[0]) >= MIN_COLUMNS
            if is_grid and not _is_contents(rows) and not _is_running_text(rows) and not _is_scattered(rows):
                box = table.box if len(parts) == 1 else None
                seen = table.columns_seen if table.columns_seen == len(rows[0]) else None
                found.append(Table(rows=rows, caption=table.caption, columns_seen=seen, box=box))
    return found


def _core(rows: Rows) -> Rows:
    """Return the rows from the first to the last with more than one cell, of equal length, without empty columns.

    A row with one cell at an edge is a title or a paragraph that was mistaken for part of the table. At the lower edge it is a
    part of the table if its cell is behind the first column and a row further up is like it: the first column's cell spans both.
    So is an amount below another one: a sum without a label.
    """
    filled = [[column for column, cell in enumerate(row) if cell.strip()] for row in rows]
    full = [index for index, columns in enumerate(filled) if len(columns) > 1]
    end = full[-1] + 1 if full else 0
    alone = [columns for columns in filled[full[0] : end] if len(columns) == 1 and columns[0] > 0] if full else []
    while end < len(rows) and (
        (filled[end] in alone and len(words(rows[end][filled[end][0]])) <= MAX_CELL_WORDS)
        or (full and _is_sum(rows, end, filled[end]))
    ):
        end += 1
    kept = rows[full[0] : end] if full else ()
    width = max(map(len, kept), default=0)
    padded = [row + ("",) * (width - len(row)) for row in kept]
    columns = [column for column in range(width) if any(row[column].strip() for row in padded)]
    return tuple(tuple(row[column] for column in columns) for row in padded)


def _is_sum(rows: Rows, at: int, filled: Sequence[int]) -> bool:
    """Return whether an amount is all that a row has, behind the first column and below another amount."""
    column = filled[0] if len(filled) == 1 else 0
    return column > 0 and all(
        _AMOUNT.fullmatch(cell) for row in rows[at - 1 : at + 1] for cell in row[column : column + 1]
    )


def _is_running_text(rows: Rows) -> bool:
    """Return whether most rows up to the last full one have one cell: lines of text between which some words stand in columns."""
    counts = [sum(bool(cell.strip()) for cell in row) for row in rows]
    while counts and counts[-1] < 2:
        counts.pop()
    return 2 * sum(count < 2 for count in counts) > len(counts)


def _is_scattered(rows: Rows) -> bool:
    """Return whether the cells are the words of lines of text or code: several rows of single words, with gaps between them."""
    lines = [[cell for cell in row if cell.strip()] for row in rows]
    filled = [cell for line in lines for cell in line]
    if len(filled) > (1 - GAPS) * sum(map(len, rows)) or sum(map(has_figure, filled)) > FIGURES * len(filled):
        return False
    of_words = sum(len(line) >= SCATTERED_CELLS and 3 * sum(map(_is_word, line)) >= 2 * len(line) for line in lines)
    return of_words >= max(SCATTERED_ROWS, SCATTERED * len(rows))


def _is_word(cell: str) -> bool:
    """Return whether a cell holds one word, perhaps with a mark at its end, and no figure."""
    return len(cell.split()) == 1 and not has_figure(cell) and 2 * sum(map(str.isalpha, cell)) > len(cell)


def _is_contents(rows: Rows) -> bool:
    """Return whether most rows have dot leaders to a single number: a table of contents, or an index."""
    led = [row for row in rows if any(_LEADER.search(cell) for cell in row)]
    single = [row for row in led if sum(bool(cell.strip()) and not _LEADER.search(cell) for cell in row) < 2]
    return 2 * len(single) > len(rows)
