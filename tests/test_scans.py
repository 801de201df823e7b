"""Scans and images end to end, with the real engines: found, recognised once, kept, scored, written back."""

from __future__ import annotations

import html
import io
import json
import math
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pikepdf
import pytest
from octavo import convert
from octavo.documents.source import Source
from octavo.plugins import PluginSelection
from octavo.runtime import Runtime
from octavo.settings.ocr import OcrOptions, OcrSettings
from octavo.settings.settings import Settings
from octavo_cli import main
from octavo_conformance.scans import scanned_pdf
from octavo_contracts import BoundingBox
from octavo_library import Library
from octavo_library.facade.recognition.on_request import recognise_document, recognise_source
from octavo_library.facade.recognition.searchable_copy import searchable_copy
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="the program tesseract is not installed: apt-get install tesseract-ocr"
)

PROSE = (
    "The keeper of the light wrote in the book each evening what he had seen",
    "from the gallery: the boats that passed, the height of the water at the",
    "old pier, the direction of the wind and the colour of the sky. Nobody had",
    "told him to write of the sky, but his father had done so before him, and",
    "the pages of forty years lay in the chest below the stairs. When the new",
    "gauge was set up he wrote beside its figures what he himself had read on",
    "the painted staff, and for eleven months the two agreed to within an inch.",
    "In the twelfth a storm moved the staff, and after that they did not agree.",
)
SCALE = 200 / 72
SELECTED = 10
"""Pages of the selection test."""


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    settings = Settings(workers=2, plugins=PluginSelection(), ocr=OcrSettings(engines=("tesseract",), dpi=200))
    with Runtime(settings) as made:
        yield made


def page_of(*lines: str, number: int = 1) -> Image.Image:
    """A printed page of 612 by 792 points at 200 dots an inch."""
    return printed(lines, number=number)[0]


def printed(lines: tuple[str, ...], *, number: int = 1) -> tuple[Image.Image, list[tuple[str, tuple[float, ...]]]]:
    """A page, and the true box of each of its words in points: as wide as the word, as tall as the font."""
    page = Image.new("L", (1700, 2200), 255)
    pen = ImageDraw.Draw(page)
    font = ImageFont.load_default(38)
    ascent, descent = font.getmetrics()  # type: ignore[union-attr] # of the FreeType font that Pillow brings
    words = []
    for place, line in enumerate((f"Page {number} of the keeper's book", *lines)):
        across, top = 150.0, 200 + 75 * place
        for word in line.split():
            pen.text((across, top), word, fill=0, font=font)
            wide = pen.textlength(word, font=font)
            box = (across, top, across + wide, top + ascent + descent)
            words.append((word, tuple(value / SCALE for value in box)))
            across += wide + pen.textlength(" ", font=font)
    return page, words


def as_pdf(*pages: Image.Image | str) -> bytes:
    """A PDF of pictures, JPEG as scanners write them; a text is a page of text."""
    return scanned_pdf(*pages, jpeg=80)


@cache
def scan(*marks: str) -> bytes:
    """A PDF of scanned pages, each with its mark; a mark of more than forty letters is a page of text."""
    return as_pdf(*(mark if len(mark) > 40 else page_of(mark, *PROSE[:3]) for mark in marks))


def test_a_mixed_document_is_read_page_by_page(runtime: Runtime) -> None:
    """OCR-2, CNV-12: each page's text stands where its anchors say."""
    own = "This page was written by a program, and has a text layer of its own. " * 6
    document = convert(scan("Alpha mark", own, "Omega mark"), name="mixed.pdf", runtime=runtime)
    anchors = list(document.result.page_anchor_map.anchors())
    texts = [document.text[anchor.text_start : anchor.text_end] for anchor in anchors]
    assert "Alpha mark" in texts[0]
    assert texts[1].startswith("This page was written by a program")
    assert "Omega mark" in texts[2]
    summary = document.result.quality_report.ocr_confidence_summary
    assert sorted(summary.page_confidences) == ["1", "3"]
    assert min(summary.page_confidences.values()) > 0.8
    assert document.result.ingestion_status == "complete"


def test_a_changed_page_alone_is_read_again(runtime: Runtime, tmp_path: Path) -> None:
    """OCR-3: the store goes by what a page looks like, in whatever document."""

    def recognised(data: bytes, name: str) -> list[str]:
        result = library.ingest(data, name=name).result
        return [attempt.details for attempt in result.attempts if attempt.hook == "ocr"]

    with Library.open(tmp_path / "library", runtime=runtime) as library:
        assert recognised(scan("One", "Two", "Three"), "first.pdf") == ["3 pages"]
        assert library.ingest(scan("One", "Two", "Three"), name="first.pdf").reused
        assert recognised(scan("One", "Changed", "Three"), "second.pdf") == ["1 page"]


