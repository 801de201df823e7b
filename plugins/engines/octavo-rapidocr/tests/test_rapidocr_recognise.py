"""What RapidOCR reads on drawn pages, and what it is not given."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from octavo_conformance.page_pictures import TEXT, drawn_text, giant_png, page_image, text_page
from octavo_contracts import (
    ContentTooLarge,
    HookContext,
    OcrFailed,
    OCRRequest,
    OCRResult,
    ToolUnavailable,
    UsageError,
)
from octavo_rapidocr import plugin
from octavo_rapidocr.engine import Line, load
from octavo_rapidocr.recognise import text_of
from octavo_rapidocr.turning import turn_back
from PIL import Image

pytestmark = pytest.mark.slow
ENGLISH = OCRRequest(languages=("en",))


def test_a_printed_page_is_read_word_by_word(read: OCRResult) -> None:
    """OCR-3: text, words with boxes and confidences, and what the cache goes by."""
    assert " ".join(read.extracted_text.split()) == TEXT
    assert [word.text for word in read.words] == TEXT.split()
    assert (read.page_number, read.page_fingerprint) == (7, text_page().page_fingerprint)
    assert read.method == "rapidocr"
    assert read.language == "en"
    assert read.tool_version[0].isdigit()
    mean = sum(word.confidence for word in read.words) / len(read.words)
    assert read.confidence == pytest.approx(mean, abs=0.001)
    assert read.confidence > 0.9


def test_lines_are_kept(read: OCRResult) -> None:
    assert read.extracted_text.splitlines()[0] == "The keeper lit the lamp at dusk"


def test_boxes_are_points_whatever_the_resolution(read: OCRResult, context: HookContext) -> None:
    """The same pixels at twice the resolution are a page of half the size."""
    coarse = read.words[0].box
    fine = plugin.ocr(text_page(dpi=300.0), ENGLISH, context).words[0].box
    assert coarse.left == pytest.approx(100 * 72 / 150, abs=4)
    assert fine.left == pytest.approx(coarse.left / 2, abs=1)
    assert fine.bottom == pytest.approx(coarse.bottom / 2, abs=1)


def test_a_picture_of_more_pixels_is_read_in_the_same_place(read: OCRResult, context: HookContext) -> None:
    """RapidOCR reads at most 2,000 pixels a side; boxes are points of the page all the same."""
    printed = drawn_text()
    large = printed.resize((printed.width * 3, printed.height * 3))
    found = plugin.ocr(page_image(large, dpi=450.0), ENGLISH, context)
    assert [word.text for word in found.words] == TEXT.split()
    for word, before in zip(found.words, read.words, strict=True):
        assert word.box.left == pytest.approx(before.box.left, abs=4)
        assert word.box.bottom == pytest.approx(before.box.bottom, abs=4)


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_turned_page_is_read_and_its_boxes_stand_where_it_shows_them(turn: int, context: HookContext) -> None:
    image = text_page(turn=turn)
    result = plugin.ocr(image, ENGLISH, context)
    assert " ".join(result.extracted_text.split()) == TEXT
    width, height = image.width * 72 / image.dpi, image.height * 72 / image.dpi
    first, second = result.words[0].box, result.words[1].box
    assert max(first.right, second.right) <= width
    assert max(first.bottom, second.bottom) <= height
    if turn == 180:
        assert second.right < first.left
    else:
        # Turned anticlockwise, reading goes up; turned clockwise, it goes down.
        assert (second.top > first.top) is (turn == 270)


def test_a_blank_page_has_no_word(context: HookContext) -> None:
    result = plugin.ocr(page_image(Image.new("L", (1200, 1600), 255)), ENGLISH, context)
    assert (result.extracted_text, result.words, result.confidence) == ("", (), 0.0)


def test_noise_gives_no_confident_text(context: HookContext) -> None:
    """A photograph without text: what is read of it, if anything, is marked as doubtful."""
    chance = random.Random(4)
    photo = Image.new("L", (60, 80))
    photo.putdata([chance.randrange(256) for _ in range(60 * 80)])
    result = plugin.ocr(page_image(photo.resize((900, 1200), Image.Resampling.BICUBIC)), ENGLISH, context)
    assert not [word.text for word in result.words if word.confidence > 0.8 and len(word.text) > 3]


def test_the_same_page_twice_is_the_same_answer(read: OCRResult, context: HookContext) -> None:
    again = plugin.ocr(text_page(), ENGLISH, context)
    assert again.words == read.words
    assert again.extracted_text == read.extracted_text


def test_a_giant_is_refused_before_it_is_decoded(context: HookContext) -> None:
    began = time.monotonic()
    with pytest.raises(ContentTooLarge, match="60,000 pixels wide and 60,000 pixels high"):
        plugin.ocr(page_image(giant_png(60_000, 60_000)), ENGLISH, context)
    assert time.monotonic() - began < 1


@pytest.mark.parametrize("data", [b"", b"no picture at all", b"\x89PNG\r\n\x1a\n" + bytes(40)])
def test_what_is_no_picture_is_refused(data: bytes, context: HookContext) -> None:
    with pytest.raises(OcrFailed, match="no PNG"):
        plugin.ocr(page_image(data), ENGLISH, context)


def test_a_picture_that_ends_early_is_a_failed_recognition(context: HookContext) -> None:
    """Its header is whole, its pixels are not."""
    with pytest.raises(OcrFailed, match="decoded"):
        plugin.ocr(page_image(giant_png(500, 500)[:45]), ENGLISH, context)


def test_a_language_without_a_model_is_not_available(context: HookContext) -> None:
    with pytest.raises(ToolUnavailable, match="do not read the requested language"):
        plugin.ocr(text_page(), OCRRequest(languages=("en", "ru-RU")), context)


def test_there_are_no_options(context: HookContext) -> None:
    with pytest.raises(UsageError, match="psm"):
        plugin.ocr(text_page(), OCRRequest(options={"psm": 6}), context)


def test_without_its_library_the_message_says_how_to_install_it(
    context: HookContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python gives an ImportError for a module whose place is taken by None."""
    load.cache_clear()
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    with pytest.raises(ToolUnavailable) as caught:
        plugin.ocr(text_page(), ENGLISH, context)
    assert "pip install octavo-rapidocr" in caught.value.remedy
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(ToolUnavailable, match="OpenCV"):
        plugin.ocr(text_page(), ENGLISH, context)


