"""The worker's entry: one call detects, checks and classifies; and what is no PDF."""

from __future__ import annotations

import io
import json
import os
import struct
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo.builtins.classification import Inspection
from octavo.builtins.classification.durations import audio_duration
from octavo.builtins.classification.inspector import inspect
from octavo.builtins.classification.non_pdf import strip_markup
from octavo.formats import sniff
from octavo_contracts import (
    Category,
    ContentTooLarge,
    FileSource,
    HookContext,
    RoutingType,
    SourceCorrupt,
    SourceEmpty,
    UsageError,
)

SAMPLES = Path(__file__).resolve().parents[3] / "docs" / "samples"


@pytest.fixture
def look(tmp_path: Path) -> Callable[..., Inspection]:
    """Inspect bytes, or a file, as the host asks the worker to."""

    def run(data: bytes | Path, name: str = "a", **request: object) -> Inspection:
        path = data if isinstance(data, Path) else tmp_path / "document"
        if isinstance(data, bytes):
            path.write_bytes(data)
        source = FileSource(path, media_type="", name=path.name if isinstance(data, Path) else name)
        context = HookContext(work_dir=tmp_path, deadline=time.monotonic() + 60)
        return Inspection.read(inspect(json.dumps(request).encode(), source, context))

    return run


@pytest.mark.parametrize(
    ("name", "category", "sub_kind", "routing", "has_tables"),
    [
        ("annual-report.pdf", Category.PDF_TEXT, None, RoutingType.TEXT_NATIVE_PDF, True),
        ("logbook-scan.pdf", Category.PDF_SCANNED, None, RoutingType.SCANNED_PDF, False),
        ("staff-handbook.docx", Category.WORD, None, RoutingType.TEXT_NATIVE_DOC, True),
        ("open-day.pptx", Category.PRESENTATION, None, RoutingType.PRESENTATION, None),
        ("instruments.xlsx", Category.SPREADSHEET, None, RoutingType.SPREADSHEET, True),
        ("tide-table.csv", Category.SPREADSHEET, None, RoutingType.SPREADSHEET, True),
        ("harbour-seals.html", Category.PLAINTEXT, "html", RoutingType.HTML, None),
        ("field-notes.md", Category.PLAINTEXT, None, RoutingType.MARKDOWN, True),
        ("visitors-book.txt", Category.PLAINTEXT, None, RoutingType.PLAIN_TEXT, False),
        ("storm-warning.eml", Category.PLAINTEXT, "email", RoutingType.EMAIL, False),
        ("pebble-guide.epub", Category.PLAINTEXT, "ebook", RoutingType.EBOOK, None),
    ],
)
def test_the_samples_are_classified(look, name, category, sub_kind, routing, has_tables):
    """CLS-1."""
    seen = look(SAMPLES / name)
    verdict = seen.classification
    assert seen.classification_error is None
    assert (category, sub_kind, routing) == (verdict.category, verdict.sub_kind, verdict.routing_type)
    assert has_tables is None or has_tables is verdict.has_tables
    assert verdict.media_type == seen.detected.media_type


def test_slides_and_sheets_are_counted(look):
    assert look(SAMPLES / "open-day.pptx").classification.page_count == 3
    assert look(SAMPLES / "instruments.xlsx").classification.page_count == 2


def test_parts_of_deleted_slides_and_sheets_are_not_counted(look):
    """CLS-2: the presentation and the workbook list what they show; programs leave other parts in the package."""
    slides = {f"ppt/slides/slide{number}.xml": SLIDE.format("") for number in (1, 2, 3)}
    listed = {
        "ppt/presentation.xml": '<p:presentation xmlns:p="p"><p:sldIdLst><p:sldId id="256"/></p:sldIdLst></p:presentation>'
    }
    assert look(package(slides | listed, "ppt/presentation.xml"), "a.pptx").classification.page_count == 1

    sheets = {f"xl/worksheets/sheet{number}.xml": "<worksheet/>" for number in (1, 2)}
    charts = {"xl/chartsheets/sheet1.xml": "<chartsheet/>"}
    book = {"xl/workbook.xml": '<workbook><sheets><sheet name="A"/><sheet name="Chart"/></sheets></workbook>'}
    assert look(package(sheets | charts | book, "xl/workbook.xml"), "a.xlsx").classification.page_count == 2


def test_an_image_waits_for_recognition(look):
    """CLS-1."""
    data = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", 10, 10) + bytes(20) + b"IEND"
    verdict = look(data, "a.png").classification
    assert (verdict.category, verdict.page_count, verdict.has_scanned_pages) == (Category.IMAGE, 1, True)
    assert verdict.page_metadata[0].needs_ocr


