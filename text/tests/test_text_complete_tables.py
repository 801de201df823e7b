"""Which of two readings of a table has more (CNV-2)."""

from __future__ import annotations

from octavo_contracts import Table
from octavo_text.tables.complete_tables import completes

ROWS = (
    ("Port", "District", "Keeper", "Depth", "Ships", "Opened"),
    *((f"Port {at}", f"District {at}", f"Keeper {at}", f"{at}.5", f"{at + 100}", f"{at + 1900}") for at in range(30)),
)


def test_further_rows_complete_a_table() -> None:
    """However much they repeat of the words of other rows."""
    assert completes([Table(rows=ROWS)], [Table(rows=ROWS[:-3])])
    assert not completes([Table(rows=ROWS[:-3])], [Table(rows=ROWS)])


def test_a_row_whose_words_are_divided_otherwise_is_no_further_row() -> None:
    """A reading that has the table in two, and two cells of a row as one word, has nothing more."""
    glued = (*ROWS[:12], ("Port 11", "District11Keeper", "11", "11.5", "111", "1911"), *ROWS[13:])
    assert not completes([Table(rows=glued[:4]), Table(rows=glued[4:])], [Table(rows=ROWS)])
