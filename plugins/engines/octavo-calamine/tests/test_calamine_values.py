"""Cells as text, in tables and in markdown (CNV-7)."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest
import xlsxwriter
import xlwt
from octavo_calamine.cells import cell_text, escape, trim


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (7.0, "7"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e-7, "1e-07"),
        (1e20, "1e+20"),
        (123456789012345.0, "123456789012345"),
        (3, "3"),
        (True, "TRUE"),
        (False, "FALSE"),
        ("", ""),
        (" \n", ""),
        (" a ", " a "),
        ("007", "007"),
        (date(2020, 1, 2), "2020-01-02"),
        (datetime(2020, 1, 2, 3, 4, 5), "2020-01-02T03:04:05"),
        (datetime(2020, 1, 2, 3, 4, 5, 687000), "2020-01-02T03:04:05.687"),
        (1234567890123450.0, "1234567890123450"),
        (time(3, 4, 5), "03:04:05"),
        (timedelta(hours=36, minutes=30), "PT36H30M"),
        (timedelta(0), "PT0S"),
        (timedelta(seconds=-90), "-PT1M30S"),
        (timedelta(milliseconds=1500), "PT1.5S"),
    ],
)
def test_a_value_has_one_text(value: object, expected: str) -> None:
    """Numbers lose a needless '.0', dates and durations are ISO 8601."""
    assert expected == cell_text(value)  # type: ignore[arg-type]  # the table mixes the engine's types


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a|b\nc", r"a\|b c"),
        ("*x*", r"\*x\*"),
        ("file_name", "file_name"),
        ("_x_", r"\_x\_"),
        ("<b>", r"\<b>"),
        ("&amp;", r"\&amp;"),
        ("R&D", "R&D"),
        ("#DIV/0!", "#DIV/0!"),
        ("# no heading", "# no heading"),
        ("1. no list", "1. no list"),
        ("plain", "plain"),
    ],
)
def test_markdown_of_a_cell_reads_as_the_cell(text: str, expected: str) -> None:
    """What markdown would take for a mark is escaped, and nothing else."""
    assert expected == escape(text)


def test_trimming_tells_what_it_dropped() -> None:
    """Empty rows and columns go on all four sides, inner ones stay."""
    rows = [["", "", ""], ["", "a", ""], ["", "", ""], ["", "b", ""], ["", "", ""]]
    assert trim(rows) == ([["a"], [""], ["b"]], 1, 1)
    assert trim([["", ""]]) == ([], 0, 0)


def test_a_workbook_keeps_every_kind_of_value(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Numbers, booleans, dates, errors, computed values and other scripts come through an xlsx file."""
    path = tmp_path / "values.xlsx"
    book = xlsxwriter.Workbook(str(path))
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    span = book.add_format({"num_format": "[h]:mm:ss"})
    sheet = book.add_worksheet("Wértë")
    sheet.write_row(0, 0, ["emoji 🚢", "漢字", "שלום"])
    sheet.write_row(1, 0, [1, 2.5, True])
    sheet.write_datetime(2, 0, datetime(2020, 1, 2), day)
    sheet.write_number(2, 1, 1.5, span)
    sheet.write_formula(2, 2, "=1/0", None, "#DIV/0!")
    sheet.write_formula(3, 0, "=1+1", None, 2)
    book.close()
    page = convert_file(path).pages[0]
    assert page.label == "Wértë"
    assert page.tables[0].rows == (
        ("emoji 🚢", "漢字", "שלום"),
        ("1", "2.5", "TRUE"),
        ("2020-01-02", "PT36H", "#DIV/0!"),
        ("2", "", ""),
    )
    assert page.markdown.startswith("## Wértë\n\n| emoji 🚢 | 漢字 | שלום |\n| --- | --- | --- |\n| 1 | 2.5 | TRUE |\n")


def test_an_old_workbook_keeps_errors_and_hidden_sheets(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Error cells and computed values of xls are read, and a hidden sheet is a page with a warning."""
    path = tmp_path / "old.xls"
    book = xlwt.Workbook()
    sheet = book.add_sheet("Один")
    sheet.write(0, 0, "a")
    sheet.row(0).set_cell_error(1, 0x2A)
    sheet.row(1).set_cell_number(0, 4)
    sheet.row(1).set_cell_number(1, 5)
    sheet.write_merge(2, 3, 0, 1, "merged")
    book.add_sheet("secret").visibility = 1
    book.save(str(path))
    conversion = convert_file(path)
    assert conversion.pages[0].tables[0].rows == (("a", "#N/A"), ("4", "5"), ("merged", ""))
    assert [(warning.code, warning.page) for warning in conversion.warnings] == [("hidden_sheet", 2)]