def test_large_print_is_a_heading(runtime: Runtime) -> None:
    page = page_of(*PROSE)
    ImageDraw.Draw(page).text((150, 90), "Tides and winds", fill=0, font=ImageFont.load_default(80))
    markdown = convert(as_pdf(page), name="titled.pdf", runtime=runtime).markdown
    assert [line for line in markdown.splitlines() if line.startswith("#")] == ["# Tides and winds"]


def test_words_that_a_line_end_broke_are_whole(runtime: Runtime) -> None:
    lines = (
        "He asked the keeper for infor-",
        "mation about the height of the wa-",
        "ter and the state-of-the-",
        "art gauge.",
    )
    document = convert(as_pdf(page_of(*lines)), name="broken.pdf", runtime=runtime)
    assert "for information about the height of the water and the state-of-the-art gauge." in document.text


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_page_on_its_side_or_upside_down_is_read(turn: int, runtime: Runtime) -> None:
    picture = page_of(*PROSE).rotate(turn, expand=True)
    out = io.BytesIO()
    picture.save(out, "PNG", dpi=(200, 200))
    document = convert(out.getvalue(), name="turned.png", runtime=runtime)
    assert "the painted staff, and for eleven months" in " ".join(document.text.split())


def askew(page: Image.Image, degrees: float) -> bytes:
    """A page that lies askew on a larger sheet, as PNG."""
    sheet = page.rotate(degrees, resample=Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    out = io.BytesIO()
    sheet.save(out, "PNG", dpi=(200, 200))
    return out.getvalue()


def place_askew(x: float, y: float, page: Image.Image, degrees: float) -> tuple[float, float]:
    """Where a point of a page, in points, lies on the sheet of `askew`."""
    sheet = page.rotate(degrees, expand=True)
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    right, down = x - page.width / SCALE / 2, y - page.height / SCALE / 2
    return sheet.width / SCALE / 2 + right * cos + down * sin, sheet.height / SCALE / 2 - right * sin + down * cos


@pytest.mark.parametrize("degrees", [-11.0, 4.0])
def test_a_page_askew_is_read_as_if_it_were_straight_and_its_words_stand_where_they_are_seen(
    degrees: float, runtime: Runtime
) -> None:
    """OCR-3, OCR-4: the page is straightened for the recogniser; boxes are those of the page as displayed."""
    page, words = printed(PROSE)
    with Source.from_bytes(askew(page, degrees), name="askew.png") as source:
        [reading] = recognise_source(runtime, source, OcrOptions()).recognition.readings.values()
    assert reading.rectification is not None
    assert reading.rectification.degrees == pytest.approx(-degrees, abs=0.3)
    read = [re.sub(r"\W", "", word).lower() for word in reading.result.extracted_text.split()]
    true = [re.sub(r"\W", "", word).lower() for word, _ in words]
    assert sum(one == other for one, other in zip(read, true, strict=False)) >= 0.97 * len(true)
    found: dict[str, list[tuple[float, float]]] = {}
    for word in reading.result.words:
        middle = ((word.box.left + word.box.right) / 2, (word.box.top + word.box.bottom) / 2)
        found.setdefault(word.text, []).append(middle)
    near = []
    for text, (left, top, right, bottom) in words:
        x, y = place_askew((left + right) / 2, (top + bottom) / 2, page, degrees)
        near.append(any(abs(x - a) < 6 and abs(y - b) < 6 for a, b in found.get(text, ())))
    assert sum(near) >= 0.95 * len(near)


def curled(page: Image.Image, sag: int) -> Image.Image:
    """A page whose middle hangs down by some pixels, as the page of a thick book does."""
    sheet = Image.new("L", (page.width, page.height + sag), 255)
    for x in range(page.width):
        sheet.paste(page.crop((x, 0, x + 1, page.height)), (x, round(sag * math.sin(math.pi * x / page.width))))
    return sheet


def shadowed(page: Image.Image) -> Image.Image:
    """A page with a shadow over its right half, in which the paper is darker than the ink elsewhere is light."""
    shadow = Image.new("L", page.size, 255)
    shadow.paste(70, (page.width // 2, 0, page.width, page.height))
    return ImageChops.multiply(page, shadow.filter(ImageFilter.GaussianBlur(60)))


def test_a_curled_page_is_read_and_its_words_stand_where_they_are_seen(runtime: Runtime) -> None:
    """OCR-3, OCR-4."""
    page, words = printed(PROSE)
    out = io.BytesIO()
    curled(page, 60).save(out, "PNG", dpi=(200, 200))
    with Source.from_bytes(out.getvalue(), name="curled.png") as source:
        [reading] = recognise_source(runtime, source, OcrOptions()).recognition.readings.values()
    assert reading.rectification is not None
    assert reading.rectification.curl is not None
    read = " ".join(reading.result.extracted_text.split())
    assert [line for line in PROSE if line not in read] == []
    boxes: dict[str, list[BoundingBox]] = {}
    for word in reading.result.words:
        boxes.setdefault(word.text, []).append(word.box)
    near = []
    for text, (left, top, right, bottom) in words:
        x = (left + right) / 2
        y = (top + bottom) / 2 + 60 / SCALE * math.sin(math.pi * x / 612)
        near.append(
            any(box.left < x < box.right and abs((box.top + box.bottom) / 2 - y) < 6 for box in boxes.get(text, ()))
        )
    assert sum(near) >= 0.95 * len(near)


def test_a_page_in_a_shadow_is_read(runtime: Runtime) -> None:
    out = io.BytesIO()
    shadowed(page_of(*PROSE)).save(out, "PNG", dpi=(200, 200))
    with Source.from_bytes(out.getvalue(), name="shadow.png") as source:
        [reading] = recognise_source(runtime, source, OcrOptions()).recognition.readings.values()
    assert reading.rectification is not None
    assert reading.rectification.evened
    read = " ".join(reading.result.extracted_text.split())
    assert [line for line in PROSE if line not in read] == []


def table_askew() -> Image.Image:
    """A page with a table and prose, turned by five degrees."""
    page = Image.new("L", (1700, 2200), 255)
    pen = ImageDraw.Draw(page)
    font = ImageFont.load_default(38)
    rows = (
        ("Month", "Height", "Wind"),
        ("January", "412", "North"),
        ("February", "398", "West"),
        ("March", "405", "East"),
    )
    for line, text in enumerate(PROSE):
        pen.text((150, 1200 + 75 * line), text, fill=0, font=font)
    for line, row in enumerate(rows):
        for column, cell in enumerate(row):
            pen.text((200 + 480 * column, 300 + 90 * line), cell, fill=0, font=font)
    return Image.open(io.BytesIO(askew(page, 5.0)))


def test_a_table_on_a_page_askew_is_a_table_and_stays_one_in_the_next_version(runtime: Runtime, tmp_path: Path) -> None:
    """OCR-6: recognising one page again leaves the others as they are."""
    row = "| February | 398 | West |"
    with Library.open(tmp_path / "library", runtime=runtime) as library:
        ingested = library.ingest(as_pdf(table_askew(), page_of("Omega mark")), name="log.pdf")
        document = library.document(ingested.document_id or "")
        assert row in document.page(1).markdown
        again = recognise_document(document, OcrOptions(pages=(2,), engine="rapidocr"))
        assert again.version is not None
        assert row in library.document(document.id).page(1).markdown


def test_a_page_askew_stays_as_it_lies_where_the_setting_says_so() -> None:
    settings = Settings(workers=1, ocr=OcrSettings(engines=("tesseract",), dpi=200, rectify=False))
    with Runtime(settings) as made, Source.from_bytes(askew(page_of(*PROSE), 4.0), name="askew.png") as source:
        [reading] = recognise_source(made, source, OcrOptions()).recognition.readings.values()
    assert reading.rectification is None


def test_an_image_is_a_document_and_its_text_takes_the_placeholders_place(runtime: Runtime) -> None:
    """CNV-10."""
    out = io.BytesIO()
    page_of(*PROSE).save(out, "JPEG", dpi=(200, 200))
    document = convert(out.getvalue(), name="page.jpg", runtime=runtime)
    assert document.result.ingestion_status == "complete"
    assert "The keeper of the light" in document.text
    assert "![" not in document.markdown


def test_each_page_of_a_tiff_is_read(runtime: Runtime) -> None:
    pages = [page_of(f"Sheet {word}", *PROSE[:2]).convert("1") for word in ("north", "south")]
    out = io.BytesIO()
    pages[0].save(out, "TIFF", save_all=True, append_images=pages[1:], dpi=(200, 200), compression="group4")
    document = convert(out.getvalue(), name="sheets.tiff", runtime=runtime)
    anchors = list(document.result.page_anchor_map.anchors())
    texts = [document.text[anchor.text_start : anchor.text_end] for anchor in anchors]
    assert ["Sheet north" in texts[0], "Sheet south" in texts[1]] == [True, True]


def test_a_photograph_keeps_its_placeholder_and_no_text_is_invented(runtime: Runtime) -> None:
    photo = Image.radial_gradient("L").resize((900, 700)).convert("RGB")
    out = io.BytesIO()
    photo.save(out, "JPEG")
    document = convert(out.getvalue(), name="glow.jpg", runtime=runtime)
    assert document.text == ""
    assert "JPEG image, 900 × 700 pixels" in document.markdown
    report = document.result.quality_report
    assert [(finding.flag, finding.severity) for finding in report.findings] == [("no_content", "note")]
    assert document.result.ingestion_status == "complete"


def test_a_corrupt_picture_in_a_pdf_is_said(runtime: Runtime) -> None:
    data = bytearray(as_pdf(page_of(*PROSE)))
    start = data.index(b"\xff\xd8\xff")
    data[start : start + 5000] = bytes(5000)
    result = convert(bytes(data), name="broken.pdf", runtime=runtime).result
    assert result.ingestion_status == "degraded_complete"
    assert "partial_conversion" in result.quality_report.degraded_flags


def test_without_a_recogniser_nothing_is_hidden() -> None:
    blocked = PluginSelection(block=frozenset({"tesseract", "rapidocr"}))
    with Runtime(Settings(workers=1, plugins=blocked)) as bare:
        result = convert(scan("Alpha mark"), name="scan.pdf", runtime=bare).result
    assert "ocr_needed" in result.quality_report.degraded_flags


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler's pdftotext is not installed")
def test_words_are_selected_where_they_are_seen(runtime: Runtime, tmp_path: Path) -> None:
    """OCR-4: read back by poppler, 95 % of the words of ten pages lie over their true boxes (IoU of 0.5 or more)."""
    made = [printed(PROSE[number % 4 :] + PROSE[: number % 4], number=number) for number in range(1, SELECTED + 1)]
    data = as_pdf(*(picture for picture, _ in made))
    with Source.from_bytes(data, name="book.pdf") as source:
        done = recognise_source(runtime, source, OcrOptions())
        written = searchable_copy(runtime, source, done)
    copy = tmp_path / "book_searchable.pdf"
    copy.write_bytes(written)
    found = poppler_words(copy)
    shares = [
        max((overlap(box, other) for text, other in found[page] if text == word), default=0.0) >= 0.5
        for page, (_, words) in enumerate(made)
        for word, box in words
    ]
    assert len(shares) >= 200
    assert sum(shares) / len(shares) >= 0.95
    with pikepdf.open(io.BytesIO(data)) as before, pikepdf.open(copy) as after:
        for old, new in zip(before.pages, after.pages, strict=True):
            assert old.resources.XObject.Scan.read_raw_bytes() == new.resources.XObject.Scan.read_raw_bytes()


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice, which writes the PDF/A, is not installed")
def test_a_pdf_a_stays_one(runtime: Runtime, tmp_path: Path) -> None:
    """OCR-4: version, claim, output intent and the form of the file stay; the layer's fonts lie in the file."""
    page_of(*PROSE).save(tmp_path / "page.png", dpi=(200, 200))
    export = 'pdf:draw_pdf_Export:{"SelectPdfVersion":{"type":"long","value":"1"}}'
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    subprocess.run(
        ["soffice", profile, "--headless", "--convert-to", export, "--outdir", tmp_path, tmp_path / "page.png"],
        capture_output=True,
        check=True,
    )
    with Source.from_path(tmp_path / "page.pdf") as source:
        written = searchable_copy(runtime, source, recognise_source(runtime, source, OcrOptions()))
    with pikepdf.open(tmp_path / "page.pdf") as before, pikepdf.open(io.BytesIO(written)) as after:
        assert before.open_metadata().pdfa_status == after.open_metadata().pdfa_status == "1A"
        assert after.pdf_version == before.pdf_version == "1.4"
        assert after.Root.OutputIntents[0].DestOutputProfile.read_bytes() == (
            before.Root.OutputIntents[0].DestOutputProfile.read_bytes()
        )
        assert after.Root.Metadata.read_bytes() == before.Root.Metadata.read_bytes()
        fonts = after.pages[0].resources.Font
        assert len(fonts) > 0
        assert {str(font.Subtype) for font in fonts.as_dict().values()} == {"/Type3"}, "its glyphs are its own"
        assert all("/ToUnicode" in font for font in fonts.as_dict().values())
        assert "/ID" in after.trailer
    assert b"/ObjStm" not in written, "PDF/A-1 has no object streams"
    assert b"/XRef" not in written, "PDF/A-1 has no stream of references"


def poppler_words(path: Path) -> list[list[tuple[str, tuple[float, ...]]]]:
    """The words of each page with their boxes, as poppler reads them."""
    done = subprocess.run(["pdftotext", "-bbox", path, "-"], capture_output=True, text=True, check=True)
    word = re.compile(r'<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">(.*?)</word>')
    return [
        [(html.unescape(match[5]), tuple(float(match[part]) for part in range(1, 5))) for match in word.finditer(page)]
        for page in re.split(r"<page ", done.stdout)[1:]
    ]


def overlap(first: tuple[float, ...], second: tuple[float, ...]) -> float:
    """Intersection over union."""
    wide = min(first[2], second[2]) - max(first[0], second[0])
    tall = min(first[3], second[3]) - max(first[1], second[1])
    if wide <= 0 or tall <= 0:
        return 0.0
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (first, second))
    return wide * tall / (areas - wide * tall)


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    stdout: str
    stderr: str


Octavo = Callable[..., Ended]


class TestCommand:
    @pytest.fixture
    def octavo(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Octavo:
        """Runs a command line in this process, in the folder of the test, which holds a scan."""
        for name in ("OCTAVO_LIBRARY", "OCTAVO_BLOCK", "OCTAVO_PLUGINS"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("OCTAVO_OCR__DPI", "200")  # as the pages are drawn; the default is twice the work
        monkeypatch.setattr("sys.excepthook", sys.excepthook)  # a command puts its own in place: it is put back
        monkeypatch.chdir(tmp_path)
        (tmp_path / "scan.pdf").write_bytes(scan("Alpha mark", "Beta mark"))

        def run(*arguments: str) -> Ended:
            capfd.readouterr()
            code = main(arguments)
            return Ended(code, *capfd.readouterr())

        return run

    def test_pages_of_a_file_are_read_and_a_copy_is_written(self, octavo: Octavo, tmp_path: Path) -> None:
        before = (tmp_path / "scan.pdf").read_bytes()
        done = octavo("ocr", "scan.pdf", "--engine", "tesseract", "--searchable", "scan_searchable.pdf")
        assert done.code == 0, done.stderr
        assert "Alpha mark" in done.stdout
        assert re.search(r"<!-- page 2: tesseract [\d.]+, confidence 0\.\d\d -->", done.stdout)
        assert (tmp_path / "scan.pdf").read_bytes() == before
        with pikepdf.open(tmp_path / "scan_searchable.pdf") as copy:
            assert len(copy.pages) == 2

    def test_the_copy_has_a_default_name(self, octavo: Octavo, tmp_path: Path) -> None:
        """Without a name, `--searchable` writes `{name}_searchable.pdf`, and replaces no file of that name (OCR-9)."""
        (tmp_path / "papers").mkdir()
        (tmp_path / "scan.pdf").rename(tmp_path / "papers" / "scan.v2.pdf")
        asked = ("papers/scan.v2.pdf", "--engine", "tesseract", "--searchable")
        done = octavo("ocr", *asked, "--json")
        assert done.code == 0, done.stderr
        assert json.loads(done.stdout)["documents"][0]["searchable"] == "scan.v2_searchable.pdf"
        copy = tmp_path / "scan.v2_searchable.pdf"
        with pikepdf.open(copy) as opened:
            assert len(opened.pages) == 2

        copy.write_bytes(b"notes of the user")
        refused = octavo("ocr", *asked)
        assert refused.code == 2
        assert "--searchable scan.v2_searchable.pdf" in refused.stderr
        assert copy.read_bytes() == b"notes of the user"

    def test_the_copy_of_a_document_of_a_library_is_named_after_it(self, octavo: Octavo, tmp_path: Path) -> None:
        """The default name comes from the document's name, not from the id that the user gave (OCR-9)."""
        assert octavo("ingest", "scan.pdf").code in (0, 3)
        identity = json.loads(octavo("list", "--json").stdout)["documents"][0]["id"]
        done = octavo("ocr", identity, "--engine", "tesseract", "--searchable")
        assert done.code == 0, done.stderr
        assert (tmp_path / "scan_searchable.pdf").is_file()

    def test_the_original_is_never_the_target(self, octavo: Octavo, tmp_path: Path) -> None:
        done = octavo("ocr", "scan.pdf", "--searchable", "scan.pdf")
        assert done.code == 2
        assert "would replace the document itself" in done.stderr

    def test_chosen_pages_as_json(self, octavo: Octavo) -> None:
        done = octavo("ocr", "scan.pdf", "--engine", "tesseract", "--pages", "2", "--json")
        assert done.code == 0, done.stderr
        (document,) = json.loads(done.stdout)["documents"]
        (page,) = document["pages"]
        assert (page["page_number"], page["method"], document["version"]) == (2, "tesseract", None)
        assert {"text", "box", "confidence"} <= set(page["words"][0])

    def test_a_document_of_a_library_gets_a_new_version(self, octavo: Octavo, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OCTAVO_BLOCK", "tesseract,rapidocr")
        assert octavo("ingest", "scan.pdf").code == 0
        monkeypatch.delenv("OCTAVO_BLOCK")
        listed = json.loads(octavo("list", "--json").stdout)
        identity = listed["documents"][0]["id"]
        done = octavo("ocr", identity, "--engine", "tesseract")
        assert done.code == 0, done.stderr
        assert "stored as version 2" in done.stderr
        assert (
            "Beta mark" in octavo("show", identity, "--text").stdout or "Beta mark" in octavo("show", identity).stdout
        )
        again = octavo("ocr", identity, "--engine", "tesseract")
        assert "stored as version" not in again.stderr

    @pytest.mark.parametrize("pages", ["0", "5-3", "x", ""])
    def test_what_is_no_list_of_pages_is_a_usage_error(self, pages: str, octavo: Octavo) -> None:
        done = octavo("ocr", "scan.pdf", "--pages", pages)
        assert done.code == 2
        assert "invalid page list" in done.stderr

    def test_one_bad_file_does_not_stop_the_others(self, octavo: Octavo, tmp_path: Path) -> None:
        (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.4 nothing")
        done = octavo("ocr", "bad.pdf", "scan.pdf", "--engine", "tesseract")
        assert done.code == 3
        assert "Alpha mark" in done.stdout
        assert "2/2" in done.stderr
        assert octavo("ocr", "a.pdf", "b.pdf", "--searchable", "c.pdf").code == 2


DRAWING = """<?xml version="1.0" encoding="UTF-8"?>
<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"
  xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"
  xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
  xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"
  xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><w:body>
<w:p><w:r><w:t>The notice on the pier:</w:t></w:r></w:p>
<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="notice"/><a:graphic><a:graphicData
  uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:blipFill><a:blip r:embed="rId7"/>
  </pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>
<w:p><w:r><w:t>It was taken down in May.</w:t></w:r></w:p>
</w:body></w:document>"""
RELATIONS = """<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="{0}"
  Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{1}" Target="{2}"/></Relationships>"""


def test_the_picture_in_a_word_document_is_read_where_it_stands(tmp_path: Path) -> None:
    """By the converter that routing picks, whose reference to the picture says where that is."""
    pytest.importorskip("markitdown", reason="octavo-markitdown is not installed")
    notice = Image.new("L", (1200, 240), 255)
    ImageDraw.Draw(notice).text((40, 80), "The harbour closes at dusk", fill=0, font=ImageFont.load_default(64))
    shown = io.BytesIO()
    notice.save(shown, "PNG")
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as parts:
        kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
        parts.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="png" ContentType="image/png"/>'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{kind}"/></Types>',
        )
        parts.writestr("_rels/.rels", RELATIONS.format("rId1", "officeDocument", "word/document.xml"))
        parts.writestr("word/document.xml", DRAWING)
        parts.writestr("word/_rels/document.xml.rels", RELATIONS.format("rId7", "image", "media/notice.png"))
        parts.writestr("word/media/notice.png", shown.getvalue())
    settings = Settings(workers=1, ocr=OcrSettings(engines=("tesseract",), embedded=True))
    with Runtime(settings) as runtime:
        document = convert(made.getvalue(), name="pier.docx", runtime=runtime)
    before, quoted, after = (document.text.find(text) for text in ("The notice", "harbour closes", "It was"))
    assert -1 < before < quoted < after
    assert "> The harbour closes at dusk" in document.markdown
