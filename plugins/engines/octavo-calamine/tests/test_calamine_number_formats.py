"""Amounts, units, dates and codes as a sheet shows them (CNV-7)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter
from octavo_contracts import Conversion

ACCOUNTING = '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)'
DAY = date(2024, 3, 5)


@pytest.fixture
def cell(tmp_path: Path, convert_file: Callable[..., Conversion]) -> Callable[[object, str], tuple[str, str]]:
    """Write a cell with a format; return its markdown, and its text in the table."""

    def run(value: object, code: str) -> tuple[str, str]:
        book = openpyxl.Workbook()
        sheet = book.active
        sheet.append(["Name", value])
        sheet["B1"].number_format = code
        book.save(tmp_path / "format.xlsx")
        (page,) = convert_file(tmp_path / "format.xlsx").pages
        line = page.markdown.splitlines()[2]
        return line.removeprefix("| Name | ").removesuffix(" |"), page.tables[0].rows[0][1]

    return run


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (1234.5, "$#,##0.00", "$1,234.50"),
        (-12.345, "$#,##0.00", "-$12.35"),
        (-1234.5, '"$"#,##0_);\\("$"#,##0\\)', "($1,235)"),
        (-5, ACCOUNTING, "$(5.00)"),
        (0, ACCOUNTING, "$-"),
        (1234.5, '#,##0.00 "€"', "1,234.50 €"),
        (1234.5, "[$€-407] #,##0.00", "€ 1,234.50"),
        (-4, "[$$-409]#,##0.00;[RED]-[$$-409]#,##0.00", "-$4.00"),
        (1234567890, '$#,##0.0,,"M"', "$1,234.6M"),
        (2.5, '0.0" kg"', "2.5 kg"),
        (5, '[>3]"many" 0;"few" 0', "many 5"),
        (2134, "00000", "02134"),
        (5551234567, "(000) 000-0000", "(555) 123-4567"),
        (0.02512, "0.0%", "2.512%"),
    ],
)
def test_an_amount_is_written_as_the_sheet_shows_it(
    cell: Callable[[object, str], tuple[str, str]], value: object, code: str, shown: str
) -> None:
    """CNV-7: currency, unit, scale and leading zeros are part of what a cell says."""
    assert shown == cell(value, code)[0].replace("\\", "")


@pytest.mark.parametrize(
    ("value", "code", "shown", "held"),
    [
        (DAY, "mm/dd/yyyy", "03/05/2024", "2024-03-05"),
        (DAY, "d mmmm yyyy", "5 March 2024", "2024-03-05"),
        (DAY, "mmm-yy", "Mar-24", "2024-03-05"),
        (DAY, "[$-409]dddd, mmmm dd, yyyy;@", "Tuesday, March 05, 2024", "2024-03-05"),
        (DAY, "[$-407]d.m.yyyy", "5.3.2024", "2024-03-05"),
        (datetime(2024, 3, 5, 14, 5, 6), "d.m.yy hh:mm", "5.3.24 14:05", "2024-03-05T14:05:06"),
        (time(14, 5), "h:mm AM/PM", "2:05 PM", "14:05:00"),
        (time(0, 3, 7), "mm:ss", "03:07", "00:03:07"),
        (timedelta(hours=36, minutes=5), "[h]:mm", "36:05", "PT36H5M"),
        (DAY, "mm-dd-yy", "2024-03-05", "2024-03-05"),
        (DAY, "[$-407]d. mmmm yyyy", "2024-03-05", "2024-03-05"),
        (DAY, "[$-F800]dddd, mmmm dd, yyyy", "2024-03-05", "2024-03-05"),
    ],
)
def test_a_date_is_written_as_the_sheet_shows_it(
    cell: Callable[[object, str], tuple[str, str]], value: object, code: str, shown: str, held: str
) -> None:
    """CNV-7: in ISO 8601 where the form depends on the reader's computer or language; always so in the table."""
    assert (shown, held) == cell(value, code)


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (1234567.891, "#,##0", "1234567.891"),
        (3.14159, "0.00", "3.14159"),
        (0.5, "# ?/?", "0.5"),
        (123456, "0.00E+00", "123456"),
        (5, ";;;", "5"),
        (-3, "0;[Red]-0", "-3"),
        (True, '"x"0', "TRUE"),
        (1e18, "$0", "1e+18"),
    ],
)
def test_a_plain_number_keeps_all_digits(
    cell: Callable[[object, str], tuple[str, str]], value: object, code: str, text: str
) -> None:
    """CNV-7: a format that only rounds says nothing that the value does not say better."""
    assert (text, text) == cell(value, code)


def test_the_table_holds_the_exact_amount(tmp_path: Path, convert_file: Callable[..., Conversion]) -> None:
    """CNV-7: what the sheet rounds is not lost; merged and styled cells without a value stay empty."""
    with xlsxwriter.Workbook(str(tmp_path / "exact.xlsx")) as book:
        sheet, money = book.add_worksheet("Exact"), book.add_format({"num_format": "$#,##0"})
        sheet.write_row(0, 0, ["Item", "Price", "Tax"])
        sheet.write(1, 0, "Pen")
        sheet.write(1, 1, 1234.56, money)
        sheet.write_blank(1, 2, None, money)
    (page,) = convert_file(tmp_path / "exact.xlsx").pages
    assert "| Pen | $1,235 |  |" in page.markdown
    assert page.tables[0].rows[1] == ("Pen", "1234.56", "")
