"""What a user is told of documents that are hard to read: columns, long tables, long testimony, other scripts (CNV-1, CNV-2, QLT-1)."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator, Sequence
from email.message import EmailMessage
from pathlib import Path

import docx
import pikepdf
import pytest
from octavo import convert
from octavo.profiles.profile import load_profile
from octavo.runtime import Runtime
from octavo.settings.ocr import OcrSettings
from octavo.settings.settings import Settings
from octavo_contracts import IngestionResult
from octavo_library import Library
from pikepdf import Array, Dictionary, Name, Pdf, Stream
from PIL import Image, ImageDraw, ImageFont

Text = tuple[float, float, str]
"""Points from the left and from the bottom, and the words that begin there."""

HEBREW = {letter: b"/afii%d" % (57664 + place) for place, letter in enumerate("אבגדהוזחטיךכלםמןנסעףפץצקרשת")}
"""Letter → the name of its glyph in the standard list of such names."""
GARBAGE = "c~o~r bl1~d b#ld| t0u0o |nd cm~i; l0rt0;sm n#ai Od1c; p~i3r g#ug3 st0~rm " * 6


CLUMSY = """\
from octavo_contracts import Conversion, Page, Table, hookimpl

@hookimpl
def convert(source, request):
    table = Table(rows=(("Month", "Height"), ("January",), ("February",), ("March",)))
    return Conversion(pages=(Page(number=1, kind="whole", markdown="Month", tables=(table,)),), paginated=False)
