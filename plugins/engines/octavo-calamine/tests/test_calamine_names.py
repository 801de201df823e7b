"""Defined names of binary workbooks: xls by LibreOffice, xlsb and damaged ones record by record (CNV-7)."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from octavo_conformance.office_writer import zipped
from octavo_contracts import Conversion, SourceCorrupt
from openpyxl.workbook.defined_name import DefinedName

SOFFICE = shutil.which("soffice")
Convert = Callable[..., Conversion]

NAMES = {
    "Total": "Sales!$A$1:$B$3",
    "One": "'Autumn 2025'!$C$2",
    "Quoted": "'O''Brien'!$A$1:$C$5",
    "Quarter": "'Q1'!$A$1",
    "Relative": "Sales!A1",
    "Rate": "0.19",
    "Both": "Sales!$A$1:$A$2,Sales!$C$1:$C$2",
    "Column": "Sales!$B:$B",
    "Line": "Sales!$4:$5",
    "Größe": "Sales!$A$2",
}


@pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed")
def test_named_ranges_of_an_old_workbook_read_as_those_of_the_new_one(tmp_path: Path, convert_file: Convert) -> None:
    """CNV-7: LibreOffice saves an xlsx as xls; both give the same names, and the one of a formula is said to be missing."""
    book = openpyxl.Workbook()
    book.active.title = "Sales"
    for name in ("Autumn 2025", "O'Brien", "Q1"):
        book.create_sheet(name)["A1"] = 1
    for row in range(1, 6):
        book["Sales"].append([row, row * 2, row * 3])
    for name, text in NAMES.items():
        book.defined_names[name] = DefinedName(name, attr_text=text)
    book["Autumn 2025"].defined_names["Local"] = DefinedName("Local", attr_text="'Autumn 2025'!$B$2:$B$3")
    book["Sales"].print_area = "A1:C5"
    book.save(tmp_path / "book.xlsx")
    expected = {**NAMES, "Autumn 2025!Local": "'Autumn 2025'!$B$2:$B$3"}
    assert convert_file(tmp_path / "book.xlsx").metadata.fields["named_ranges"] == expected

    book.defined_names["Sum"] = DefinedName("Sum", attr_text="SUM(Sales!$A$1:$A$3)")
    book.save(tmp_path / "book.xlsx")
    command = [str(SOFFICE), f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", "xls"]
    command += ["--outdir", str(tmp_path), str(tmp_path / "book.xlsx")]
    subprocess.run(command, check=True, capture_output=True, timeout=120, env={**os.environ, "LC_ALL": "C.UTF-8"})
    conversion = convert_file(tmp_path / "book.xls")

    assert conversion.metadata.fields["named_ranges"] == expected
    assert [(one.code, one.message) for one in conversion.warnings] == [
        ("unread_names", "What these names of the workbook stand for is not read in this format: Sum.")
    ]


def _wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def _record(kind: int, body: bytes = b"") -> bytes:
    number = bytes([kind]) if kind < 0x80 else bytes([kind & 0x7F | 0x80, kind >> 7])
    return number + bytes([len(body) & 0x7F | 0x80, len(body) >> 7]) + body


def _name(name: str, tokens: bytes, *, flags: int = 0, sheet: int = 0xFFFFFFFF) -> bytes:
    formula = struct.pack("<I", len(tokens)) + tokens + bytes(4)
    return _record(39, struct.pack("<IBI", flags, 0, sheet) + _wide(name) + formula + b"\xff" * 4)


def _workbook(path: Path, *names: bytes, places: tuple[tuple[int, int, int], ...]) -> Path:
    """An xlsb workbook of the sheets `Sales` and `Autumn 2025`, with names and the places that they refer to."""
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"
    sheets = b"".join(
        _record(156, struct.pack("<II", 0, number) + _wide(f"rId{number}") + _wide(name))
        for number, name in enumerate(("Sales", "Autumn 2025"), start=1)
    )
    externals = _record(353) + _record(357) + _record(355, _wide("rId9"))
    externals += _record(362, struct.pack("<I", len(places)) + b"".join(struct.pack("<Iii", *one) for one in places))
    cell = _record(0, struct.pack("<I", 0) + bytes(13)) + _record(5, struct.pack("<IId", 0, 0, 1.5))
    sheet = _record(129) + _record(148, bytes(16)) + _record(145) + cell + _record(146) + _record(130)
    book = (
        _record(131) + _record(143) + sheets + _record(144) + externals + _record(354) + b"".join(names) + _record(132)
    )
    relations = "".join(
        f'<Relationship Id="rId{number}" Type="{relation}" Target="worksheets/sheet{number}.bin"/>' for number in (1, 2)
    )
    package = "http://schemas.openxmlformats.org/package/2006"
    path.write_bytes(
        zipped(
            {
                "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
                "xl/workbook.bin": book,
                "xl/_rels/workbook.bin.rels": f'<Relationships xmlns="{package}/relationships">{relations}</Relationships>',
                "xl/worksheets/sheet1.bin": sheet,
                "xl/worksheets/sheet2.bin": sheet,
            }
        )
    )
    return path


def _area(index: int, top: int, bottom: int, left: int, right: int) -> bytes:
    return struct.pack("<BHIIHH", 0x3B, index, top, bottom, left, right)


def _cell(index: int, row: int, column: int) -> bytes:
    return struct.pack("<BHIH", 0x3A, index, row, column)


OWN = ((0, 0, 0), (0, 1, 1), (0, 0, 1), (1, 0, 0), (0, -1, -1))
"""Places: the first sheet, the second, both, a sheet of another workbook, a deleted one."""


def test_named_ranges_of_a_binary_workbook_are_read(tmp_path: Path, convert_file: Convert) -> None:
    """CNV-7: cells, areas, whole rows and columns, several areas, constants; scope, hidden and built-in names as in xlsx."""
    names = [
        _name("Total", _area(0, 0, 2, 0, 1)),
        _name("One", _cell(1, 1, 2)),
        _name("Class", b"\x5a" + _cell(0, 1, 2)[1:]),
        _name("Relative", _cell(0, 0, 0xC000)),
        _name("Far", _area(0, 0, 1048574, 26, 16383)),
        _name("Column", _area(0, 0, 1048575, 1, 1)),
        _name("Line", _area(0, 3, 4, 0, 16383)),
        _name("Both", b"\x29" + struct.pack("<H", 31) + _area(0, 0, 1, 0, 0) + _area(1, 0, 1, 2, 2) + b"\x10\x15"),
        _name("Span", _cell(2, 0, 0)),
        _name("Lost", _cell(4, 0, 0)),
        _name("Rate", b"\x1f" + struct.pack("<d", 0.19)),
        _name("Count", b"\x1e" + struct.pack("<H", 12)),
        _name("On", b"\x1d\x01"),
        _name("Unit", b"\x17" + struct.pack("<H", 3) + '"kg'.encode("utf-16-le")),
        _name("Local", _cell(1, 0, 0), sheet=1),
        _name("Hidden", _cell(0, 0, 0), flags=1),
        _name("_xlnm.Print_Area", _cell(0, 0, 0), flags=0x20, sheet=0),
    ]
    conversion = convert_file(_workbook(tmp_path / "book.xlsb", *names, places=OWN))
    assert conversion.metadata.fields["named_ranges"] == {
        "Total": "Sales!$A$1:$B$3",
        "One": "'Autumn 2025'!$C$2",
        "Class": "Sales!$C$2",
        "Relative": "Sales!A1",
        "Far": "Sales!$AA$1:$XFD$1048575",
        "Column": "Sales!$B:$B",
        "Line": "Sales!$4:$5",
        "Both": "Sales!$A$1:$A$2,'Autumn 2025'!$C$1:$C$2",
        "Span": "'Sales:Autumn 2025'!$A$1",
        "Lost": "#REF!",
        "Rate": "0.19",
        "Count": "12",
        "On": "TRUE",
        "Unit": '"""kg"',
        "Autumn 2025!Local": "'Autumn 2025'!$A$1",
    }
    assert conversion.warnings == ()


