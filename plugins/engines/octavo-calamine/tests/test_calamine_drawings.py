"""Charts, text boxes, pictures, comments and formulas of workbooks (CNV-7)."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter
from octavo_contracts import Conversion
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment

Fill = Callable[[Any, Any], object]


@pytest.fixture
def convert_filled(tmp_path: Path, convert_file: Callable[..., Conversion]) -> Callable[[Fill], Conversion]:
    """Convert a workbook of one sheet with three rows, which a function draws on."""

    def run(fill: Fill) -> Conversion:
        with xlsxwriter.Workbook(str(tmp_path / "drawn.xlsx")) as book:
            sheet = book.add_worksheet("Data")
            for row, values in enumerate((["Month", "Sales"], ["Jan", 10], ["Feb", 20.5])):
                sheet.write_row(row, 0, values)
            fill(book, sheet)
        return convert_file(tmp_path / "drawn.xlsx")

    return run


CELLS = "## Data\n\n| Month | Sales |\n| --- | --- |\n| Jan | 10 |\n| Feb | 20.5 |\n\n"


@pytest.mark.parametrize("kind", ["column", "bar", "line", "area", "pie", "doughnut", "radar"])
def test_a_chart_of_cells_is_named_with_its_series(convert_filled: Callable[[Fill], Conversion], kind: str) -> None:
    """CNV-7: whatever the kind; its numbers stand in the cells, and are not repeated."""

    def fill(book: Any, sheet: Any) -> None:
        chart = book.add_chart({"type": kind})
        chart.set_title({"name": "Sales by month"})
        chart.add_series({"name": "=Data!$B$1", "categories": "=Data!$A$2:$A$3", "values": "=Data!$B$2:$B$3"})
        sheet.insert_chart("D2", chart)

    (page,) = convert_filled(fill).pages
    assert page.markdown == (f"{CELLS}**Chart: Sales by month**: Sales\n")


def test_a_chart_of_numbers_that_no_cell_has_is_a_table(convert_filled: Callable[[Fill], Conversion]) -> None:
    """CNV-7: a program stores a copy of the values with the chart; the cells may be of another workbook."""

    def fill(book: Any, sheet: Any) -> None:
        chart = book.add_chart({"type": "column"})
        series = {"values": "='[other.xlsx]Far'!$B$2:$B$3", "values_data": [77, 88], "name": "Far"}
        chart.add_series({**series, "categories": "='[other.xlsx]Far'!$A$2:$A$3", "categories_data": ["Mar", "Apr"]})
        sheet.insert_chart("D2", chart)

    (page,) = convert_filled(fill).pages
    assert "**Chart**\n\n| Category | Far |\n| --- | --- |\n| Mar | 77 |\n| Apr | 88 |\n" in page.markdown


def test_a_scatter_chart_names_its_series(convert_filled: Callable[[Fill], Conversion]) -> None:
    """CNV-7."""

    def fill(book: Any, sheet: Any) -> None:
        sheet.write_column("C1", ["Cost", 5, 6])
        chart = book.add_chart({"type": "scatter"})
        chart.add_series({"name": "Cost", "categories": "=Data!$B$2:$B$3", "values": "=Data!$C$2:$C$3"})
        sheet.insert_chart("E2", chart)

    (page,) = convert_filled(fill).pages
    assert page.markdown.endswith("**Chart**: Cost\n")


def test_a_chart_without_stored_values_reads_the_cells(tmp_path: Path, convert_file: Callable[..., Conversion]) -> None:
    """CNV-7: a program that stores no copy of the values leaves references."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "It's data"
    for row in (("Month", "Sales"), ("Jan", 10), ("Feb", 20.5)):
        sheet.append(row)
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    chart.set_categories(Reference(sheet, min_col=1, min_row=2, max_row=3))
    sheet.add_chart(chart, "D2")
    book.save(tmp_path / "bare.xlsx")
    (page,) = convert_file(tmp_path / "bare.xlsx").pages
    assert page.markdown.endswith("**Chart**: Sales\n")


def test_a_text_box_is_a_paragraph(convert_filled: Callable[[Fill], Conversion]) -> None:
    """CNV-7: what is written over the cells, line by line."""
    (page,) = convert_filled(lambda _, sheet: sheet.insert_textbox("D2", "All *figures* in euro\n# not audited")).pages
    assert page.markdown == f"{CELLS}All \\*figures\\* in euro\n\n\\# not audited\n"


def test_a_described_picture_is_named(convert_filled: Callable[[Fill], Conversion]) -> None:
    """CNV-7: a picture says what it shows by its description."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    dot = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")
    options = {"image_data": io.BytesIO(dot), "description": "The logo of the shop"}
    (page,) = convert_filled(lambda _, sheet: sheet.insert_image("D2", "dot.png", options)).pages
    assert page.markdown == f"{CELLS}![The logo of the shop](embedded-image)\n"


def test_comments_stand_with_cell_and_author(tmp_path: Path, convert_file: Callable[..., Conversion]) -> None:
    """CNV-7: below the cells; the name that Excel writes before the text is not repeated."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Month", "Sales"])
    sheet["B1"].comment = Comment("Ann:\nCheck this figure", "Ann")
    sheet["A1"].comment = Comment("Fiscal months", "Bob")
    book.save(tmp_path / "noted.xlsx")
    conversion = convert_file(tmp_path / "noted.xlsx")
    assert conversion.warnings == ()
    assert "**Comments:**\n\n- A1, Bob: Fiscal months\n- B1, Ann: Check this figure\n" in conversion.pages[0].markdown


def test_a_link_by_formula_leads_to_its_address(convert_filled: Callable[[Fill], Conversion]) -> None:
    """CNV-7: the formula `HYPERLINK` makes a link too."""
    formula = '=HYPERLINK("https://example.org/a?b=1&c=2","the page")'
    (page,) = convert_filled(lambda _, sheet: sheet.write_formula("B3", formula, None, "the page")).pages
    assert "| Feb | [the page](https://example.org/a?b=1&c=2) |" in page.markdown


def test_formulas_that_nobody_computed_are_said(tmp_path: Path, convert_file: Callable[..., Conversion]) -> None:
    """CNV-7: a file written by a library holds formulas without their values."""
    book = openpyxl.Workbook()
    for row in (("Sum", 1, 2), ("=SUM(B1:C1)", "=1+1", 3)):
        book.active.append(row)
    book.save(tmp_path / "formulas.xlsx")
    (warning,) = convert_file(tmp_path / "formulas.xlsx").warnings
    assert (warning.code, warning.page) == ("partial_conversion", 1)
    assert "2 formulas of the sheet 'Sheet' have no stored value" in warning.message