def test_a_failure_to_classify_is_not_the_documents(look):
    """ENG-3: the findings stay, the reason is said."""
    seen = look(b"%PDF-1.4\n1 0 obj\n<</Pages 9 0 R>>\nendobj\n", "a.pdf")
    assert seen.classification is None
    assert seen.classification_error.startswith("The classifier failed: pdfium cannot open")
    assert [finding.flag for finding in seen.findings] == ["source_damaged"]


def test_a_container_damaged_where_the_classifier_looks_is_no_crash(look):
    """A wrong checksum is found only when a part is read to its end."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", b"application/vnd.oasis.opendocument.text")
        archive.writestr("content.xml", b"<office>words</office>")
    data = bytearray(buffer.getvalue())
    entry = data.rfind(b"PK\x01\x02")
    data[entry + 16 : entry + 20] = b"\x00\x01\x02\x03"
    seen = look(bytes(data), "a.odt")
    assert seen.classification is None
    assert "CRC" in seen.classification_error


def test_preflight_errors_cross_as_they_are(look):
    with pytest.raises(SourceEmpty):
        look(b"", "a.pdf")
    with pytest.raises(SourceCorrupt):
        look(b"PK\x03\x04 cut", "a.docx")
    with pytest.raises(ContentTooLarge):
        look(SAMPLES / "annual-report.pdf", max_pages=2)
    with pytest.raises(ContentTooLarge):
        look(b"[[[1]]]", "a.json", limits={"max_json_depth": 2})


def test_a_limit_that_does_not_exist_is_a_usage_error(look):
    with pytest.raises(UsageError, match="max_nonsense") as caught:
        look(b"x", "a.txt", limits={"max_nonsense": 1})
    assert "max_pages" in caught.value.remedy


def test_a_declared_type_that_disagrees_is_reported(look):
    seen = look(b"plain words", "a.txt", declared_media_type="application/pdf", unknown_key=1)
    assert "declared type is application/pdf" in seen.detected.mismatch
    assert seen.classification.mismatch == seen.detected.mismatch


def test_the_threshold_for_scans_can_be_set(look):
    thresholds = {"scanned_density": 0.0}
    assert look(SAMPLES / "annual-report.pdf", thresholds=thresholds).classification.has_scanned_pages is False


def test_a_document_that_nobody_looked_at_still_has_a_type():
    seen = Inspection.uninspected(sniff(b"%PDF-1.4", name="a.pdf"), error="the worker died")
    assert (
        seen.detected.media_type,
        seen.classification,
        seen.classification_error,
    ) == ("application/pdf", None, "the worker died")
    assert Inspection.read(seen.to_json()) == seen


def test_html_shows_tables_and_fields_and_its_scripts_are_no_text(look):
    page = b"<!doctype html><script>var x = '<table>'</script><table><tr><td>cell</table><input>"
    verdict = look(page, "a.html").classification
    assert (verdict.has_tables, verdict.has_form_fields) == (True, True)
    assert "var x" not in strip_markup(page.decode())
    assert "after" not in strip_markup("before<style>never closed after")


def test_utf16_text_is_counted_in_characters(look):
    assert look(("words " * 40).encode("utf-16"), "a.txt").classification.estimated_tokens.text_only in range(55, 65)


def wav(seconds: int) -> bytes:
    fmt = b"fmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16)
    return b"RIFF" + bytes(4) + b"WAVE" + fmt + b"data" + struct.pack("<I", 16000 * seconds) + bytes(16000 * seconds)


def flac(seconds: int) -> bytes:
    packed = (44_100 << 44) | (1 << 41) | (15 << 36) | (44_100 * seconds)
    return b"fLaC\x80\x00\x00\x22" + bytes(10) + packed.to_bytes(8, "big") + bytes(16)


def mpeg4(seconds: int, *, wide: bool = False) -> bytes:
    times = (
        struct.pack(">QQIQ", 0, 0, 1000, seconds * 1000) if wide else struct.pack(">IIII", 0, 0, 1000, seconds * 1000)
    )
    header = b"mvhd" + (b"\x01" if wide else b"\x00") + bytes(3) + times + bytes(80)
    box = struct.pack(">I", len(header) + 4) + header
    return b"\x00\x00\x00\x14ftypM4A " + bytes(8) + struct.pack(">I", len(box) + 8) + b"moov" + box


def mp3(*, xing: bool) -> bytes:
    frame = b"\xff\xfb\x90\x00" + bytes(32) + (b"Xing\x00\x00\x00\x01" + struct.pack(">I", 1000) if xing else b"")
    return b"ID3\x04\x00\x00\x00\x00\x00\x0a" + bytes(10) + frame.ljust(417, b"\x00") + bytes(32_000 - 417)


def ogg(kind: bytes, position: int) -> bytes:
    return b"OggS" + bytes(24) + kind + bytes(100) + b"OggS\x00\x04" + struct.pack("<Q", position) + bytes(20)


@pytest.mark.parametrize(
    ("data", "name", "seconds"),
    [
        (wav(3), "a.wav", 3.0),
        (flac(4), "a.flac", 4.0),
        (mpeg4(5), "a.m4a", 5.0),
        (mpeg4(6, wide=True), "a.m4a", 6.0),
        (mp3(xing=True), "a.mp3", 26.122),
        (mp3(xing=False), "a.mp3", 2.0),
        (ogg(b"OpusHead", 96_000), "a.ogg", 2.0),
        (ogg(b"\x01vorbis" + bytes(5) + struct.pack("<I", 16_000), 48_000), "a.ogg", 3.0),
        (b"fLaC", "a.flac", None),
        (b"ID3\x04", "a.mp3", None),
        (b"OggS" + bytes(40), "a.ogg", None),
        (b"\x00\x00\x00\x14ftypM4A " + bytes(8) + bytes(20), "a.m4a", None),
        (b"\x00\x00\x00\x14ftypM4A " + bytes(8) + struct.pack(">I", 9000) + b"free" + bytes(9), "a.m4a", None),
    ],
)
def test_recordings_tell_their_length_in_their_headers(look, data, name, seconds):
    """CLS-2: audioDuration."""
    verdict = look(data, name).classification
    assert (verdict.category, verdict.routing_type) == (Category.AUDIO, RoutingType.AUDIO)
    assert verdict.audio_duration == (None if seconds is None else pytest.approx(seconds, abs=0.02))


def test_a_sound_of_another_kind_has_no_length():
    assert audio_duration(io.BytesIO(b"x"), media_type="audio/other") is None
    assert audio_duration(io.BytesIO(b"RIFF\x00\x00\x00\x00WAVE"), media_type="audio/wav") is None


def test_importing_the_classifier_does_not_import_pdfium():
    """It is imported when the first PDF comes."""
    code = "import sys, octavo.builtins.classification.inspector; sys.exit('pypdfium2' in sys.modules)"
    path = os.pathsep.join(part for part in sys.path if part)
    assert (
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, check=False).returncode
        == 0
    )


CONTENT_TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/{}" ContentType="{}"/></Types>'
MAIN_TYPES = {
    "ppt/presentation.xml": "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
    "word/document.xml": "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    "xl/workbook.xml": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
}


def package(parts, main):
    """An office package with these parts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("[Content_Types].xml", CONTENT_TYPES.format(main, MAIN_TYPES[main]))
        for name, text in ({main: "<main/>"} | parts).items():
            archive.writestr(name, text)
    return buffer.getvalue()


