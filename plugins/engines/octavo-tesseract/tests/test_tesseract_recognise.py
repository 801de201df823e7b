"""What Tesseract reads on drawn pages, and what it is not given."""

from __future__ import annotations

import random
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest
from octavo_conformance.page_pictures import TEXT, giant_png, page_image, text_page
from octavo_contracts import (
    ContentTooLarge,
    ConversionTimeout,
    HookContext,
    OcrFailed,
    OCRRequest,
    ToolUnavailable,
    UsageError,
)
from octavo_tesseract import plugin
from octavo_tesseract.languages import file_name, file_names
from octavo_tesseract.table import Row, left_out
from octavo_tesseract.unread_ink import unread_share
from PIL import Image, ImageDraw, ImageFont

ENGLISH = OCRRequest(languages=("en",))


def test_a_printed_page_is_read_word_by_word(context: HookContext) -> None:
    """OCR-3: text, words with boxes and confidences, and what the cache goes by."""
    image = text_page(number=7)
    result = plugin.ocr(image, ENGLISH, context)
    assert " ".join(result.extracted_text.split()) == TEXT
    assert [word.text for word in result.words] == TEXT.split()
    assert (result.page_number, result.page_fingerprint) == (7, image.page_fingerprint)
    assert result.method == "tesseract"
    assert result.language == "en"
    assert result.tool_version[0].isdigit()
    mean = sum(word.confidence for word in result.words) / len(result.words)
    assert result.confidence == pytest.approx(mean, abs=0.001)
    assert result.confidence > 0.9


def test_lines_are_kept(context: HookContext) -> None:
    text = plugin.ocr(text_page(), ENGLISH, context).extracted_text
    assert text.splitlines()[0] == "The keeper lit the lamp at dusk"


def test_boxes_are_points_whatever_the_resolution(context: HookContext) -> None:
    """The same pixels at twice the resolution are a page of half the size."""
    coarse = plugin.ocr(text_page(dpi=150.0), ENGLISH, context).words[0].box
    fine = plugin.ocr(text_page(dpi=300.0), ENGLISH, context).words[0].box
    assert coarse.left == pytest.approx(100 * 72 / 150, abs=4)
    assert fine.left == pytest.approx(coarse.left / 2, abs=1)
    assert fine.bottom == pytest.approx(coarse.bottom / 2, abs=1)


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


def test_the_same_page_twice_is_the_same_answer(context: HookContext) -> None:
    first, second = (plugin.ocr(text_page(), ENGLISH, context) for _ in range(2))
    assert first.words == second.words
    assert first.extracted_text == second.extracted_text


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
    with pytest.raises(OcrFailed, match="Tesseract"):
        plugin.ocr(page_image(giant_png(500, 500)[:45]), ENGLISH, context)


def test_a_language_that_is_not_installed_names_its_package(context: HookContext) -> None:
    with pytest.raises(ToolUnavailable) as caught:
        plugin.ocr(text_page(), OCRRequest(languages=("en", "xx")), context)
    assert "xx" in caught.value.message
    assert "apt-get install tesseract-ocr-xx" in caught.value.remedy


def test_without_the_program_the_message_says_how_to_install_it(
    context: HookContext, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolUnavailable) as caught:
        plugin.ocr(text_page(), ENGLISH, context)
    assert "apt-get install tesseract-ocr" in caught.value.remedy


