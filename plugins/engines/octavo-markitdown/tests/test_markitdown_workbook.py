"""Workbooks (CNV-7)."""

from __future__ import annotations

import struct
import zipfile
from datetime import datetime, timedelta
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter
import xlwt
from octavo_conformance.office_writer import docx_parts, zipped
from octavo_contracts import ContentTooLarge, SourceCorrupt, SourceEncrypted
from octavo_markitdown import cells


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A workbook with values of every kind, an empty, a hidden and a chart sheet, a comment and named ranges."""
    path = tmp_path / "book.xlsx"
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("Wértë")
    sheet.write_row(1, 1, ["emoji 🚢", "漢字", "שלום"])
    sheet.write_row(2, 1, [1, 2.5, True])
    sheet.write_datetime(3, 1, datetime(2020, 1, 2), book.add_format({"num_format": "yyyy-mm-dd"}))
    sheet.write_number(3, 2, 1.5, book.add_format({"num_format": "[h]:mm:ss"}))
    sheet.write_formula(3, 3, "=1/0", None, "#DIV/0!")
    sheet.write(4, 1, "x\n\n## Hidden\n|")
    sheet.write_comment("B5", "a remark")
    book.add_worksheet("Empty")
    hidden = book.add_worksheet("Hidden")
    hidden.write(0, 0, "kept")
    hidden.hide()
    chart = book.add_chart({"type": "line"})
    chart.add_series({"values": "=Wértë!$B$3:$C$3"})
    book.add_chartsheet("Chart").set_chart(chart)
    book.define_name("Sales", "=Wértë!$B$3:$C$3")
    book.define_name("Hidden!Local", "=Hidden!$A$1")
    book.close()
    return path


def test_every_sheet_is_a_page_with_its_values(book: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """A cell that looks like a heading splits nothing; no 'NaN', no invented header."""
    conversion = convert_file(book)
    assert [(page.kind, page.label) for page in conversion.pages] == [
        ("sheet", "Wértë"),
        ("sheet", "Empty"),
        ("sheet", "Hidden"),
        ("sheet", "Chart"),
    ]
    assert conversion.pages[0].tables[0].rows == (
        ("emoji 🚢", "漢字", "שלום"),
        ("1", "2.5", "TRUE"),
        ("2020-01-02", "PT36H", "#DIV/0!"),
        ("x\n\n## Hidden\n|", "", ""),
    )
    assert conversion.pages[0].markdown.endswith("| x ## Hidden \\| |  |  |\n")
    assert conversion.pages[1].markdown == ""
    assert conversion.pages[2].tables[0].rows == (("kept",),)
    assert conversion.metadata.fields["named_ranges"] == {"Sales": "Wértë!$B$3:$C$3", "Hidden!Local": "Hidden!$A$1"}
    assert [(warning.code, warning.page) for warning in conversion.warnings] == [
        ("hidden_sheet", 3),
        ("partial_conversion", 4),
        ("partial_conversion", None),
    ]


def test_a_far_cell_leaves_the_gap_out(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Two cells at opposite corners make a table of two rows, and a warning."""
    path = tmp_path / "far.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Far")
        sheet.write(0, 0, 1)
        sheet.write(1048575, 16383, 2)
    conversion = convert_file(path)
    assert conversion.pages[0].tables[0].rows == (("1", ""), ("", "2"))
    assert [(warning.code, warning.page) for warning in conversion.warnings] == [("gaps_left_out", 1)]


