"""The first remedy of a document that cannot be read is enough, and can work with what is installed."""

from __future__ import annotations

import pytest
from octavo_conformance.vectors.hostile import compound_file

PIXEL = bytes.fromhex("47494638396101000100800000000000ffffff2c00000000010001000002024401003b")
NO_PASSWORD = "Save a copy without encryption: no installed plugin takes a password for this format"


@pytest.fixture
def workbook(tmp_path):
    (tmp_path / "pay.xlsx").write_bytes(compound_file(("EncryptionInfo", "EncryptedPackage")))
    return "pay.xlsx"


def test_an_encrypted_document_that_no_plugin_takes_a_password_for_asks_for_none(octavo, workbook):
    ended = octavo("convert", workbook)
    assert (ended.code, "[source_encrypted]" in ended.stderr) == (3, True)
    assert NO_PASSWORD in ended.stderr
    assert "--password" not in ended.stderr


def test_a_library_gives_the_same_remedy_with_and_without_a_password(octavo, workbook):
    for options in ((), ("--password", "x")):
        ended = octavo("ingest", workbook, "--library", f"library{len(options)}", *options)
        assert ended.code == 3
        assert f"1 failed [source_encrypted]: {NO_PASSWORD}" in ended.out


def test_an_encrypted_document_whose_plugin_takes_a_password_asks_for_it(octavo, workbook, install):
    media_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    install("safe", keys='capabilities = ["passwords"]', media_types=(media_type,))
    assert "Give the password with --password" in octavo("convert", workbook).stderr


@pytest.mark.parametrize(
    ("name", "what"), [("report.pdf", "a PDF"), ("scan.png", "a PNG image"), ("a.docx", "a Word document")]
)
def test_bytes_that_are_no_document_of_the_named_kind_are_damaged(octavo, tmp_path, name, what):
    (tmp_path / name).write_bytes(bytes(range(256)) * 20)
    ended = octavo("convert", name)
    ending = name[name.index(".") :]
    message = f"octavo: {name}: the name ends in {ending}, but the content is not that of {what} [source_corrupt]"
    assert (ended.code, ended.stderr.splitlines()[0]) == (3, message)
    assert "save it again, or fetch it again" in ended.stderr


def test_bytes_of_no_known_name_are_of_an_unsupported_format(octavo, tmp_path):
    (tmp_path / "odd.bin").write_bytes(bytes(range(256)) * 20)
    assert "[unsupported_format]" in octavo("convert", "odd.bin").stderr


def test_one_command_installs_what_reads_an_image(octavo, tmp_path, monkeypatch):
    (tmp_path / "mast.gif").write_bytes(PIXEL)
    monkeypatch.setenv("OCTAVO_BLOCK", "pillow,rapidocr,tesseract")
    (remedy,) = [line for line in octavo("convert", "mast.gif").stderr.splitlines() if "pip install" in line]
    assert "[ocr]" in remedy


def test_the_command_for_an_image_installs_no_second_recogniser(octavo, tmp_path, monkeypatch):
    pytest.importorskip("octavo_rapidocr")
    (tmp_path / "mast.gif").write_bytes(PIXEL)
    monkeypatch.setenv("OCTAVO_BLOCK", "pillow")
    (remedy,) = [line for line in octavo("convert", "mast.gif").stderr.splitlines() if "pip install" in line]
    assert "[ocr]" in remedy
    unread = octavo("doctor", "--json").json["unread"]
    assert [one["install"] for one in unread if one["name"] == "PNG image"] == [["octavo-pillow"]]


def test_an_image_that_no_recogniser_read_is_converted_again_after_the_remedy(octavo, tmp_path, monkeypatch):
    (tmp_path / "mast.gif").write_bytes(PIXEL)
    monkeypatch.setenv("OCTAVO_BLOCK", "rapidocr,tesseract")
    assert "then convert the document again (`octavo ocr` in a library)" in octavo("convert", "mast.gif").stderr


def test_ingest_names_the_command_for_each_format_that_nothing_reads(octavo, tmp_path, monkeypatch):
    """As `octavo convert` does for each file, also where formats need different commands."""
    (tmp_path / "mast.gif").write_bytes(PIXEL)
    (tmp_path / "letter.rtf").write_bytes(rb"{\rtf1\ansi The buoy is back.}")
    monkeypatch.setenv("OCTAVO_BLOCK", "pillow,rapidocr,tesseract,pandoc,libreoffice")
    shown = octavo("ingest", "mast.gif", "letter.rtf").out
    for name in ("letter.rtf", "mast.gif"):
        remedy = octavo("convert", name).stderr.splitlines()[1].strip()
        assert "pip install" in remedy
        assert f"1 failed [unsupported_format]: {remedy}\n  {name}\n" in shown
    summary = octavo("ingest", "mast.gif", "letter.rtf", "--json").json["summary"]
    assert [(one["reason"], one["count"]) for one in summary["failures"]] == [("unsupported_format", 1)] * 2
