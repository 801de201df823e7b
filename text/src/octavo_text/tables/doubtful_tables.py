"""Signs that a table of a page with a fixed layout was read wrongly."""

from __future__ import annotations

from octavo_contracts import Table


def malformed_share(table: Table) -> float:
    """Return the share of rows whose cell count differs from the header's or from the columns of layout analysis."""
    if not table.rows:
        return 0.0
    expected = table.columns_seen or len(table.rows[0])
    return sum(len(row) != expected for row in table.rows) / len(table.rows)


def doubtful_gaps(table: Table) -> int:
    """Return the number of empty cells, 0 for a matrix with full headers: such a one may be sparse, and prose has no headers."""
    return 0 if _has_heads(table) else sum(not cell.strip() for row in table.rows for cell in row)


def _has_heads(table: Table) -> bool:
    """Return whether first row and first column are full."""
    _, *others = table.rows[0] if table.rows else ("",)
    return len(others) > 1 and all(map(str.strip, others)) and all(row and row[0].strip() for row in table.rows[1:])
