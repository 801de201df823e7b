"""What of a page's own table is kept beside another reading's that takes its place (CNV-2)."""

from __future__ import annotations

import pytest
from octavo_contracts import Page, Table
from octavo_contracts.authoring import pipe_table
from octavo_text.tables.joined_tables import joined
from octavo_text.tables.placed_tables import with_tables
from octavo_text.tables.sound_tables import sound_tables

HEAD = ("Area", "Duty")
ROWS = (
    HEAD,
    ("North mole of the harbour", "Reading the gauge"),
    ("", "Lighting the lamp"),
    ("Old town bank", "Watching the ice"),
    ("", "Sounding"),
)


def test_the_last_row_below_a_cell_that_spans_two_belongs_to_the_table() -> None:
    """Other rows have one cell in the same column; a note below a table has none above it."""
    noted = (*ROWS[:-1], ("", ""), ("From the book of the keeper", ""))
    assert [one.rows for one in sound_tables([Table(rows=ROWS)])] == [ROWS]
    assert [one.rows for one in sound_tables([Table(rows=noted)])] == [ROWS[:-1]]


@pytest.mark.parametrize(("last", "is_sum"), [("845.00", True), ("€ 1,845.00", True), ("12", False), ("1.2.3", False)])
def test_a_sum_without_a_label_is_the_last_row(last: str, *, is_sum: bool) -> None:
    rows = (("Item", "Count", "Amount"), ("Kite", "2", "40.00"), ("Flyer", "5", "805.00"))
    noted = (*rows, ("", "", last))
    assert [one.rows for one in sound_tables([Table(rows=noted)])] == [noted if is_sum else rows]
    first = (*rows, (last, "", ""))
    assert [one.rows for one in sound_tables([Table(rows=first)])] == [rows]


def test_a_cell_that_spans_two_rows_is_not_said_twice() -> None:
    """Another reading has the cell in two rows, so that its second line stands beside the next row."""
    cut = (
        *ROWS[:1],
        ("North", "Reading the gauge"),
        ("mole of the harbour", "Lighting the lamp"),
        *ROWS[3:],
    )
    assert joined(Table(rows=ROWS), Table(rows=cut)).rows == ROWS
    lacking = (*ROWS[:3], ("", "Watching the ice"), ROWS[4])
    assert joined(Table(rows=lacking), Table(rows=ROWS)).rows == ROWS


def test_of_a_row_that_a_table_has_in_part_only_the_rest_is_kept() -> None:
    """No word is lost, and none stands in the table and below it."""
    own = (HEAD, (ROWS[1][0], f"{ROWS[1][1]} {ROWS[2][1]}"), (ROWS[3][0], f"{ROWS[3][1]} {ROWS[4][1]}"))
    markdown = pipe_table([list(row) for row in own])
    page = Page(number=1, markdown=markdown, text=markdown, tables=(Table(rows=own),))
    made = with_tables(page, [Table(rows=ROWS[:-1])])
    assert made is not None
    assert made.markdown == f"{pipe_table([list(row) for row in ROWS[:-1]])}\n\nSounding\n"


SHIPS = (
    ("Ships of the harbour", "All", "Lost"),
    ("Number of ships in the harbour", "21", "8"),
    ("Number of ships that were lost in the ice of the year", "11", "3"),
)
BOATS = (
    ("Boats of the harbour", "All", "Lost", "Sold"),
    *(
        (f"Number of boats that were lost in the ice of the year 188{count}", f"{count}1", f"{count}2", f"{count}3")
        for count in range(2, 9)
    ),
)


def in_line(rows: tuple[tuple[str, ...], ...]) -> str:
    """Rows as a reader has them that sees no table: all in one line."""
    return " ".join(" ".join(row) for row in rows)


def test_tables_whose_lines_stand_apart_are_not_put_in_one_place() -> None:
    """The lines of the first one would stay as text."""
    grid = pipe_table([list(row) for row in BOATS])
    title = " ".join(f"Wind and tide as keeper {name} wrote them down each day." for name in ("Ran", "Ymer", "Skade"))
    markdown = f"The {in_line(SHIPS)}\n\n{title}\n\n{grid}"
    page = Page(number=1, markdown=markdown, text=markdown, tables=(Table(rows=BOATS),))
    assert with_tables(page, [Table(rows=SHIPS), Table(rows=BOATS)]) is None
    upper = with_tables(page, [Table(rows=SHIPS)])
    assert upper is not None
    assert "Number of ships in the harbour | 21" in upper.markdown


def test_rows_in_a_line_with_other_text_are_not_said_twice() -> None:
    """Only the other text is kept. A row that a further line has is that of another table."""
    total = "Number of ships that were lost in the ice of the year 11 3"
    markdown = f"The ice of the winter {in_line(SHIPS)}\n\n{total}\n"
    made = with_tables(Page(number=1, markdown=markdown, text=markdown), [Table(rows=SHIPS)])
    assert made is not None
    assert made.markdown == f"{pipe_table([list(row) for row in SHIPS])}\n\nThe ice of the winter\n\n{total}\n"
