"""CSV and its kin (CNV-7)."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from octavo_plaintext.delimited import read_delimited


def rows(conversion):
    (table,) = conversion.pages[0].tables
    return [list(row) for row in table.rows]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(convert, delimiter):
    lines = [["name", "note", "sum"], ["Ada", "a, b; c | d", "1,5"], ["Grace", "x\ty", "2,5"], ["Linus", "", "3,5"]]
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter).writerows(lines)
    conversion = convert(buffer.getvalue(), "text/csv", name="people.csv")
    assert rows(conversion) == lines
    page = conversion.pages[0]
    assert (page.kind, page.label, conversion.paginated) == ("sheet", "people", True)
    assert page.tables[0].header_rows == 1


def test_decimal_commas_do_not_beat_semicolons(convert):
    assert rows(convert("a;b\n1,5;2,5\n3,5;4,5\n", "text/csv")) == [["a", "b"], ["1,5", "2,5"], ["3,5", "4,5"]]


def test_the_type_decides_for_tabs(convert):
    assert rows(convert("a,b\tc\n1,2\t3\n", "text/tab-separated-values")) == [["a,b", "c"], ["1,2", "3"]]


def test_the_line_that_spreadsheets_put_first_is_heeded(convert):
    assert rows(convert("sep=|\na|b,c\n", "text/csv")) == [["a", "b,c"]]


def test_cells_hold_line_breaks_pipes_and_marks(convert):
    conversion = convert('a,b\n"line 1\nline 2","x|y *z*"\n', "text/csv")
    assert rows(conversion)[1] == ["line 1\nline 2", "x|y *z*"]
    assert conversion.pages[0].markdown == "| a | b |\n| --- | --- |\n| line 1 line 2 | x\\|y \\*z\\* |"


def test_quotes_escaped_by_backslash_are_read(convert):
    assert rows(convert('a,b\n"say \\"hi\\" now",1\n', "text/csv"))[1] == ['say "hi" now', "1"]


def test_short_rows_are_filled_up_and_noted(convert):
    conversion = convert("1,2,3\na,b\nc\nd,e,f\n", "text/csv")
    assert rows(conversion) == [["1", "2", "3"], ["a", "b", ""], ["c", "", ""], ["d", "e", "f"]]
    assert [(warning.code, warning.page) for warning in conversion.warnings] == [("ragged_rows", 1)]
    assert "2 of 4 rows" in conversion.warnings[0].message


def test_one_long_row_does_not_make_a_huge_grid(convert):
    conversion = convert("1\n" * 5000 + "," * 2000 + "\n", "text/csv")
    assert sum(len(row) for row in rows(conversion)) == 5000 + 2001
    assert "left as they are" in conversion.warnings[0].message


def test_a_quote_that_never_ends_does_not_swallow_the_file(convert):
    conversion = convert('a,b\n"open,1\nx,2\ny,3\n', "text/csv")
    assert rows(conversion)[2:] == [["x", "2"], ["y", "3"]]
    assert [warning.code for warning in conversion.warnings] == ["unbalanced_quotes"]


def test_one_column_is_a_table_too(convert):
    assert rows(convert("name\nAda\nGrace\n", "text/csv")) == [["name"], ["Ada"], ["Grace"]]


def test_blank_lines_are_no_rows(convert):
    assert rows(convert("a,b\n\n1,2\n\n", "text/csv")) == [["a", "b"], ["1", "2"]]


def test_a_file_of_blank_lines_is_an_empty_sheet(convert):
    conversion = convert("\n\n", "text/csv")
    assert conversion.pages[0].markdown == ""
    assert conversion.pages[0].tables == ()


def test_formulas_stay_text(convert):
    assert rows(convert('a,b\n"=HYPERLINK(""http://x"")",@SUM(1+1)\n', "text/csv"))[1] == [
        '=HYPERLINK("http://x")',
        "@SUM(1+1)",
    ]


def test_every_row_is_kept(convert):
    """The view shows a hundred rows; the conversion holds them all."""
    assert len(rows(convert("n,sq\n" + "".join(f"{n},{n * n}\n" for n in range(5000)), "text/csv"))) == 5001


def test_the_limit_of_the_csv_module_is_put_back(convert):
    before = csv.field_size_limit()
    assert len(rows(convert("a,b\n" + "x" * 200_000 + ",1\n", "text/csv"))[1][0]) == 200_000
    assert csv.field_size_limit() == before


CELL = st.text(
    alphabet=st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufffd\ufeff"), max_size=12
)


@example(grid=[("", "", "|"), ("", "|", "|"), ("", "", "")])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=3, max_size=8))
def test_what_a_writer_quotes_is_read_back(grid):
    """A file with every cell quoted leaves nothing to guess."""
    buffer = io.StringIO()
    csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(grid)
    (table,) = read_delimited(buffer.getvalue(), name="x.csv").pages[0].tables
    assert table.rows == tuple(grid)
