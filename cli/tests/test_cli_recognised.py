"""`octavo convert` says by what a scan was recognised, and how surely."""

from __future__ import annotations

import re

import pytest
from octavo_conformance.pdf_writer import GREY_PIXEL, PdfFile, PdfPage, show_lines
from octavo_conformance.plugin_folder import plugin_folder
from octavo_conformance.scans import scanned_pdf
from octavo_contracts import ExitCode
from PIL import Image

READER = """
from datetime import datetime, timezone
from octavo_contracts import BoundingBox, OCRResult, OCRWord, hookimpl

@hookimpl
def ocr(image, request):
    words = tuple(
        OCRWord(text=word, box=BoundingBox(left=20 + 90 * n, top=30, right=100 + 90 * n, bottom=42), confidence=0.9)
        for n, word in enumerate(("high", "water", "at", "noon"))
    )
    return OCRResult(
        page_number=1, page_fingerprint="0" * 64, extracted_text="high water at noon", words=words, confidence=0.9,
        method="keen", processed_at=datetime.now(timezone.utc), tool_version="1.0",
    )
"""
MANIFEST = """
[plugin]
name = "keen"
contract = "1.0"
description = "A recogniser of the tests."
hooks = ["ocr"]
priority = 99

[plugin.engine]
licence = "Apache-2.0"
"""


@pytest.fixture
def scans(tmp_path):
    """A folder with one scan, and a recogniser `keen` that is sure by 0.9."""
    picture = Image.new("L", (306, 396), 200)
    picture.paste(0, (100, 200, 200, 300))
    (tmp_path / "scans").mkdir()
    (tmp_path / "scans" / "log.pdf").write_bytes(scanned_pdf(picture, picture))
    with plugin_folder(tmp_path / "site") as make:
        make("keen", READER, manifest=MANIFEST, version="0.1")
        yield


def test_one_line_says_by_what_a_scan_was_recognised(octavo, scans, monkeypatch):
    monkeypatch.setenv("OCTAVO_BLOCK", "rapidocr,tesseract")
    ended = octavo("convert", "scans/log.pdf")
    assert (ended.code, "high water at noon" in ended.out) == (ExitCode.OK, True)
    told = r"octavo: scans/log\.pdf: complete, 2 pages, quality 0\.\d\d, 2 pages recognised by keen, mean confidence 0\.90\n"
    assert re.fullmatch(told, ended.stderr)
    assert "recognised by" not in octavo("convert", "scans/log.pdf", "-q").stderr


def test_the_line_of_each_document_of_several_says_it(octavo, scans, monkeypatch):
    monkeypatch.setenv("OCTAVO_BLOCK", "rapidocr,tesseract")
    ended = octavo("convert", "scans", "-d", "out")
    assert ", 2 pages recognised by keen, mean confidence 0.90" in ended.stderr


DOUBTFUL = (
    READER.replace(
        '("high", "water", "at", "noon"))',
        '("high", "water", "at", "noon") if image.page_number == 1 else ())',
    )
    .replace("confidence=0.9)\n        for", "confidence=0.9 - 0.6 * (n > 0))\n        for")
    .replace('extracted_text="high water at noon"', 'extracted_text="high water at noon" if words else ""')
)


def test_the_line_names_pages_with_doubtful_words_and_blank_ones(octavo, tmp_path, monkeypatch):
    monkeypatch.setenv("OCTAVO_BLOCK", "rapidocr,tesseract")
    picture, blank = Image.new("L", (306, 396), 200), Image.new("L", (306, 396), 255)
    picture.paste(0, (100, 200, 200, 300))
    (tmp_path / "log.pdf").write_bytes(scanned_pdf(picture, blank))
    with plugin_folder(tmp_path / "site") as make:
        make("keen", DOUBTFUL, manifest=MANIFEST, version="0.1")
        stderr = octavo("convert", "log.pdf").stderr
    said = "1 page recognised by keen, mean confidence 0.90; doubtful words on page 1; page 2 is blank"
    assert re.search(
        rf"octavo: log\.pdf: complete, 2 pages, quality 0\.\d\d, {said}; page 1: words that OCR was unsure", stderr
    )
    assert "unsure of: “water at noon” [words_doubtful]" in stderr