def test_a_program_that_does_not_start_is_not_available(
    context: HookContext, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A file of that name which the system cannot execute."""
    broken = tmp_path / "tesseract"
    broken.write_bytes(b"\x7fELF")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolUnavailable, match="failed"):
        plugin.ocr(text_page(), ENGLISH, context)


def test_the_deadline_ends_it(tmp_path: Path) -> None:
    with pytest.raises(ConversionTimeout):
        plugin.ocr(text_page(), ENGLISH, HookContext(work_dir=tmp_path, deadline=time.monotonic() - 1))


@pytest.mark.parametrize("options", [{"psm": 0}, {"psm": 2}, {"psm": True}, {"psm": "6"}, {"oem": 1}])
def test_an_option_that_does_not_exist_is_refused(options: dict[str, object], context: HookContext) -> None:
    with pytest.raises(UsageError):
        plugin.ocr(text_page(), OCRRequest.model_validate({"options": options}), context)


def test_a_single_line_can_be_asked_for(context: HookContext) -> None:
    from PIL import ImageDraw, ImageFont

    strip = Image.new("L", (700, 90), 255)
    ImageDraw.Draw(strip).text((20, 15), "Berth 42 is free", fill=0, font=ImageFont.load_default(44))
    result = plugin.ocr(page_image(strip), OCRRequest(languages=("en",), options={"psm": 7}), context)
    assert result.extracted_text == "Berth 42 is free"


@pytest.mark.parametrize(
    ("tag", "name"),
    [("en", "eng"), ("en-GB", "eng"), ("zh", "chi_sim"), ("zh-Hant", "chi_tra"), ("zh_TW", "chi_tra"), ("deu_frak", "deu_frak")],
)  # fmt: skip
def test_language_tags_become_file_names(tag: str, name: str) -> None:
    assert file_name(tag) == name


def test_languages_keep_their_order_and_stand_once() -> None:
    names = file_names(("fr", "en", "en-US"), installed={"eng", "fra"})
    assert names == ("fra", "eng")
    assert file_names((), installed={"eng"}) == ("eng",)


def test_importing_the_plugin_starts_nothing() -> None:
    code = (
        "import sys, octavo_tesseract.plugin as p\n"
        "assert 'subprocess' not in sys.modules or 'octavo_tesseract.program' not in sys.modules\n"
        "assert not {'PIL', 'numpy', 'pandas', 'pytesseract'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_columns_that_the_layout_analysis_drops_are_read_all_the_same(context: HookContext) -> None:
    """Of figures in wide gaps the layout analysis drops some columns without a trace."""
    words = plugin.ocr(page_image(table_picture(), size=(600, 400), dpi=72.0), ENGLISH, context).extracted_text.split()
    assert {"Salary", "85,000", "72,000", "68,000", "65,000"} <= set(words)
    assert words.count("Engineering") == 1


def test_ink_outside_the_words_is_unread() -> None:
    picture = Image.new("L", (100, 60), 255)
    pen = ImageDraw.Draw(picture)
    pen.rectangle((10, 10, 29, 19), fill=0)
    pen.rectangle((10, 40, 29, 49), fill=0)
    grey, coloured = rows_of(picture), page_image(picture.convert("RGB")).png
    assert unread_share(grey, [(0, 0, 100, 60)]) == 0
    assert unread_share(grey, [(8, 8, 30, 14)]) == pytest.approx(0.5)
    assert unread_share(grey, [(80, 0, 40, 90)]) == 1
    assert unread_share(rows_of(Image.new("L", (100, 60), 255)), []) == 0
    assert unread_share(coloured, []) == 0


def test_of_a_second_reading_sure_words_in_empty_places_are_taken() -> None:
    def row(left: int, confidence: float, text: str) -> Row:
        return Row(("1", "1"), "1", (left, 0, 20, 10), confidence, text)

    again = [row(5, 0.9, "again"), row(40, 0.9, "new"), row(70, 0.3, "doubtful"), row(100, 0.9, "_-")]
    assert [one.text for one in left_out([row(0, 0.9, "first")], again)] == ["new"]


def rows_of(picture: Image.Image) -> bytes:
    """The picture as a PNG without filters, as the host renders it."""
    pixels, (width, height) = picture.tobytes(), picture.size
    rows = b"".join(b"\0" + pixels[start : start + width] for start in range(0, len(pixels), width))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def table_picture() -> bytes:
    picture = Image.new("L", (600, 400), 255)
    pen = ImageDraw.Draw(picture)
    for row, cells in enumerate(TABLE):
        for column, cell in enumerate(cells):
            pen.text(((50, 180, 320, 440)[column], 78 + 50 * row), cell, font=ImageFont.load_default(17), fill=0)
    return rows_of(picture)


TABLE = (
    ("Name", "Department", "Salary", "Years"),
    ("John Smith", "Engineering", "85,000", "5"),
    ("Jane Doe", "Marketing", "72,000", "3"),
    ("Bob Johnson", "Sales", "68,000", "7"),
    ("Alice Brown", "HR", "65,000", "4"),
)
