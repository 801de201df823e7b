"""Converts Docling's tables to the contract's: the text of a merged cell once, in its top left cell."""

from __future__ import annotations

from typing import Any

from octavo_contracts import BoundingBox, Table
from octavo_contracts.authoring import escape, pipe_table


def table_of(data: Any, document: Any, *, caption: str | None = None, box: BoundingBox | None = None) -> Table | None:
    """A table, or None where it has no cell.

    Args:
        data: Docling's `TableData`.
        document: Docling's document, which holds the content of rich cells.
        caption: its caption.
        box: its bounding box.
    """
    if not data.num_rows or not data.num_cols:
        return None
    rows = [[""] * data.num_cols for _ in range(data.num_rows)]
    heads: list[list[bool]] = [[] for _ in rows]
    for cell in data.table_cells:
        row, column = cell.start_row_offset_idx, cell.start_col_offset_idx
        if row < data.num_rows and column < data.num_cols:
            rows[row][column] = _text(cell, document)
            heads[row].append(bool(cell.column_header))
    header_rows = next((at for at, marks in enumerate(heads) if not any(marks)), len(heads))
    return Table(
        rows=tuple(map(tuple, rows)), header_rows=min(header_rows, data.num_rows), caption=caption or None, box=box
    )


def markdown_of(table: Table) -> str:
    """The table as a pipe table; its first row is the head."""
    return pipe_table([[escape(cell) for cell in row] for row in table.rows])


def _text(cell: Any, document: Any) -> str:
    """A cell's text in one line; paragraphs and lists in it are read from the document."""
    reference = getattr(cell, "ref", None)
    if reference is None:
        return " ".join(cell.text.split())
    pieces = _texts(reference.resolve(document), document)
    return " ".join(" ".join(pieces).split()) or " ".join(cell.text.split())


def _texts(node: Any, document: Any) -> list[str]:
    pieces = [node.text] if getattr(node, "text", "") else []
    for child in node.children:
        pieces += _texts(child.resolve(document), document)
    return pieces
