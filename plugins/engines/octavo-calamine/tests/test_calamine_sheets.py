"""Sheets as pages (CNV-7, CNV-12)."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
import xlsxwriter
from octavo_conformance.office_writer import zipped
from octavo_contracts import Conversion


@pytest.fixture
def report(tmp_path: Path, convert_file) -> Conversion:  # type: ignore[no-untyped-def]  # fixture
    """A workbook with an offset table, an empty, a hidden and a chart sheet, a comment and a named range."""
    path = tmp_path / "report.xlsx"
    book = xlsxwriter.Workbook(str(path))
    first = book.add_worksheet("First")
    first.write(4, 2, "x")
    first.merge_range(5, 2, 6, 3, "wide")
    first.write_comment("C5", "a remark")
    book.add_worksheet("Empty")
    hidden = book.add_worksheet("Hidden")
    hidden.write(0, 0, "kept")
    hidden.hide()
    chart = book.add_chart({"type": "line"})
    chart.add_series({"values": "=First!$C$5:$C$6"})
    book.add_chartsheet("Chart").set_chart(chart)
    book.define_name("Sales", "=First!$C$5:$C$6")
    book.define_name("Hidden!Local", "=Hidden!$A$1")
    book.close()
    return convert_file(path)


def test_every_sheet_is_a_page_in_workbook_order(report: Conversion) -> None:
    """Empty, hidden and chart sheets keep their page."""
    assert report.paginated
    assert [(page.number, page.kind, page.label) for page in report.pages] == [
        (1, "sheet", "First"),
        (2, "sheet", "Empty"),
        (3, "sheet", "Hidden"),
        (4, "sheet", "Chart"),
    ]
    assert report.pages[1].markdown == "## Empty\n"
    assert report.pages[1].tables == ()
    assert report.pages[2].tables[0].rows == (("kept",),)


def test_a_merged_text_stands_in_its_first_cell(report: Conversion) -> None:
    """The other cells of the range are empty."""
    assert report.pages[0].tables[0].rows == (("x",), ("wide",))


def test_metadata_tells_named_ranges_and_where_tables_start(report: Conversion) -> None:
    """A trimmed table can still be found in its sheet."""
    assert report.metadata.fields["named_ranges"] == {"Sales": "First!$C$5:$C$6", "Hidden!Local": "Hidden!$A$1"}
    sheets = report.metadata.fields["sheets"]
    assert isinstance(sheets, list)
    first = {"first_row": 5, "first_column": 3}
    assert sheets[0] == {"name": "First", **first}
    assert sheets[1] == {"name": "Empty", "first_row": None, "first_column": None}


def test_hidden_sheets_are_said_and_charts_and_comments_kept(report: Conversion) -> None:
    """CNV-7: a chart sheet gives its chart, a comment stands below the cells."""
    assert [(warning.code, warning.page) for warning in report.warnings] == [("hidden_sheet", 3)]
    assert report.pages[0].markdown.endswith("**Comments:**\n\n- C5: a remark\n")
    assert report.pages[3].markdown == (
        "## Chart\n\n**Chart**\n\n| Category | Series 1 |\n| --- | --- |\n| 1 | 0 |\n| 2 | 0 |\n"
    )


def test_text_under_a_merged_range_is_hidden_text(tmp_path: Path, convert_file, sheet_parts) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A value that stayed in a covered cell cannot be seen in the sheet."""
    parts = sheet_parts('<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row>')
    sheet = parts["xl/worksheets/sheet1.xml"]
    parts["xl/worksheets/sheet1.xml"] = sheet.replace(
        "</sheetData>", '</sheetData><mergeCells><mergeCell ref="A1:B1"/></mergeCells>'
    )
    path = tmp_path / "covered.xlsx"
    path.write_bytes(zipped(parts))
    page = convert_file(path).pages[0]
    assert page.tables[0].rows == (("1",),)
    assert [(hidden.text, hidden.why) for hidden in page.hidden_text] == [("2", "covered")]


def test_cells_without_references_follow_each_other(tmp_path: Path, convert_file, sheet_parts) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """Positions that are not written follow from the ones before, for errors too."""
    parts = sheet_parts('<row><c><v>1</v></c><c t="e"><v>#REF!</v></c></row><row><c><v>3</v></c></row>')
    path = tmp_path / "bare.xlsx"
    path.write_bytes(zipped(parts))
    assert convert_file(path).pages[0].tables[0].rows == (("1", "#REF!"), ("3", ""))


