"""Converts Pandoc's tables to grids: expands merged cells, with their text in the top left cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from octavo_contracts import ContentTooLarge, Table
from octavo_contracts.authoring import collapse, pipe_table

from .inlines import Node, plain
from .program import PLUGIN

MAX_CELLS = 2_000_000
"""Cells of one table, empty ones too."""

Cell = tuple[str, str]
"""(markdown, text)"""
_EMPTY: Cell = ("", "")


def read_table(content: list[Any], cell_markdown: Callable[[list[Node]], str]) -> tuple[str, Table | None]:
    """A table as a pipe table and as a grid.

    A head without any text is what Pandoc puts above a table that has none: it is dropped, and the first row takes its
    place in the markdown, because every reader of pipe tables wants a head; the grid then says `header_rows=0`.

    Args:
        content: the six parts of the node: attributes, caption, columns, head, bodies, foot.
        cell_markdown: how to write the blocks of a cell as one line.

    Returns:
        The pipe table, and the grid; '' and None for a table without a cell.

    Raises:
        ContentTooLarge: more cells than `MAX_CELLS`.
    """
    _, caption, columns, head, bodies, foot = content
    width = len(columns)
    heads = _rows(head[1], width, cell_markdown)
    rows = []
    for _, _, body_head, body in bodies:
        rows += _rows(body_head, width, cell_markdown) + _rows(body, width, cell_markdown)
    rows += _rows(foot[1], width, cell_markdown)
    if not any(text for row in heads for _, text in row):
        heads = []
    grid = heads + rows
    if not grid or not width:
        return "", None
    table = Table(
        rows=tuple(tuple(text for _, text in row) for row in grid),
        header_rows=len(heads),
        caption=collapse(plain(caption)).strip() or None,
    )
    return pipe_table([[markdown for markdown, _ in row] for row in grid]), table


def _rows(rows: list[Any], width: int, cell_markdown: Callable[[list[Node]], str]) -> list[list[Cell]]:
    if len(rows) * width > MAX_CELLS:
        raise ContentTooLarge(f"a table has {len(rows)} rows of {width} columns", plugin=PLUGIN)
    grid: list[list[Cell]] = []
    below: dict[int, int] = {}  # column → rows that a cell above still covers
    for _, cells in rows:
        row, column = [_EMPTY] * width, 0
        for _, _, row_span, column_span, blocks in cells:
            while below.get(column, 0):
                column += 1
            if column >= width:
                break
            row[column] = (cell_markdown(blocks), collapse(plain(blocks)).strip())
            end = min(width, column + max(1, column_span))
            for covered in range(column, end):
                below[covered] = max(1, row_span)
            column = end
        below = {column: left - 1 for column, left in below.items() if left > 1}
        grid.append(row)
    return grid