"""


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime(Settings(workers=1, ocr=OcrSettings(automatic=False))) as made:
        yield made


# -- documents ------------------------------------------------------------------------------------------------


def drawn(texts: Sequence[Text]) -> bytes:
    shown = b"".join(
        b"1 0 0 1 %.1f %.1f Tm (%s) Tj " % (x, y, words.encode("latin-1").replace(b"(", b"\\(").replace(b")", b"\\)"))
        for x, y, words in texts
    )
    return b"BT /F1 10 Tf " + shown + b"ET "


def new_pdf(contents: Sequence[bytes], *, rotate: int = 0) -> Pdf:
    pdf = pikepdf.new()
    font = pdf.make_indirect(Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica))
    for content in contents:
        page = pdf.add_blank_page(page_size=(612, 792)).obj
        page.Resources = Dictionary(Font=Dictionary(F1=font))
        page.Contents = Stream(pdf, content)
        if rotate:
            page.Rotate = rotate
    return pdf


def saved(pdf: Pdf) -> bytes:
    stream = io.BytesIO()
    pdf.save(stream)
    return stream.getvalue()


def told(result: IngestionResult, flag: str) -> list[str]:
    return [finding.message for finding in result.quality_report.findings if finding.flag == flag]


# -- pages ----------------------------------------------------------------------------------------------------


PROSE = (
    "the keeper wrote down how high the water",
    "stood at noon and who had passed the pier",
    "before the storm that moved the old gauge",
)


def column(side: str, x: float) -> list[Text]:
    return [(x, 570 - 14 * line, f"{side} {line} {PROSE[line % 3]}") for line in range(1, 31)]


TURNS = {0: b"", 90: b"0 1 -1 0 612 0 cm ", 180: b"-1 0 0 -1 612 792 cm ", 270: b"0 -1 1 0 0 792 cm "}
"""Quarter turns of a page → what has its content upright on it."""


@pytest.mark.parametrize("rotate", TURNS)
def test_two_columns_are_read_one_after_the_other_however_the_page_is_turned(rotate: int, runtime: Runtime) -> None:
    content = b"q " + TURNS[rotate] + drawn([*column("Left", 60), *column("Right", 320)]) + b"Q"
    document = convert(saved(new_pdf([content], rotate=rotate)), name="columns.pdf", runtime=runtime)
    text = document.text
    places = [text.index(f"{side} {line} ") for side in ("Left", "Right") for line in range(1, 31)]
    assert places == sorted(places)
    assert document.result.ingestion_status == "complete"
    assert told(document.result, "hidden_text") == []


def test_text_from_right_to_left_is_read_in_its_order(runtime: Runtime) -> None:
    words = "שלום עולם"
    codes = {letter: code for code, letter in enumerate(HEBREW, start=0x41)}
    pdf = new_pdf([b""])
    names = [pikepdf.Name(name.decode()) for name in HEBREW.values()]
    encoding = Dictionary(Type=Name.Encoding, Differences=Array([0x41, *names]))
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=encoding)
    pdf.pages[0].obj.Resources.Font.F1 = pdf.make_indirect(font)
    seen = bytes(codes.get(letter, 0x20) for letter in reversed(words))  # as it lies on the page, from its left
    pdf.pages[0].obj.Contents = Stream(pdf, b"BT /F1 14 Tf 300 700 Td <" + seen.hex().encode() + b"> Tj ET")
    document = convert(saved(pdf), name="letter.pdf", plugin="pdfium", runtime=runtime)
    assert words in document.text


def table_page(number: int, rows: int) -> bytes:
    """A ruled table of three columns with its head on each page."""
    edges, top, height = (60.0, 200.0, 340.0, 480.0), 720.0, 20.0
    cells: list[Text] = [
        (x + 4, top + 6, head) for x, head in zip(edges, ("Day", "High water", "Low water"), strict=False)
    ]
    for row in range(1, rows + 1):
        y = top - height * row + 6
        serial = (number - 1) * rows + row
        cells += [(64, y, f"Day {serial}"), (204, y, f"{serial}.5"), (344, y, f"{serial}.1")]
    lines = [b"60 %.1f m 480 %.1f l S" % (y, y) for y in (top + height - height * line for line in range(rows + 2))]
    bottom = top - height * rows
    lines += [b"%.1f %.1f m %.1f %.1f l S" % (x, bottom, x, top + height) for x in edges]
    return b"\n".join(lines) + b"\n" + drawn(cells)


def test_a_table_over_three_pages_loses_no_row(runtime: Runtime) -> None:
    document = convert(
        saved(new_pdf([table_page(number, 30) for number in (1, 2, 3)])), name="tides.pdf", runtime=runtime
    )
    assert [anchor.page for anchor in document.result.page_anchor_map.anchors()] == [1, 2, 3]
    rows = [line for line in document.markdown.splitlines() if line.startswith("|")]
    for serial in range(1, 91):
        assert any(
            [cell.strip() for cell in row.strip("|").split("|")] == [f"Day {serial}", f"{serial}.5", f"{serial}.1"]
            for row in rows
        )
    assert "tables_lost" not in document.result.quality_report.degraded_flags


def questions(page: int) -> list[Text]:
    said = [
        f"{'Q' if line % 2 else 'A'}. Did the gauge read {page * 25 + line} inches at noon" for line in range(1, 26)
    ]
    numbered = [(60.0, 740 - 26.0 * line, f"{line}   {words}") for line, words in enumerate(said, start=1)]
    return [(300.0, 770.0, f"Page {page}"), *numbered]


def test_every_page_of_a_deposition_of_500_pages_is_there(runtime: Runtime) -> None:
    head = [
        (200.0, 760.0, "DEPOSITION OF ADA QUAY"),
        (200.0, 740.0, "IN THE DISTRICT COURT, sworn testimony of the witness"),
    ]
    pdf = new_pdf([drawn(head), *(drawn(questions(page)) for page in range(2, 501))])
    document = convert(saved(pdf), name="quay.pdf", runtime=runtime)
    result = document.result
    assert result.classification is not None
    assert (result.classification.page_count, result.classification.document_type) == (500, "deposition")
    anchors = list(result.page_anchor_map.anchors())
    assert len(anchors) == 500
    for page in (2, 250, 500):
        text = document.text[anchors[page - 1].text_start : anchors[page - 1].text_end]
        assert f"Page {page}" in text
        assert f"read {page * 25 + 25} inches" in text


@pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="the program tesseract is not installed: apt-get install tesseract-ocr"
)
def test_a_layer_of_garbage_over_a_good_picture_is_recognised_anew() -> None:
    picture = Image.new("L", (1275, 1650), 255)
    pen = ImageDraw.Draw(picture)
    for line in range(12):
        pen.text(
            (120, 150 + 90 * line),
            f"The keeper wrote of wind and tide, line {line}",
            fill=0,
            font=ImageFont.load_default(36),
        )
    stream = io.BytesIO()
    picture.save(stream, "JPEG", quality=85)
    pdf = new_pdf([b"q 612 0 0 792 0 0 cm /I Do Q BT 3 Tr /F1 8 Tf 40 700 Td 10 TL " + lines_of(GARBAGE) + b"ET"])
    image = Stream(pdf, stream.getvalue())
    image.Type, image.Subtype, image.Width, image.Height = Name.XObject, Name.Image, 1275, 1650
    image.ColorSpace, image.BitsPerComponent, image.Filter = Name.DeviceGray, 8, Name.DCTDecode
    pdf.pages[0].obj.Resources.XObject = Dictionary(I=pdf.make_indirect(image))
    with Runtime(Settings(workers=1, ocr=OcrSettings(engines=("tesseract",)))) as reading:
        document = convert(saved(pdf), name="book.pdf", runtime=reading)
    assert "keeper wrote of wind and tide" in document.text
    assert "bl1~d" not in document.text
    assert sorted(document.result.quality_report.ocr_confidence_summary.page_confidences) == ["1"]


def lines_of(words: str) -> bytes:
    return b"".join(b"(%s) Tj T* " % words[start : start + 90].encode() for start in range(0, len(words), 90))


# -- mail -----------------------------------------------------------------------------------------------------


def test_a_corrupt_attachment_fails_by_itself_and_the_message_is_whole(tmp_path: Path, runtime: Runtime) -> None:
    broken = b"%PDF-1.7\n" + b"\x00garbage" * 50
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "ada@quay.example", "ben@pier.example", "The readings"
    message["Date"] = "Mon, 3 Mar 2025 10:00:00 +0000"
    message.set_content("The readings of the week are attached. " * 5)
    message.add_attachment(broken, maintype="application", subtype="pdf", filename="week.pdf")
    document = convert(message.as_bytes(), name="readings.eml", runtime=runtime)
    assert document.result.ingestion_status == "complete"
    assert "readings of the week" in document.markdown
    (attached,) = document.result.attachments
    assert (attached.name, attached.media_type, attached.size) == ("week.pdf", "application/pdf", len(broken))
    with Library.open(tmp_path / "library", runtime=runtime) as library:
        ingested = library.ingest(message.as_bytes(), name="readings.eml")
        assert ingested.result.ingestion_status == "complete"
        (failed,) = ingested.attachments
        (receipt,) = failed.result.failure_receipts
        assert receipt.reason_code == "source_corrupt"
        assert "nothing in it can be read" in receipt.details
        assert failed.source == "readings.eml › week.pdf"
        assert [parent.title for parent in failed.document.attached_to] == ["The readings"]


def test_a_word_file_with_garbled_tables_is_converted_again_by_an_installed_engine(make_plugin, tmp_path: Path) -> None:
    """CNV-2: by the engines that the default profile names for documents other than PDF."""
    pytest.importorskip("octavo_markitdown")
    document = docx.Document()
    rows = (("Month", "Height"), ("January", "412"), ("February", "398"), ("March", "405"))
    table = document.add_table(rows=len(rows), cols=2)
    for line, row in enumerate(rows):
        for column, cell in enumerate(row):
            table.cell(line, column).text = cell
    out = io.BytesIO()
    document.save(out)
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    make_plugin("clumsy", CLUMSY, media_types=(kind,))
    escalate = ", ".join(f'"{name}"' for name in load_profile("measured").escalate["other"])
    profile = tmp_path / "clumsy.toml"
    profile.write_text(f'[routes]\ntext_native_doc = ["clumsy"]\n[escalate]\nother = [{escalate}]\n')
    with Runtime(Settings(workers=1)) as mine:
        converted = convert(out.getvalue(), name="heights.docx", profile=str(profile), runtime=mine)
    assert "| February | 398 |" in converted.markdown
    assert converted.result.quality_report.selected_tool != "clumsy"
    assert "tables_garbled" not in converted.result.quality_report.degraded_flags