def test_pages_that_need_ocr_are_told_first_and_with_their_remedy(octavo, tmp_path, monkeypatch):
    """OCR-2: a document with some text is written, and what it lacks is its main fault."""
    monkeypatch.setenv("OCTAVO_BLOCK", "rapidocr,tesseract")
    text = PdfPage(show_lines(["The keeper of the light reads the gauge at dawn."] * 12))
    scan = PdfPage(b"q 612 0 0 792 0 0 cm /Im0 Do Q", resources="/XObject << /Im0 4 0 R >>")
    (tmp_path / "log.pdf").write_bytes(PdfFile([text, scan, scan]).to_bytes(reserved=(GREY_PIXEL,)))
    said = "pages 2–3 have no trustworthy text and were not read (no OCR engine is installed) [ocr_needed]"

    told, remedy = octavo("convert", "log.pdf", "-o", "log.md").stderr.splitlines()
    assert re.fullmatch(
        rf"octavo: log\.pdf: degraded, 3 pages, quality 0\.\d\d; {re.escape(said)}; -v explains low_text_yield", told
    )
    assert remedy.startswith("  Run: pip install ")
    several = octavo("convert", "log.pdf", "-d", "out").stderr.splitlines()
    assert several[1:3] == ["octavo: 1 of 1 with pages that were not read:", f"  log.pdf: {said}"]
    assert several[3].strip() == remedy.strip()


def test_a_document_that_was_not_recognised_says_nothing_of_it(octavo, pdf):
    assert "recognised" not in octavo("convert", pdf).stderr


WITHOUT_MODEL = """
from datetime import datetime, timezone
from octavo_contracts import OCRResult, hookimpl

@hookimpl
def ocr(image, request):
    return OCRResult(
        page_number=1, page_fingerprint="0" * 64, extracted_text="", confidence=0.0, method="keen", script="Cyrl",
        remedy="Run: apt-get install x-cyrl", processed_at=datetime.now(timezone.utc), tool_version="1.0",
    )
"""
REFUSES = """
from octavo_contracts import ToolUnavailable, hookimpl

@hookimpl
def ocr(image, request):
    raise ToolUnavailable("the engine has no data for ru", plugin="{name}", remedy="{remedy}")
"""


@pytest.fixture
def log(tmp_path, monkeypatch):
    """A scan, and a function that makes recognisers; no others are used."""
    monkeypatch.setenv("OCTAVO_BLOCK", "rapidocr,tesseract")
    picture = Image.new("L", (306, 396), 200)
    picture.paste(0, (100, 200, 200, 300))
    (tmp_path / "log.pdf").write_bytes(scanned_pdf(picture))
    with plugin_folder(tmp_path / "site") as make:
        yield make


def test_every_command_names_the_model_that_a_page_lacks(octavo, log):
    log("keen", WITHOUT_MODEL, manifest=MANIFEST, version="0.1")
    install = "Run: apt-get install x-cyrl"
    assert f"  {install}\n" in octavo("ocr", "log.pdf").stderr
    assert f"{install}. Then run octavo ocr --needed" in octavo("ingest", "log.pdf").out
    assert f"documents that need OCR: 1\n  {install}. Then run octavo ocr --needed\n" in octavo("search", "tide").stderr
    assert f"  {install}\n" in octavo("ocr", "--needed").stderr


def test_octavo_ocr_names_the_engine_to_install(octavo, log):
    lines = octavo("ocr", "log.pdf").stderr.splitlines()
    assert lines[0] == "octavo: log.pdf: page 1 was not read: no OCR engine is installed [ocr_needed]"
    assert lines[1].startswith("  Run: pip install ")


def test_a_command_that_installs_a_language_is_not_replaced_by_the_refusal_of_the_next_engine(octavo, log):
    for name, priority, remedy in (("keen", 99, "Run: apt-get install x-ru"), ("late", 50, "Use another engine")):
        manifest = MANIFEST.replace('"keen"', f'"{name}"').replace("99", str(priority))
        log(name, REFUSES.replace("{name}", name).replace("{remedy}", remedy), manifest=manifest, version="0.1")
    stderr = octavo("ocr", "log.pdf", "--language", "ru").stderr
    assert (
        "page 1 was not read: keen: the engine has no data for ru [ocr_needed]\n  Run: apt-get install x-ru\n" in stderr
    )


def test_the_doctor_does_not_speak_for_language_data(octavo):
    out = octavo("doctor").out
    assert "lack nothing" not in out
    assert "The language data of OCR is not checked: octavo ocr names the data that a page needs" in out
