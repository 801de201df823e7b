"""What the plugin refuses, and how it says so."""

from __future__ import annotations

import struct
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
import xlsxwriter
import xlwt
from octavo_calamine import extent
from octavo_calamine.convert import MEDIA_TYPES
from octavo_conformance.office_writer import zipped
from octavo_contracts import (
    MANIFEST_NAME,
    ContentTooLarge,
    PluginManifest,
    SourceCorrupt,
    SourceEmpty,
    SourceEncrypted,
    ToolUnavailable,
    UnsupportedFormat,
    UsageError,
)
from octavo_contracts.authoring import containers

pytestmark = pytest.mark.usefixtures("convert_file")


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A small whole workbook of two sheets."""
    path = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(str(path)) as workbook:
        workbook.add_worksheet("A").write(0, 0, 1)
        workbook.add_worksheet("B")
    return path


@pytest.fixture
def write(tmp_path: Path):  # type: ignore[no-untyped-def]  # a writer of files
    """Write bytes under a name."""

    def run(name: str, data: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return run


def _old_book(tmp_path: Path) -> bytes:
    workbook = xlwt.Workbook()
    workbook.add_sheet("S").write(0, 0, "a")
    path = tmp_path / "old.xls"
    workbook.save(str(path))
    return path.read_bytes()


def test_manifest_and_code_name_the_same_types() -> None:
    """What the manifest declares is what the code takes."""
    manifest = PluginManifest.from_toml((files("octavo_calamine") / MANIFEST_NAME).read_text(encoding="utf-8"))
    assert set(manifest.media_types) == MEDIA_TYPES
    assert manifest.name == "calamine"


def test_importing_the_plugin_leaves_the_engine_alone() -> None:
    """The engine is imported when a workbook is read, not before."""
    script = "import sys, octavo_calamine, octavo_calamine.plugin; print('python_calamine' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_another_type_is_refused(book: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """A type outside the manifest is not tried."""
    with pytest.raises(UnsupportedFormat, match="application/pdf"):
        convert_file(book, media_type="application/pdf")


def test_single_pages_are_refused(book: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """The plugin does not declare `page_ranges`."""
    with pytest.raises(UsageError, match="page_ranges"):
        convert_file(book, pages=(1,))


def test_more_sheets_than_asked_for_are_refused(book: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """`max_pages` limits the sheets."""
    with pytest.raises(ContentTooLarge, match="2 sheets, more than 1"):
        convert_file(book, max_pages=1)


def test_an_empty_file_is_refused(write, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """No bytes is not a corrupt workbook."""
    with pytest.raises(SourceEmpty):
        convert_file(write("empty.xlsx", b""))


@pytest.mark.parametrize("data", [b"no workbook", b"PK\x03\x04 cut", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 cut"])
def test_other_bytes_are_corrupt(data: bytes, write, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """Neither container can be opened."""
    with pytest.raises(SourceCorrupt):
        convert_file(write("bad.xlsx", data))


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_cut_workbook_is_corrupt(share: float, book: Path, write, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A download that stopped is named as such."""
    whole = book.read_bytes()
    with pytest.raises(SourceCorrupt):
        convert_file(write("cut.xlsx", whole[: int(len(whole) * share)]))


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_a_cut_old_workbook_is_corrupt(share: float, tmp_path: Path, write, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """The same for the compound file."""
    whole = _old_book(tmp_path)
    with pytest.raises(SourceCorrupt):
        convert_file(write("cut.xls", whole[: int(len(whole) * share)]))


def test_a_far_cell_is_too_large_not_an_abort(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Two cells at opposite corners would make the engine ask for half a terabyte."""
    path = tmp_path / "far.xlsx"
    with xlsxwriter.Workbook(str(path)) as workbook:
        sheet = workbook.add_worksheet("Far")
        sheet.write(0, 0, 1)
        sheet.write(1048575, 16383, 2)
    with pytest.raises(ContentTooLarge, match="'Far' span 17179869184 cells"):
        convert_file(path)


def test_styled_cells_without_values_do_not_count(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """A format reaching to the last row is no reason to refuse."""
    path = tmp_path / "styled.xlsx"
    with xlsxwriter.Workbook(str(path)) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write(0, 0, 1)
        sheet.write_blank(1048575, 16383, None, workbook.add_format({"bold": True}))
    assert convert_file(path).pages[0].tables[0].rows == (("1",),)


def test_sheets_are_counted_together(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Many sheets below the limit of one still pass that of the workbook."""
    monkeypatch.setattr(extent, "MAX_WORKBOOK_CELLS", 3)
    path = tmp_path / "two.xlsx"
    with xlsxwriter.Workbook(str(path)) as workbook:
        workbook.add_worksheet().write_row(0, 0, [1, 2])
        workbook.add_worksheet().write_row(0, 0, [1, 2])
    with pytest.raises(ContentTooLarge, match="4 cells together"):
        convert_file(path)


def test_lying_dimensions_of_an_old_workbook_are_too_large(tmp_path: Path, write, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """The engine reserves memory for the declared dimensions and would abort."""
    data = bytearray(_old_book(tmp_path))
    place = data.find(b"\x00\x02\x0e\x00")
    assert place > 0
    data[place + 4 : place + 16] = struct.pack("<IIHH", 0, 0xFFFFFFFF, 0, 0xFFFF)
    with pytest.raises(ContentTooLarge, match="'S' span"):
        convert_file(write("lying.xls", bytes(data)))


def test_a_sheet_that_starts_after_the_end_is_corrupt(tmp_path: Path, write, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A sheet's offset outside the stream is no sheet."""
    data = bytearray(_old_book(tmp_path))
    place = data.find(b"\x85\x00", 512)
    data[place + 4 : place + 8] = struct.pack("<I", 0x7FFFFFFF)
    with pytest.raises(SourceCorrupt, match="after the end"):
        convert_file(write("offset.xls", bytes(data)))


def test_an_encrypted_old_workbook_is_named(tmp_path: Path, write, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A FILEPASS record says that all that follows is encrypted; a password is not taken."""
    data = bytearray(_old_book(tmp_path))
    place = data.find(b"\xe1\x00\x02\x00", 512)
    assert place > 0
    data[place : place + 2] = b"\x2f\x00"
    with pytest.raises(SourceEncrypted, match="takes none"):
        convert_file(write("locked.xls", bytes(data)), password="secret")


def test_a_document_type_is_refused(write, convert_file, sheet_parts) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """Entities would be defined there; office formats have none."""
    parts = sheet_parts('<row r="1"><c r="A1"><v>1</v></c></row>')
    parts["xl/worksheets/sheet1.xml"] = '<!DOCTYPE x [<!ENTITY a "aaaa">]>' + str(parts["xl/worksheets/sheet1.xml"])
    with pytest.raises(SourceCorrupt, match="document type"):
        convert_file(write("entity.xlsx", zipped(parts)))


@pytest.mark.parametrize("reference", ["A", "1", "A0x", "Ä1", "ABCDEF1", "A1234567890"])
def test_a_cell_reference_that_is_none_is_corrupt(reference: str, write, convert_file, sheet_parts) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """What the extent cannot be told from is not handed to the engine."""
    parts = sheet_parts(f'<row r="1"><c r="{reference}"><v>1</v></c></row>')
    with pytest.raises(SourceCorrupt):
        convert_file(write("reference.xlsx", zipped(parts)))


def test_a_missing_part_is_corrupt(write, convert_file, sheet_parts) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A sheet that the workbook names must be there."""
    parts = sheet_parts("")
    del parts["xl/worksheets/sheet1.xml"]
    with pytest.raises(SourceCorrupt, match="does not hold"):
        convert_file(write("missing.xlsx", zipped(parts)))


def test_an_unknown_relationship_is_corrupt(write, convert_file, sheet_parts) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A sheet whose relationship is not there cannot be examined."""
    parts = sheet_parts("")
    parts["xl/workbook.xml"] = str(parts["xl/workbook.xml"]).replace("rId1", "rId9")
    with pytest.raises(SourceCorrupt, match="relationship"):
        convert_file(write("relation.xlsx", zipped(parts)))


def test_two_workbooks_in_one_container_are_corrupt(write, convert_file, sheet_parts) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """The engine might read the one that was not examined."""
    parts = {**sheet_parts(""), "content.xml": "<a/>"}
    with pytest.raises(SourceCorrupt, match="2 workbook parts"):
        convert_file(write("two.xlsx", zipped(parts)))


def test_a_climbing_name_is_corrupt(write, convert_file, sheet_parts) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """Names with '..' are not resolved, they are refused."""
    with pytest.raises(SourceCorrupt, match="unsafe"):
        convert_file(write("slip.xlsx", zipped({**sheet_parts(""), "../x": "y"})))


def test_a_bomb_is_too_large(write, convert_file, sheet_parts) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A member that unpacks to more than a hundred times its size is not unpacked."""
    with pytest.raises(ContentTooLarge, match="100 times"):
        convert_file(write("bomb.xlsx", zipped({**sheet_parts(""), "xl/big.xml": b" " * 5_000_000})))


def test_too_many_entries_are_too_large(monkeypatch: pytest.MonkeyPatch, book: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """The container's directory is limited before anything is read."""
    monkeypatch.setattr(containers, "MAX_ENTRIES", 2)
    with pytest.raises(ContentTooLarge, match="entries"):
        convert_file(book)


def test_too_many_unpacked_bytes_are_too_large(monkeypatch: pytest.MonkeyPatch, book: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """All members together are limited too."""
    monkeypatch.setattr(containers, "MAX_UNPACKED_BYTES", 100)
    with pytest.raises(ContentTooLarge, match="unpacks"):
        convert_file(book)


def test_macros_are_said(book: Path, write, convert_file, sheet_parts) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A VBA project is active content; it is not run."""
    path = write(
        "macro.xlsx", zipped({**sheet_parts('<row r="1"><c r="A1"><v>1</v></c></row>'), "xl/vbaProject.bin": b"x"})
    )
    assert [warning.code for warning in convert_file(path).warnings] == ["active_content"]


def test_a_missing_engine_names_its_command(book: Path, monkeypatch: pytest.MonkeyPatch, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """The message says how to install it."""
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(ToolUnavailable, match="pip install python-calamine"):
        convert_file(book)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (30, struct.pack("<H", 7), "sector sizes"),
        (48, struct.pack("<I", 0x00FFFFFF), "broken"),
        (76, struct.pack("<I", 0x00FFFFFF), "ends before sector"),
        (68, struct.pack("<I", 0), "circle"),
    ],
)
def test_a_contradictory_compound_file_is_corrupt(
    place: int, value: bytes, message: str, tmp_path: Path, write, convert_file
) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A header that points nowhere is named, not followed."""
    data = bytearray(_old_book(tmp_path))
    data[place : place + len(value)] = value
    if message == "circle":
        data[512 + 508 : 512 + 512] = struct.pack("<I", 0)
    with pytest.raises(SourceCorrupt, match=message):
        convert_file(write("header.xls", bytes(data)))


def test_a_small_stream_of_a_compound_file_is_read(tmp_path: Path) -> None:
    """Streams below 4096 bytes lie in small sectors inside the root's stream."""
    from octavo_calamine.compound_file import CompoundFile

    content = bytes(range(100))
    assert CompoundFile(_compound_file(content)).stream("missing", "TINY") == content


def test_a_compound_file_without_a_workbook_is_corrupt(write, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A Word or Outlook file is none, whatever its name says."""
    with pytest.raises(SourceCorrupt, match="holds no workbook"):
        convert_file(write("mail.xls", _compound_file(b"x" * 100)))


def _compound_file(content: bytes) -> bytes:
    """A compound file with one small stream `Tiny`: sectors are FAT, directory, small FAT, root stream."""
    free, end = 0xFFFFFFFF, 0xFFFFFFFE
    header = bytearray(b"\xff" * 512)
    header[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    struct.pack_into("<HHHHH", header, 24, 0x3E, 3, 0xFFFE, 9, 6)
    struct.pack_into("<IIIII", header, 48, 1, 0, 4096, 2, 1)
    struct.pack_into("<III", header, 68, end, 0, 0)
    fat = struct.pack("<128I", 0xFFFFFFFD, end, end, end, *[free] * 124)
    small_fat = struct.pack("<128I", 1, end, *[free] * 126)

    def entry(name: str, kind: int, start: int, size: int) -> bytes:
        wide = name.encode("utf-16-le") + b"\x00\x00"
        return (
            wide.ljust(64, b"\x00")
            + struct.pack("<HBB", len(wide), kind, 1)
            + bytes(48)
            + struct.pack("<IQ", start, size)
        )

    directory = entry("Root Entry", 5, 3, 512) + entry("Tiny", 2, 0, len(content)) + bytes(256)
    return bytes(header) + fat + directory + small_fat + content.ljust(512, b"\x00")
