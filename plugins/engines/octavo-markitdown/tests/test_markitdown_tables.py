"""Reading pipe tables out of markdown."""

from __future__ import annotations

import pytest
from octavo_markitdown.pages import short_images
from octavo_markitdown.pipe_tables import PIPE_STAND_IN, escape, pipe_table, read_tables, split_row


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("| a | b |", ["a", "b"]),
        ("|  | b |", ["", "b"]),
        ("| a |  |", ["a", ""]),
        ("| a | b", ["a", "b"]),
        (r"| a\|b | c |", [r"a\|b", "c"]),
        (r"| a\\| c |", [r"a\\", "c"]),
    ],
)
def test_a_line_splits_at_pipes_that_are_not_escaped(line: str, cells: list[str]) -> None:
    """An even number of backslashes before a pipe does not escape it."""
    assert split_row(line) == cells


def test_cells_are_plain_text() -> None:
    """Links, images, emphasis and escapes are gone; rows keep their own length."""
    markdown = "| **k** | [t](http://x) |\n| --- | :-: |\n| a\\_b \\| c | ![alt](p.png) |\n| short |"
    kept, (table,) = read_tables(markdown)
    assert kept == markdown
    assert table.rows == (("k", "t"), ("a_b | c", "alt"), ("short",))
    assert table.header_rows == 1


def test_an_empty_header_is_replaced_by_the_first_row() -> None:
    """A table needs a header in markdown; the grid says that it is none."""
    kept, (table,) = read_tables("|  |  |\n| --- | --- |\n| a | b |\n| c | d |\n\nafter")
    assert kept == "| a | b |\n| --- | --- |\n| c | d |\n\nafter"
    assert (table.rows, table.header_rows) == ((("a", "b"), ("c", "d")), 0)


def test_tables_in_code_are_none() -> None:
    """A fence of the same mark and length closes, another does not."""
    markdown = "````\n```\n| a |\n| --- |\n````\n| b |\n| --- |"
    kept, tables = read_tables(markdown)
    assert kept == markdown
    assert [table.rows for table in tables] == [(("b",),)]


def test_stand_ins_become_pipes() -> None:
    """Escaped inside a table, as they were outside."""
    kept, (table,) = read_tables(f"x{PIPE_STAND_IN}y\n\n| a{PIPE_STAND_IN}b |\n| --- |")
    assert kept == "x|y\n\n| a\\|b |\n| --- |"
    assert table.rows == (("a|b",),)


def test_an_empty_table_is_left_out() -> None:
    """A header line without a text is no table."""
    assert read_tables("|  |\n| --- |") == ("|  |\n| --- |", ())


def test_a_written_table_reads_as_it_was() -> None:
    """Writing and reading are inverse for one-line cells."""
    grid = [["a|b", "*c*"], ["_d_", ""], ["e\\f", "[g](h)"]]
    _, (table,) = read_tables(pipe_table(grid))
    assert [list(row) for row in table.rows] == grid


def test_escaping_leaves_plain_text_alone() -> None:
    """Only what markdown would take for a mark changes."""
    assert escape("file_name, 3 < 4; R&D") == r"file_name, 3 \< 4; R&D"


def test_data_of_images_is_shortened() -> None:
    """Other images stay."""
    assert short_images("![a](data:image/png;base64,AAAA) ![b](c.png)") == "![a](embedded-image) ![b](c.png)"