SLIDE = "<p:sld xmlns:p='p' xmlns:a='a'><p:cSld>{}</p:cSld></p:sld>"
WORD = "<w:document xmlns:w='w' xmlns:w14='w14'><w:body><w:sdt><w:sdtPr>{}</w:sdtPr></w:sdt></w:body></w:document>"


@pytest.mark.parametrize("place", [1, 2, 7])
def test_a_table_on_any_slide_is_seen(look, place):
    """CLS-2."""
    slides = {f"ppt/slides/slide{number}.xml": SLIDE.format("") for number in range(1, 8)}
    assert look(package(slides, "ppt/presentation.xml"), "a.pptx").classification.has_tables is False
    slides[f"ppt/slides/slide{place}.xml"] = SLIDE.format("<a:tbl><a:tr/></a:tbl>")
    assert look(package(slides, "ppt/presentation.xml"), "a.pptx").classification.has_tables


@pytest.mark.parametrize(
    ("control", "is_field"),
    [
        ("<w14:checkbox/>", True),
        ("<w:dropDownList><w:listItem/></w:dropDownList>", True),
        ('<w:date w:fullDate="2026-11-25T00:00:00Z"/>', True),
        ("<w:docPartObj><w:docPartGallery w:val='Table of Contents'/></w:docPartObj>", False),
        ("<w:citation/>", False),
        ("", False),
    ],
)
def test_a_content_control_is_a_form_field_if_a_reader_fills_it_in(look, control, is_field):
    """CLS-2."""
    seen = look(package({"word/document.xml": WORD.format(control)}, "word/document.xml"), "a.docx")
    assert seen.classification.has_form_fields is is_field