def test_too_many_filled_cells_are_too_large(monkeypatch: pytest.MonkeyPatch, book: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """The limit counts what is stored."""
    monkeypatch.setattr(cells, "MAX_FILLED_CELLS", 3)
    with pytest.raises(ContentTooLarge, match="filled cells"):
        convert_file(book)


def test_more_sheets_than_asked_for_are_refused(book: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """`max_pages` limits the sheets."""
    with pytest.raises(ContentTooLarge, match="4 sheets, more than 2"):
        convert_file(book, max_pages=2)


def test_an_old_workbook_is_read(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Dates, times, booleans, errors and hidden sheets of xls."""
    book = xlwt.Workbook()
    sheet = book.add_sheet("Один")
    sheet.write(0, 0, "a")
    sheet.write(0, 1, True)
    sheet.write(1, 0, datetime(2020, 1, 2, 3, 4), xlwt.easyxf(num_format_str="yyyy-mm-dd hh:mm"))
    sheet.write(1, 1, 0.5, xlwt.easyxf(num_format_str="hh:mm:ss"))
    sheet.row(2).set_cell_error(0, 0x2A)
    sheet.write(2, 1, 7)
    book.add_sheet("secret").visibility = 1
    path = tmp_path / "old.xls"
    book.save(str(path))
    conversion = convert_file(path)
    assert conversion.pages[0].tables[0].rows == (("a", "TRUE"), ("2020-01-02T03:04:00", "12:00:00"), ("#N/A", "7"))
    assert [(warning.code, warning.page) for warning in conversion.warnings] == [("hidden_sheet", 2)]


def test_an_encrypted_old_workbook_is_named(tmp_path: Path, convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """A FILEPASS record says that all that follows is encrypted; a password is not taken."""
    book = xlwt.Workbook()
    book.add_sheet("S").write(0, 0, "a")
    path = tmp_path / "plain.xls"
    book.save(str(path))
    data = bytearray(path.read_bytes())
    place = data.find(b"\xe1\x00\x02\x00", 512)
    data[place : place + 2] = b"\x2f\x00"
    with pytest.raises(SourceEncrypted, match="takes none"):
        convert_bytes("locked.xls", bytes(data), password="secret")


@pytest.mark.parametrize("name", ["bad.xls", "bad.xlsx"])
def test_other_bytes_are_corrupt(name: str, convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """No workbook, whatever the name says."""
    with pytest.raises(SourceCorrupt):
        convert_bytes(name, struct.pack("<8I", *range(8)))


def test_a_container_without_a_workbook_is_corrupt(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A docx under the name of a workbook is refused with a typed error."""
    with pytest.raises(SourceCorrupt, match="openpyxl failed"):
        convert_bytes("book.xlsx", zipped(docx_parts("")))


def test_gaps_that_leave_too_much_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """A diagonal of many cells is large even without its gaps."""
    monkeypatch.setattr(cells, "MAX_FILLED_CELLS", 10)
    diagonal = {(index * 1000, index * 1000): "x" for index in range(8)}
    with pytest.raises(ContentTooLarge, match="spans 8 rows and 8 columns"):
        cells.sheet_page(diagonal, name="D", number=1)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ""),
        (" \n", ""),
        (0.1, "0.1"),
        (1e20, "1e+20"),
        (timedelta(milliseconds=1500), "PT1.5S"),
        (timedelta(0), "PT0S"),
        (timedelta(seconds=-90), "-PT1M30S"),
    ],
)
def test_a_value_has_one_text(value: object, expected: str) -> None:
    """The same texts as the engine `calamine` gives."""
    assert cells.cell_text(value) == expected


def test_macros_are_said(book: Path, convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A VBA project is active content; it is not run."""
    with zipfile.ZipFile(book) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    conversion = convert_bytes("macro.xlsx", zipped({**parts, "xl/vbaProject.bin": b"x"}))
    assert "active_content" in [warning.code for warning in conversion.warnings]


def test_rows_after_the_last_one_are_too_large(book: Path, convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A row number of two thousand million is not counted up to."""
    with zipfile.ZipFile(book) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    sheet = parts["xl/worksheets/sheet3.xml"].replace(b'r="1"', b'r="2000000000"').replace(b'"A1"', b'"A2000000000"')
    with pytest.raises(ContentTooLarge, match="after 1048576"):
        convert_bytes("far.xlsx", zipped({**parts, "xl/worksheets/sheet3.xml": sheet}))


def test_formulas_that_nobody_calculated_are_said(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """A library writes formulas without their values: what the cells show is not in the file."""
    book = openpyxl.Workbook()
    for row in (("Sum", 1, 2), ("=SUM(B1:C1)", "=1+1", 3)):
        book.active.append(row)
    book.save(tmp_path / "formulas.xlsx")
    (warning,) = convert_file(tmp_path / "formulas.xlsx").warnings
    assert warning.code == "partial_conversion"
    assert "2 formulas have no stored value" in warning.message