def test_the_same_bytes_give_the_same_conversion(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """The manifest says deterministic."""
    path = tmp_path / "same.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        book.add_worksheet().write(0, 0, 1.25)
    assert convert_file(path) == convert_file(path)


def _wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def _record(kind: int, body: bytes = b"") -> bytes:
    number = bytes([kind]) if kind < 0x80 else bytes([kind & 0x7F | 0x80, kind >> 7])
    return number + bytes([len(body)]) + body


def xlsb_parts(*cells: bytes) -> dict[str, str | bytes]:
    """A binary workbook with one sheet of hand-written cell records."""
    sheet = (
        _record(129)
        + _record(148, struct.pack("<IIII", 0, 1, 0, 1))
        + _record(145)
        + b"".join(cells)
        + _record(146)
        + _record(130)
    )
    book = _record(131) + _record(143) + _record(156, struct.pack("<II", 0, 1) + _wide("rId1") + _wide("Bin"))
    return {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "xl/workbook.bin": book + _record(144) + _record(132),
        "xl/_rels/workbook.bin.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"'
        ' Target="worksheets/sheet1.bin"/></Relationships>',
        "xl/worksheets/sheet1.bin": sheet,
    }


def _row(number: int) -> bytes:
    return _record(0, struct.pack("<I", number) + bytes(13))


def _number(column: int, value: float) -> bytes:
    return _record(5, struct.pack("<IId", column, 0, value))


def test_a_binary_workbook_keeps_numbers_and_errors(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """Xlsb cells are read, error codes become the text of a sheet."""
    path = tmp_path / "book.xlsb"
    error = _record(3, struct.pack("<IIB", 1, 0, 0x07))
    path.write_bytes(zipped(xlsb_parts(_row(0), _number(0, 1.5), error, _row(1), _number(0, 2.0))))
    page = convert_file(path).pages[0]
    assert page.label == "Bin"
    assert page.tables[0].rows == (("1.5", "#DIV/0!"), ("2", ""))


def test_a_chart_sheet_of_a_binary_workbook_takes_no_other_sheet_with_it(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """The engine reads no chart sheet of xlsb files: its page is empty and named, the worksheets are whole."""
    parts = xlsb_parts(_row(0), _number(0, 1.5))
    entry = _record(156, struct.pack("<II", 0, 2) + _wide("rId2") + _wide("Chart"))
    relation = (
        '<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/chartsheet"'
        ' Target="chartsheets/sheet1.bin"/></Relationships>'
    )
    parts["xl/workbook.bin"] = parts["xl/workbook.bin"].replace(_record(144), entry + _record(144))
    parts["xl/_rels/workbook.bin.rels"] = parts["xl/_rels/workbook.bin.rels"].replace("</Relationships>", relation)
    parts["xl/chartsheets/sheet1.bin"] = _record(129) + _record(130)
    path = tmp_path / "charts.xlsb"
    path.write_bytes(zipped(parts))

    conversion = convert_file(path)

    assert [(page.label, bool(page.tables)) for page in conversion.pages] == [("Bin", True), ("Chart", False)]
    assert [(warning.code, warning.page) for warning in conversion.warnings] == [("partial_conversion", 2)]


def test_a_binary_workbook_with_a_far_cell_is_too_large(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """The outermost cells are found before the engine lays the sheet out."""
    from octavo_contracts import ContentTooLarge

    path = tmp_path / "far.xlsb"
    path.write_bytes(zipped(xlsb_parts(_row(0), _number(0, 1.0), _row(1048575), _number(16383, 2.0))))
    with pytest.raises(ContentTooLarge, match="'Bin' span 17179869184 cells"):
        convert_file(path)


def test_a_cut_binary_workbook_is_corrupt(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A record that runs past the part's end is named."""
    from octavo_contracts import SourceCorrupt

    parts = xlsb_parts(_row(0))
    parts["xl/worksheets/sheet1.bin"] = parts["xl/worksheets/sheet1.bin"][:-9]
    path = tmp_path / "cut.xlsb"
    path.write_bytes(zipped(parts))
    with pytest.raises(SourceCorrupt, match="ends inside a record"):
        convert_file(path)


ODS_HEAD = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
    ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet>'
)
ODS_TAIL = "</office:spreadsheet></office:body></office:document-content>"
ODS_CELL = '<table:table-cell office:value-type="float" office:value="5"{}><text:p>5</text:p></table:table-cell>'


def ods_parts(rows: str, names: str = "") -> dict[str, str | bytes]:
    """An OpenDocument spreadsheet with one table of hand-written rows."""
    return {
        "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
        "META-INF/manifest.xml": '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        "content.xml": f'{ODS_HEAD}<table:table table:name="Tab">{rows}</table:table>{names}{ODS_TAIL}',
    }


def test_an_opendocument_sheet_keeps_names_and_drops_empty_repeats(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A million repeated empty rows cost nothing; a named range is kept."""
    empty = '<table:table-cell table:number-columns-repeated="16383"/>'
    rows = (
        f"<table:table-row>{ODS_CELL.format('')}{empty}</table:table-row>"
        f'<table:table-row table:number-rows-repeated="1048575">{empty}</table:table-row>'
    )
    names = '<table:named-expressions><table:named-range table:name="N" table:cell-range-address="$Tab.$A$1"/></table:named-expressions>'
    path = tmp_path / "book.ods"
    path.write_bytes(zipped(ods_parts(rows, names)))
    conversion = convert_file(path)
    assert conversion.pages[0].tables[0].rows == (("5",),)
    assert conversion.metadata.fields["named_ranges"] == {"N": "$Tab.$A$1"}


def test_opendocument_formulas_without_a_value_are_told(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A cell that shows nothing, a formula with a value, and two formulas that no program has computed."""
    formula = '<table:table-cell table:formula="of:=[.A1]+1" table:number-columns-repeated="2"/>'
    computed = ODS_CELL.format(' table:formula="of:=2+3"')
    path = tmp_path / "book.ods"
    path.write_bytes(
        zipped(
            ods_parts(f"<table:table-row>{ODS_CELL.format('')}<table:table-cell/>{computed}{formula}</table:table-row>")
        )
    )
    (warning,) = convert_file(path).warnings
    assert (warning.code, warning.page) == ("partial_conversion", 1)
    assert warning.message.startswith("2 formulas of the sheet 'Tab' have no stored value")


def test_an_opendocument_cell_repeated_over_a_sheet_is_too_large(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """One element may stand for millions of cells."""
    from octavo_contracts import ContentTooLarge

    cell = ODS_CELL.format(' table:number-columns-repeated="16384"')
    path = tmp_path / "wide.ods"
    path.write_bytes(zipped(ods_parts(f'<table:table-row table:number-rows-repeated="2000">{cell}</table:table-row>')))
    with pytest.raises(ContentTooLarge, match="'Tab' span 32768000 cells"):
        convert_file(path)


def test_links_and_percentages_of_cells_stand_in_the_table(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixtures
    path = tmp_path / "links.xlsx"
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("Links")
    share, quoted = book.add_format({"num_format": "0.0%"}), book.add_format({"num_format": '0.00"%"'})
    sheet.write_row(1, 1, ["Name", "Value"])
    sheet.write_url("B3", "https://example.org/a_(1)|b", string="the | page")
    sheet.write_url("B4", "https://example.org/plain")
    sheet.write_url("B5", "internal:Links!A1", string="inside")
    sheet.write_number("C3", 0.02512, share)
    sheet.write_number("C4", 0.5, quoted)
    sheet.write_number("C5", 1, share)
    book.close()

    (page,) = convert_file(path).pages

    assert page.markdown.splitlines()[2:] == [
        "| Name | Value |",
        "| --- | --- |",
        "| [the \\| page](https://example.org/a_%281%29%7Cb) | 2.512% |",
        "| https://example.org/plain | 0.5 |",
        "| inside | 100% |",
    ]
    assert page.tables[0].rows[1] == ("the | page", "2.512%")


def test_a_workbook_without_cells_has_no_text(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixtures
    path = tmp_path / "none.xlsx"
    book = xlsxwriter.Workbook(str(path))
    book.add_worksheet("None")
    book.close()
    assert [page.markdown for page in convert_file(path).pages] == [""]
