"""Zip containers: what is refused, and what is only noted (security.md, preflight)."""

from __future__ import annotations

import contextlib
import io
import stat
import struct
import warnings
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from octavo_contracts import ContentTooLarge, DocumentError, SourceCorrupt, SourceEncrypted
from octavo_sandbox.preflight import SPARSE_SHEET, PreflightLimits

SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
BOMB = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaa">]><x>&a;</x>'


def xlsx(zipped, sheet: bytes, **parts: bytes) -> bytes:
    types = f'<Types><Override PartName="/xl/workbook.xml" ContentType="{SHEET}"/></Types>'.encode()
    return zipped({"[Content_Types].xml": types, "xl/worksheets/sheet1.xml": sheet, **parts})


def test_an_ordinary_document_passes_without_a_word(check, docx):
    assert check(docx(), "a.docx").findings == ()


def test_a_cut_off_zip_is_corrupt_and_says_so(check, docx):
    with pytest.raises(SourceCorrupt, match="truncated") as caught:
        check(docx()[:-40], "a.docx")
    assert caught.value.remedy


def test_a_directory_that_lies_about_its_place_is_corrupt(check, docx):
    data = bytearray(docx())
    at = data.rfind(b"PK\x05\x06")
    data[at + 12 : at + 16] = struct.pack("<I", 10**8)
    with pytest.raises(SourceCorrupt, match="cannot be read"):
        check(bytes(data), "a.docx")


def test_a_directory_that_puts_its_entries_before_the_file_is_corrupt(check, docx):
    """`zipfile` of older Pythons computes a negative place from it."""
    data = bytearray(docx())
    at = data.rfind(b"PK\x05\x06")
    data[at + 16 : at + 20] = struct.pack("<I", 0xE6E6E6E6)
    with pytest.raises(SourceCorrupt):
        check(bytes(data), "a.docx")


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/x", "\\\\host\\x", "C:\\x", "word\\..\\x"])
def test_names_that_leave_the_folder_are_refused(check, docx, name):
    with pytest.raises(SourceCorrupt, match="escapes its folder"):
        check(docx({name: b"x"}), "a.docx")


def test_a_name_in_a_message_moves_no_cursor(check, docx):
    with pytest.raises(SourceCorrupt) as caught:
        check(docx({"../\x1b[2J": b"x"}), "a.docx")
    assert "\x1b" not in str(caught.value)


def test_two_entries_of_one_name_are_refused(check):
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("a", b"one")
        archive.writestr("a", b"two")
    with pytest.raises(SourceCorrupt, match="two entries with the same name"):
        check(buffer.getvalue(), "a.zip")


def test_a_symbolic_link_is_refused(check):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(SourceCorrupt, match="symbolic link"):
        check(buffer.getvalue(), "a.zip")


def test_a_zero_byte_in_a_name_is_refused(check, zipped):
    data = zipped({"aXb.txt": b"x"}).replace(b"aXb.txt", b"a\x00b.txt")
    with pytest.raises(SourceCorrupt, match="zero byte"):
        check(data, "a.zip")


def test_overlapping_entries_are_refused(check, zipped):
    """Two directory entries on one local header: the trick of the flat zip bomb."""
    data = bytearray(zipped({"a": b"x" * 100, "b": b"x" * 100}))
    second = data.rfind(b"PK\x01\x02")
    data[second + 42 : second + 46] = struct.pack("<I", 0)
    with pytest.raises(SourceCorrupt, match="overlapping"):
        check(bytes(data), "a.zip")


def test_an_entry_without_local_header_is_refused(check, zipped):
    data = bytearray(zipped({"a": b"x" * 100}))
    data[0:4] = b"PK\x03\x05"
    data[:0] = b"PK\x03\x04"
    with pytest.raises(SourceCorrupt):
        check(bytes(data), "a.zip")


def test_two_sizes_for_one_entry_are_refused(check, zipped):
    data = bytearray(zipped({"a": b"x" * 100}))
    data[22:26] = struct.pack("<I", 7)
    with pytest.raises(SourceCorrupt, match="two sizes"):
        check(bytes(data), "a.zip")