def test_pieces_of_one_line_stand_on_one_line() -> None:
    """RapidOCR parts a line at a wide gap, as in a receipt."""

    def piece(text: str, left: float, top: float) -> Line:
        corners = ((left, top), (left + 80, top), (left + 80, top + 20), (left, top + 20))
        return Line(text, corners, 0.9, ())

    assert text_of([piece("Total", 0, 0), piece("12.50", 300, 2), piece("Paid", 0, 40)]) == "Total 12.50\nPaid"


def test_words_on_two_sides_of_a_wide_gap_are_two(context: HookContext) -> None:
    """On a page that lies a little askew the reader finds both words, and writes no blank between some of them."""
    lines = ("13:00   Boats on the upper slip", "17:05   Gauge 1 stands still", "LOGBOOK   Friday 14", "23:10   Gauge")
    askew = drawn_text(lines, size=24).rotate(1, fillcolor=255)
    read = plugin.ocr(page_image(askew), ENGLISH, context).extracted_text
    assert read.splitlines() == [" ".join(line.split()) for line in lines]
    assert read.split() == " ".join(lines).split()


@pytest.mark.parametrize(
    ("quarters", "box"),
    [(0, (10, 20, 30, 25)), (1, (75, 10, 80, 30)), (2, (70, 25, 90, 30)), (3, (20, 20, 25, 40))],
)
def test_corners_go_back_to_the_picture_as_it_was(quarters: int, box: tuple[int, int, int, int]) -> None:
    """A picture of 100 by 50 pixels, turned anticlockwise to be read."""
    corners = ((10.0, 20.0), (30.0, 20.0), (30.0, 25.0), (10.0, 25.0))
    assert turn_back(corners, quarters, width=100, height=50) == box


def test_importing_the_plugin_does_not_import_the_engine() -> None:
    code = (
        "import sys, octavo_rapidocr.plugin\n"
        "assert not {'rapidocr', 'onnxruntime', 'cv2', 'numpy', 'PIL'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_onnxruntime_records_no_usage_events(tmp_path: Path) -> None:
    """DIG-27: outside a worker too; with events on, it writes a database below HOME and sends it from a thread of its own."""
    around = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    program = "import numpy; from octavo_rapidocr.engine import read; read(numpy.full((90, 400, 3), 255, numpy.uint8))"
    subprocess.run([sys.executable, "-c", program], check=True, env=around | {"HOME": str(tmp_path)}, timeout=120)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
