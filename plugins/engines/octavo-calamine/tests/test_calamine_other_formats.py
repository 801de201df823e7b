"""Formats, links, charts and comments of workbooks that LibreOffice wrote: xls and ods (CNV-7)."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter
import xlwt
from octavo_contracts import Conversion

SOFFICE = shutil.which("soffice")
needs_office = pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed")


@pytest.fixture(scope="module")
def office_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A workbook with every construct, written by LibreOffice in another format."""
    folder = tmp_path_factory.mktemp("office")
    with xlsxwriter.Workbook(str(folder / "book.xlsx")) as book:
        sheet = book.add_worksheet("Data")
        rows = [
            ("Euro", 1234.5, '#,##0.00 "€"'),
            ("Dollar", -5, '"$"#,##0.00;("$"#,##0.00)'),
            ("Share", 0.02512, "0.0%"),
            ("Day", date(2024, 3, 5), "d mmmm yyyy"),
            ("Zip", 2134, "00000"),
            ("Weight", 2.5, '0.00" kg"'),
            ("Plain", 1234567.891, "#,##0.00"),
        ]
        sheet.write_row(0, 0, ["Name", "Value"])
        for row, (name, value, code) in enumerate(rows, start=1):
            sheet.write(row, 0, name)
            sheet.write(row, 1, value, book.add_format({"num_format": code}))
        sheet.write_url("A9", "https://example.org/a?b=1#c", string="the page")
        sheet.write_comment("B2", "Check this figure")
        sheet.insert_textbox("H2", "All figures are estimates")
        chart = book.add_chart({"type": "column"})
        chart.set_title({"name": "Amounts"})
        chart.add_series({"name": "Amount", "categories": "=Data!$A$2:$A$3", "values": "=Data!$B$2:$B$3"})
        sheet.insert_chart("D2", chart)

    def run(extension: str) -> Path:
        made = folder / f"book.{extension}"
        if not made.exists():
            command = [str(SOFFICE), f"-env:UserInstallation=file://{folder}/profile", "--headless"]
            command += ["--convert-to", extension, "--outdir", str(folder), str(folder / "book.xlsx")]
            subprocess.run(
                command, check=True, capture_output=True, timeout=120, env={**os.environ, "LC_ALL": "C.UTF-8"}
            )
        return made

    return run


TABLE = """## Data

| Name | Value |
| --- | --- |
| Euro | 1,234.50 € |
| Dollar | ($5.00) |
| Share | 2.512% |
| Day | 5 March 2024 |
| Zip | 02134 |
| Weight | 2.50 kg |
| Plain | 1234567.891 |
| [the page](https://example.org/a?b=1#c) |  |
"""


@needs_office
def test_an_old_workbook_shows_formats_and_links(
    office_file: Callable[[str], Path], convert_file: Callable[..., Conversion]
) -> None:
    """CNV-7: the same as in xlsx; charts and comments are said to be missing."""
    conversion = convert_file(office_file("xls"))
    assert conversion.pages[0].markdown == TABLE
    assert conversion.pages[0].tables[0].rows[1] == ("Euro", "1234.5")
    messages = [warning.message for warning in conversion.warnings]
    assert messages == ["1 charts of the sheet 'Data' are not read in this format.", "Comments of cells are not read."]


@needs_office
def test_an_opendocument_workbook_shows_formats_links_and_drawings(
    office_file: Callable[[str], Path], convert_file: Callable[..., Conversion]
) -> None:
    """CNV-7: texts as the file shows them; the chart, the text box and the comment below the cells."""
    conversion = convert_file(office_file("ods"))
    markdown = conversion.pages[0].markdown
    assert markdown.startswith(TABLE)
    assert "\n\n**Chart: Amounts**: Amount\n" in markdown
    assert "\n\nAll figures are estimates\n" in markdown
    assert markdown.endswith("**Comments:**\n\n- B2: Check this figure\n")
    assert conversion.pages[0].tables[0].rows[4] == ("Day", "2024-03-05")
    assert conversion.warnings == ()


def test_an_old_workbook_of_another_program_shows_formats(
    tmp_path: Path, convert_file: Callable[..., Conversion]
) -> None:
    """CNV-7: cells with one number each, and rows of numbers in one record."""
    book = xlwt.Workbook()
    sheet = book.add_sheet("S")
    money = xlwt.easyxf(num_format_str='"$"#,##0.00')
    for column in range(4):
        sheet.write(0, column, f"Q{column + 1}")
        sheet.write(1, column, 10 + column, money)
    book.save(str(tmp_path / "old.xls"))
    (page,) = convert_file(tmp_path / "old.xls").pages
    assert page.markdown.splitlines()[4] == "| $10.00 | $11.00 | $12.00 | $13.00 |"


def test_markdown_of_all_formats_is_the_same_for_one_workbook(
    tmp_path: Path, convert_file: Callable[..., Conversion]
) -> None:
    """CNV-7: openpyxl and xlwt write the same cells."""
    new, old = openpyxl.Workbook(), xlwt.Workbook()
    new.active.title = "S"
    sheet = old.add_sheet("S")
    for row, (name, value, code) in enumerate((("Name", "Value", "General"), ("Fee", 12.5, "[$€-407]\\ 0.00"))):
        new.active.append([name, value])
        new.active.cell(row + 1, 2).number_format = code
        sheet.write(row, 0, name)
        sheet.write(row, 1, value, xlwt.easyxf(num_format_str=code))
    new.save(tmp_path / "new.xlsx")
    old.save(str(tmp_path / "old.xls"))
    markdown = convert_file(tmp_path / "new.xlsx").pages[0].markdown
    assert markdown == "## S\n\n| Name | Value |\n| --- | --- |\n| Fee | € 12.50 |\n"
    assert markdown == convert_file(tmp_path / "old.xls").pages[0].markdown