def test_an_entry_that_runs_into_the_directory_is_refused(check, zipped):
    data = bytearray(zipped({"a": b"x" * 100}))
    entry = data.rfind(b"PK\x01\x02")
    for at in (18, entry + 20):
        data[at : at + 4] = struct.pack("<I", 5000)
    with pytest.raises(SourceCorrupt, match="overlaps the directory"):
        check(bytes(data), "a.zip")


def lying(data: bytes, *, says: int) -> bytes:
    """Both directories say a false unpacked size."""
    changed = bytearray(data)
    entry = changed.rfind(b"PK\x01\x02")
    for at in (22, entry + 24):
        changed[at : at + 4] = struct.pack("<I", says)
    return bytes(changed)


def test_an_entry_that_holds_more_than_it_says_is_too_large(check, zipped):
    with pytest.raises(ContentTooLarge, match="which is larger"):
        check(lying(zipped({"a": b"x" * 100_000}), says=90), "a.zip")


def test_an_entry_that_holds_less_than_it_says_is_corrupt(check, zipped):
    with pytest.raises(SourceCorrupt, match="ends within"):
        check(lying(zipped({"a": b"x" * 100}), says=101), "a.zip")


def test_a_stored_entry_with_a_false_size_is_corrupt(check):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a", b"x" * 100)
    with pytest.raises(SourceCorrupt, match="false size"):
        check(lying(buffer.getvalue(), says=99), "a.zip")


def test_damaged_deflate_data_is_corrupt(check, zipped):
    data = bytearray(zipped({"a": b"some words that deflate"}))
    data[31] = 0xFF
    with pytest.raises(SourceCorrupt, match="cannot be unpacked"):
        check(bytes(data), "a.zip")


def test_expansion_is_limited_past_a_floor(check, zipped):
    with pytest.raises(ContentTooLarge, match="at most 100 times"):
        check(zipped({"a": bytes(2 << 20)}), "a.zip")
    assert check(zipped({"a": bytes(1 << 19)}), "a.zip").findings == ()


def test_the_whole_container_is_limited(check, zipped):
    limits = PreflightLimits(max_unpacked_bytes=150)
    with pytest.raises(ContentTooLarge, match="unpacks to more than"):
        check(zipped({"a": b"x" * 100, "b": b"x" * 100}), "a.zip", limits=limits)


def test_entries_are_counted_before_they_are_read(check, zipped):
    data = zipped({str(number): b"" for number in range(11)})
    with pytest.raises(ContentTooLarge, match="entries"):
        check(data, "a.zip", limits=PreflightLimits(max_entries=10))
    assert check(data, "a.zip", limits=PreflightLimits(max_entries=11)).findings == ()


def test_archives_nest_three_deep_and_no_deeper(check, zipped):
    inner = zipped({"c.zip": zipped({"d.txt": b"x"})})
    three = zipped({"b.zip": inner})
    assert check(three, "a.zip").findings == ()
    with pytest.raises(ContentTooLarge, match="nested more than 3 levels deep"):
        check(zipped({"a.zip": three}), "a.zip")


def test_nested_archives_share_the_budget(check, zipped):
    inner = zipped({str(number): b"x" for number in range(6)})
    with pytest.raises(ContentTooLarge, match="entries"):
        check(zipped({"a.zip": inner, "b.zip": inner}), "a.zip", limits=PreflightLimits(max_entries=10))


def test_a_nested_archive_has_a_size_limit_of_its_own(check, zipped):
    with pytest.raises(ContentTooLarge, match=r"archive 'b\.zip'"):
        check(zipped({"b.zip": zipped({"c": b"x"})}), "a.zip", limits=PreflightLimits(max_nested_bytes=10))


def test_an_encrypted_zip_needs_a_password(check, zipped):
    data = bytearray(zipped({"a": b"x" * 100}))
    entry = data.rfind(b"PK\x01\x02")
    data[6] |= 1
    data[entry + 8] |= 1
    with pytest.raises(SourceEncrypted):
        check(bytes(data), "a.zip")
    assert [finding.flag for finding in check(bytes(data), "a.zip", password="pw").findings] == ["encrypted"]


def test_entities_in_a_part_are_refused(check, docx):
    with pytest.raises(SourceCorrupt, match=r"'word/document\.xml' declares XML entities"):
        check(docx({"word/document.xml": BOMB}), "a.docx")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-7"])
