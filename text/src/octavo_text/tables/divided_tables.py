"""Tables that a reader divided: what begins with a row of figures has no header, and goes on the table before it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from octavo_contracts import Table

_YEAR = re.compile(r"(?:FY\s?)?(?:19|20)\d\d(?:[/\u2013-]\d{2,4})?")
_FIGURE = re.compile(r"[^\w\s]*\d[\d.,' ]*[^\w\s]*")


def undivided(tables: Sequence[Table]) -> int:
    """Return how many tables these are, if each that begins with a row of figures is a part of the one before it.

    Args:
        tables: of one part of a page, in order.
    """
    return sum(not (at and _goes_on(table)) for at, table in enumerate(tables))


def _goes_on(table: Table) -> bool:
    """Return whether the first row is a label with figures beside it. Years stand in headers too."""
    label, *cells = table.rows[0]
    filled = [cell.strip() for cell in cells if cell.strip()]
    figures = [cell for cell in filled if _FIGURE.fullmatch(cell) and not _YEAR.fullmatch(cell)]
    return any(map(str.isalpha, label)) and bool(figures) and 2 * len(figures) >= len(filled)