@pytest.mark.parametrize(
    "tokens",
    [
        pytest.param(_area(0, 0, 2, 0, 0) + b"\x19\x10\x00\x00", id="a sum"),
        pytest.param(_cell(0, 0, 0) + _cell(0, 1, 0) + b"\x03", id="an addition"),
        pytest.param(_cell(3, 0, 0), id="another workbook"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_a_name_of_another_formula_is_listed_and_has_no_range(
    tmp_path: Path, convert_file: Convert, tokens: bytes
) -> None:
    """CNV-7: an expression is never shown as something else; its name stands in a warning."""
    names = (_name("Kept", _cell(0, 0, 0)), _name("Other", tokens))
    conversion = convert_file(_workbook(tmp_path / "book.xlsb", *names, places=OWN))
    assert conversion.metadata.fields["named_ranges"] == {"Kept": "Sales!$A$1"}
    assert [(one.code, one.message.rpartition(": ")[2]) for one in conversion.warnings] == [("unread_names", "Other.")]


@pytest.mark.parametrize(
    "tokens",
    [
        pytest.param(_cell(99, 0, 0), id="no such place"),
        pytest.param(_area(0, 0, 2, 0, 0)[:-1], id="cut"),
        pytest.param(b"\x10", id="a union of nothing"),
    ],
)
def test_a_damaged_name_makes_the_workbook_corrupt(tmp_path: Path, convert_file: Convert, tokens: bytes) -> None:
    """The engine refuses the workbook with a typed error; the reader of names before it does not fail."""
    with pytest.raises(SourceCorrupt, match="plugin calamine"):
        convert_file(_workbook(tmp_path / "book.xlsb", _name("Other", tokens), places=OWN))