def test_entities_do_not_hide_in_an_encoding(check, docx, encoding):
    text = BOMB.decode().replace("1.0'", "1.0'").replace("?>", f' encoding="{encoding}"?>', 1)
    data = text.encode(encoding) if encoding != "utf-7" else text.replace("<!ENTITY", "+ADw-!ENTITY").encode()
    with pytest.raises(SourceCorrupt, match="declares XML entities"):
        check(docx({"word/document.xml": data}), "a.docx")


def test_a_doctype_is_forbidden_in_office_files_and_allowed_in_books(check, docx, zipped):
    with pytest.raises(SourceCorrupt, match="document type declaration"):
        check(docx({"word/document.xml": b"<!DOCTYPE x><x/>"}), "a.docx")
    page = b'<?xml version="1.0"?><!-- c --><!DOCTYPE html PUBLIC "a" "b"><html/>'
    assert check(zipped({"mimetype": b"application/epub+zip", "a.xhtml": page}), "a.epub").findings == ()


def test_a_prolog_without_end_counts_as_hostile(check, docx):
    with pytest.raises(SourceCorrupt, match="entities"):
        check(docx({"word/document.xml": b"<!--" + b" x" * 40_000}), "a.docx")
    with pytest.raises(SourceCorrupt, match="entities"):
        check(docx({"word/document.xml": b"<!DOCTYPE x [ <!ELEMENT x ANY>"}), "a.docx")


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"word/vbaProject.bin": b"x"}, "macros"),
        ({"word/activeX/activeX1.xml": b"<x/>"}, "ActiveX"),
        (
            {
                "word/_rels/settings.xml.rels": b'<Relationships><Relationship Id="a" Type="http://x/attachedTemplate" '
                b'Target="http://a.invalid/t.dotm" TargetMode="External"/></Relationships>'
            },
            "an external template that a program would fetch",
        ),
    ],
)
def test_what_would_run_or_fetch_is_a_finding(check, docx, parts, words):
    (finding,) = check(docx(parts), "a.docx").findings
    assert finding.flag == "active_content"
    assert words in finding.message
    assert finding.remedy


def test_a_hyperlink_is_no_active_content(check, docx):
    link = b'<Relationships><Relationship Type="http://x/hyperlink" Target="http://a.invalid" TargetMode="External"/></Relationships>'
    assert check(docx({"word/_rels/document.xml.rels": link}), "a.docx").findings == ()


@pytest.mark.parametrize(
    "sheet",
    [
        b'<worksheet><dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1"/></row></sheetData></worksheet>',
        b'<worksheet><sheetData><row r="1"><c r="A1"/></row><row r="1048576"><c r="XFD1048576"/></row></sheetData></worksheet>',
    ],
)
def test_a_sheet_that_spans_far_more_than_it_stores_is_noted(check, zipped, sheet):
    (finding,) = check(xlsx(zipped, sheet), "a.xlsx").findings
    assert finding.flag == SPARSE_SHEET
    assert "1,048,576 rows by 16,384 columns" in finding.message


def test_a_full_sheet_is_not_noted(check, zipped):
    cells = b"".join(b'<row r="%d"><c r="A%d"/></row>' % (row, row) for row in range(1, 3000))
    assert check(xlsx(zipped, b"<worksheet>" + cells + b"</worksheet>"), "a.xlsx").findings == ()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 100_000), value=st.integers(0, 255), cut=st.integers(0, 40))
def test_a_damaged_container_passes_or_is_refused_by_a_typed_error(check, docx, at, value, cut):
    """One byte changed, some cut off: never another exception."""
    data = bytearray(docx({"b.zip": docx()}))
    data[at % len(data)] = value
    with contextlib.suppress(DocumentError):
        check(bytes(data[: len(data) - cut]), "a.docx")


def test_a_part_packed_in_an_unusual_way_is_refused(check):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("[Content_Types].xml", b"<Types/>")
        archive.writestr("word/document.xml", b"<w/>")
    with pytest.raises(SourceCorrupt, match="compression method"):
        check(buffer.getvalue(), "a.docx")


def test_stored_entries_and_folders_of_an_archive_pass(check):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.mkdir("folder")
        archive.writestr("folder/a", b"x" * 200_000)
    assert check(buffer.getvalue(), "a.zip").findings == ()
