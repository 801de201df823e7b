"""Rendering, looking at pages and writing a text layer, called as the worker calls them."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import time
import zlib
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2
import pytest
from octavo.builtins.classification import SCANNED_DENSITY
from octavo.conversion.ocr.worker import LookAnswer, LookRequest, RenderAnswer, RenderRequest, look, render
from octavo_conformance.scans import add_font, add_picture
from octavo_contracts import (
    BoundingBox,
    ContentTooLarge,
    FileSource,
    HookContext,
    OcrFailed,
    OCRWord,
    SourceCorrupt,
    SourceEncrypted,
    UsageError,
)
from octavo_searchable_pdf.writer import LayerPage, LayerRequest, write_searchable
from PIL import Image, ImageDraw, ImageFont

LETTER = (612, 792)
LINES = ("Water stood on the mole", "and the lamp was lit at noon")


@pytest.fixture
def context(tmp_path: Path) -> HookContext:
    return HookContext(work_dir=tmp_path, deadline=time.monotonic() + 60)


def picture(lines: tuple[str, ...] = LINES, *, size: tuple[int, int] = (1275, 1650), ink: int = 0) -> Image.Image:
    page = Image.new("L", size, 255)
    pen = ImageDraw.Draw(page)
    for place, line in enumerate(lines):
        pen.text((150, 150 + 80 * place), line, fill=ink, font=ImageFont.load_default(40))
    return page


def circles() -> Image.Image:
    """A drawing without a direction."""
    page = Image.new("L", (900, 700), 255)
    pen = ImageDraw.Draw(page)
    for place in range(12):
        pen.ellipse((60 * place, 40 * place, 60 * place + 180, 40 * place + 180), outline=0, width=4)
    return page


def scan_pdf(*pictures: Image.Image, rotate: int = 0, text: str | None = None, password: str | None = None) -> bytes:
    """A PDF of pictures, a page each, as a scanner makes it; with `text`, an invisible layer of that."""
    pdf = pikepdf.new()
    for image in pictures:
        page = add_picture(pdf, image, jpeg=70)
        if text is not None:
            add_font(page)
            page.contents_add(b"q BT 3 Tr /F 12 Tf 72 700 Td (" + text.encode() + b") Tj ET Q BT /F 12 Tf 0 Tr ET")
        if rotate:
            page.obj["/Rotate"] = rotate
    out = io.BytesIO()
    encryption = pikepdf.Encryption(user=password, owner=password + "!") if password else False
    pdf.save(out, encryption=encryption)
    return out.getvalue()


def source_of(tmp_path: Path, data: bytes, *, media_type: str = "application/pdf") -> FileSource:
    path = tmp_path / f"source-{hashlib.sha256(data).hexdigest()[:8]}"
    path.write_bytes(data)
    return FileSource(path, media_type=media_type)


class TestRender:
    def draw(self, source: FileSource, context: HookContext, **request: Any) -> RenderAnswer:
        asked = RenderRequest(**{"page": 1, "dpi": 150, "max_pixels": 10_000_000, **request})
        return RenderAnswer.read(render(asked.to_json().encode(), source, context))

    def test_a_page_comes_as_grey_pixels_at_the_resolution_asked_for(
        self, tmp_path: Path, context: HookContext
    ) -> None:
        drawn = self.draw(source_of(tmp_path, scan_pdf(picture())), context)
        with Image.open(io.BytesIO(drawn.image.png)) as read:
            read.load()
            assert read.mode == "L"
            assert read.size == pytest.approx((1275, 1650), abs=1)
            low, high = read.getextrema()
        assert (drawn.image.width, drawn.image.height) == read.size
        assert drawn.image.dpi == pytest.approx(150)
        assert low < 60 < 200 < high
        assert not drawn.blank

    def test_the_fingerprint_goes_by_what_the_page_looks_like(self, tmp_path: Path, context: HookContext) -> None:
        """OCR-3: the same page in another document is the same page."""
        alone = self.draw(source_of(tmp_path, scan_pdf(picture())), context)
        second = self.draw(source_of(tmp_path, scan_pdf(picture(("Another",)), picture())), context, page=2)
        other = self.draw(source_of(tmp_path, scan_pdf(picture(("Another",)), picture())), context, page=1)
        assert alone.image.page_fingerprint == second.image.page_fingerprint
        assert alone.image.page_fingerprint != other.image.page_fingerprint

    def test_a_page_askew_is_straightened_if_asked_and_keeps_its_fingerprint(
        self, tmp_path: Path, context: HookContext
    ) -> None:
        """OCR-3: the cache key is the page as it is displayed."""
        page = picture(LINES * 8).rotate(3, resample=Image.Resampling.BICUBIC, expand=True, fillcolor=255)
        source = source_of(tmp_path, scan_pdf(page))
        straight, displayed = (self.draw(source, context, rectify=wanted) for wanted in (True, False))
        assert straight.rectification is not None
        assert straight.rectification.degrees == pytest.approx(-3, abs=0.3)
        assert displayed.rectification is None
        assert straight.image.page_fingerprint == displayed.image.page_fingerprint
        assert straight.image.png != displayed.image.png

    @pytest.mark.parametrize("scene", ["straight", "sideways", "glow", "noise", "circles"])
    def test_a_straight_page_and_a_picture_without_lines_stay_as_they_are(
        self, scene: str, tmp_path: Path, context: HookContext
    ) -> None:
        drawn = {
            "straight": lambda: picture(LINES * 8),
            "sideways": lambda: picture(LINES * 8).rotate(90, expand=True),
            "glow": lambda: Image.radial_gradient("L").resize((900, 700)),
            "noise": lambda: Image.effect_noise((900, 700), 90),
            "circles": circles,
        }[scene]()
        answer = self.draw(source_of(tmp_path, scan_pdf(drawn)), context, rectify=True)
        assert answer.rectification is None

    def test_a_huge_page_is_rendered_at_a_lower_resolution(self, tmp_path: Path, context: HookContext) -> None:
        pdf = pikepdf.new()
        pdf.add_blank_page(page_size=(14_400, 14_400))
        out = io.BytesIO()
        pdf.save(out)
        drawn = self.draw(source_of(tmp_path, out.getvalue()), context, dpi=300, max_pixels=1_000_000)
        assert drawn.image.width * drawn.image.height <= 1_003_000
        assert drawn.image.dpi == pytest.approx(5, abs=0.1)

    def test_a_blank_page_is_known_for_one(self, tmp_path: Path, context: HookContext) -> None:
        drawn = self.draw(source_of(tmp_path, scan_pdf(Image.new("L", (100, 130), 255))), context)
        assert (drawn.blank, drawn.undecodable) == (True, 0)

    def test_specks_on_uneven_paper_are_a_blank_page_and_a_page_number_is_none(
        self, tmp_path: Path, context: HookContext
    ) -> None:
        paper = Image.linear_gradient("L").resize((1275, 1650)).point(lambda value: 215 + value // 12)
        for x, y in ((300, 400), (900, 1200), (640, 30)):
            paper.paste(90, (x, y, x + 2, y + 2))
        assert self.draw(source_of(tmp_path, scan_pdf(paper)), context).blank
        ImageDraw.Draw(paper).text((637, 1600), "7", fill=60, font_size=24)
        assert not self.draw(source_of(tmp_path, scan_pdf(paper)), context).blank

    def test_a_picture_that_is_lost_is_told_from_a_blank_page(self, tmp_path: Path, context: HookContext) -> None:
        """A corrupt JPEG in a PDF: pdfium draws nothing, and says nothing."""
        data = scan_pdf(picture())
        start = data.index(b"\xff\xd8\xff")
        broken = data[:start] + bytes(4000) + data[start + 4000 :]
        drawn = self.draw(source_of(tmp_path, broken), context)
        assert (drawn.blank, drawn.undecodable) == (True, 1)

    def test_what_is_no_page_is_refused(self, tmp_path: Path, context: HookContext) -> None:
        source = source_of(tmp_path, scan_pdf(picture()))
        with pytest.raises(UsageError, match="the document has 1"):
            self.draw(source, context, page=2)
        with pytest.raises(SourceCorrupt):
            self.draw(source_of(tmp_path, b"%PDF-1.7 nothing"), context)
        with pytest.raises(SourceEncrypted):
            self.draw(source_of(tmp_path, scan_pdf(picture(), password="mole")), context)

    def test_a_narrow_page_is_drawn_wide_enough_to_see(self, tmp_path: Path, context: HookContext) -> None:
        pdf = pikepdf.new()
        pdf.add_blank_page(page_size=(6, 300))
        out = io.BytesIO()
        pdf.save(out)
        assert self.draw(source_of(tmp_path, out.getvalue()), context, dpi=72).image.width >= 32

    @pytest.mark.parametrize(
        ("mode", "kind", "media_type"),
        [("1", "TIFF", "image/tiff"), ("RGBA", "PNG", "image/png"), ("P", "GIF", "image/gif"), ("RGB", "WEBP", "image/webp"), ("I;16", "PNG", "image/png")],
    )  # fmt: skip
    def test_images_of_every_mode_come_as_grey(
        self, mode: str, kind: str, media_type: str, tmp_path: Path, context: HookContext
    ) -> None:
        if mode == "I;16":
            rows = [500 if 50 <= x < 100 and 50 <= y < 100 else 60_000 for y in range(200) for x in range(300)]
            image = Image.frombytes("I;16", (300, 200), struct.pack("<60000H", *rows))
        elif mode == "RGBA":
            image = Image.new("RGBA", (300, 200), (0, 0, 0, 0))
            image.paste((0, 0, 0, 255), (50, 50, 100, 100))
        else:
            grey = Image.new("L", (300, 200), 255)
            grey.paste(0, (50, 50, 100, 100))
            image = grey.convert(mode)
        out = io.BytesIO()
        image.save(out, kind)
        drawn = self.draw(source_of(tmp_path, out.getvalue(), media_type=media_type), context)
        with Image.open(io.BytesIO(drawn.image.png)) as read:
            assert read.getpixel((75, 75)) < 20
            assert read.getpixel((200, 150)) > 235

    def test_an_image_is_turned_as_its_camera_says(self, tmp_path: Path, context: HookContext) -> None:
        exif = Image.Exif()
        exif[274] = 6
        out = io.BytesIO()
        Image.new("L", (300, 200), 255).save(out, "JPEG", exif=exif)
        drawn = self.draw(source_of(tmp_path, out.getvalue(), media_type="image/jpeg"), context)
        assert (drawn.image.width, drawn.image.height, drawn.image.dpi) == (200, 300, 300)

    def test_a_large_image_is_scaled_down_and_its_points_stay(self, tmp_path: Path, context: HookContext) -> None:
        out = io.BytesIO()
        Image.new("L", (2000, 1000), 255).save(out, "PNG", dpi=(200, 200))
        source = source_of(tmp_path, out.getvalue(), media_type="image/png")
        image = self.draw(source, context, max_pixels=500_000).image
        assert image.width * image.height <= 500_000
        assert image.width * 72 / image.dpi == pytest.approx(720, rel=0.01)

    def test_each_page_of_a_tiff_can_be_drawn(self, tmp_path: Path, context: HookContext) -> None:
        frames = [Image.new("L", (100 + place, 50), 255) for place in range(3)]
        out = io.BytesIO()
        frames[0].save(out, "TIFF", save_all=True, append_images=frames[1:])
        source = source_of(tmp_path, out.getvalue(), media_type="image/tiff")
        assert [self.draw(source, context, page=number).image.width for number in (1, 2, 3)] == [100, 101, 102]
        with pytest.raises(UsageError, match="no page 4"):
            self.draw(source, context, page=4)

    def test_broken_and_giant_images_are_refused(self, tmp_path: Path, context: HookContext) -> None:
        def chunk(kind: bytes, data: bytes) -> bytes:
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        giant = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0))
        giant += chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
        with pytest.raises(ContentTooLarge, match="60,000"):
            self.draw(source_of(tmp_path, giant, media_type="image/png"), context)
        with pytest.raises(OcrFailed, match="opened"):
            self.draw(source_of(tmp_path, b"nothing", media_type="image/png"), context)
        out = io.BytesIO()
        picture().save(out, "PNG")
        with pytest.raises(OcrFailed, match="decoded"):
            self.draw(source_of(tmp_path, out.getvalue()[:900], media_type="image/png"), context)


def test_pages_are_looked_at_for_trustworthy_text(tmp_path: Path, context: HookContext) -> None:
    """OCR-2, CLS-4: a picture alone needs recognition, text beside a picture does not."""
    layer = (
        "The mole was under water, and the lamp was lit at noon, as it had been in the storm of the year before last. "
    )
    pdf = pikepdf.open(io.BytesIO(scan_pdf(picture())))
    pdf.pages.extend(pikepdf.open(io.BytesIO(scan_pdf(picture(), text=layer * 3))).pages)
    out = io.BytesIO()
    pdf.save(out)
    source = source_of(tmp_path, out.getvalue())
    payload = LookRequest(pages=(1, 2, 9), scanned_density=SCANNED_DENSITY).to_json().encode()
    pages = LookAnswer.read(look(payload, source, context)).pages
    assert [(page.page_number, page.needs_ocr) for page in pages] == [(1, True), (2, False)]


def word(text: str, left: float, top: float, right: float, bottom: float) -> OCRWord:
    return OCRWord(text=text, box=BoundingBox(left=left, top=top, right=right, bottom=bottom), confidence=0.9)


HARBOUR = (word("Hafen", 100, 200, 150, 212), word("Гавань", 160, 200, 220, 212), word("港口", 230, 200, 260, 212))


class TestSearchable:
    def write(self, data: bytes, tmp_path: Path, context: HookContext, *words: OCRWord, **request: Any) -> bytes:
        asked = LayerRequest(pages=(LayerPage(page=1, words=words or HARBOUR),), **request)
        return write_searchable(asked.to_json().encode(), source_of(tmp_path, data), context)

    def read(self, data: bytes) -> list[tuple[str, tuple[float, float, float, float]]]:
        """Every character of the first page with its box in user space, as pdfium reads them."""
        document = pypdfium2.PdfDocument(data)
        try:
            page = document[0]
            text_page = page.get_textpage()
            text = text_page.get_text_range()
            found = [(char, text_page.get_charbox(place)) for place, char in enumerate(text) if not char.isspace()]
            text_page.close()
            page.close()
        finally:
            document.close()
        return found

    @pytest.mark.parametrize("rotate", [0, 90, 180, 270])
    def test_words_of_any_script_can_be_selected_where_they_are_seen(
        self, rotate: int, tmp_path: Path, context: HookContext
    ) -> None:
        """OCR-4: read back by another reader, however the page is turned to be shown."""
        read = self.read(self.write(scan_pdf(picture(), rotate=rotate), tmp_path, context))
        assert sorted(char for char, _ in read) == sorted("HafenГавань港口")
        boxes = [box for _, box in read]
        left, bottom = min(box[0] for box in boxes), min(box[1] for box in boxes)
        right, top = max(box[2] for box in boxes), max(box[3] for box in boxes)
        width, height = LETTER
        expected = {
            0: (100, height - 212, 260, height - 200),
            90: (200, 100, 212, 260),
            180: (width - 260, 200, width - 100, 212),
            270: (width - 212, height - 260, width - 200, height - 100),
        }[rotate]
        assert (left, bottom, right, top) == pytest.approx(expected, abs=0.6)

    def test_pictures_are_copied_byte_for_byte_and_look_the_same(self, tmp_path: Path, context: HookContext) -> None:
        data = scan_pdf(picture(), picture(("Second page",)))
        written = self.write(data, tmp_path, context)
        with pikepdf.open(io.BytesIO(data)) as before, pikepdf.open(io.BytesIO(written)) as after:
            for old, new in zip(before.pages, after.pages, strict=True):
                assert old.resources.XObject.Scan.read_raw_bytes() == new.resources.XObject.Scan.read_raw_bytes()
        request = RenderRequest(page=1, dpi=100, max_pixels=10**7).to_json().encode()
        seen = [RenderAnswer.read(render(request, source_of(tmp_path, pdf), context)) for pdf in (data, written)]
        assert seen[0].image.page_fingerprint == seen[1].image.page_fingerprint

    def test_the_same_words_give_the_same_bytes(self, tmp_path: Path, context: HookContext) -> None:
        data = scan_pdf(picture())
        assert self.write(data, tmp_path, context) == self.write(data, tmp_path, context)

    def test_a_junk_layer_gives_way_and_visible_text_stays(self, tmp_path: Path, context: HookContext) -> None:
        text = "".join(
            char for char, _ in self.read(self.write(scan_pdf(picture(), text="zqx junk"), tmp_path, context))
        )
        assert "junk" not in text
        assert "Hafen" in text

    def test_hundreds_of_different_characters_find_room(self, tmp_path: Path, context: HookContext) -> None:
        """A font holds 255 of them; a Chinese page has more."""
        text = "".join(chr(0x4E00 + number) for number in range(600))
        words = [word(text[start : start + 20], 50, 50 + start, 550, 62 + start) for start in range(0, 600, 20)]
        read = self.read(self.write(scan_pdf(picture()), tmp_path, context, *words))
        assert sorted(char for char, _ in read) == sorted(text)

    def test_an_encrypted_document_stays_encrypted(self, tmp_path: Path, context: HookContext) -> None:
        data = scan_pdf(picture(), password="mole")
        with pytest.raises(SourceEncrypted):
            self.write(data, tmp_path, context)
        written = self.write(data, tmp_path, context, password="mole")
        with pytest.raises(pikepdf.PasswordError):
            pikepdf.open(io.BytesIO(written))
        with pikepdf.open(io.BytesIO(written), password="mole") as after:
            assert len(after.pages) == 1

    def test_what_can_not_be_written_is_refused(self, tmp_path: Path, context: HookContext) -> None:
        with pytest.raises(SourceCorrupt):
            self.write(b"nothing at all", tmp_path, context)
        asked = LayerRequest(pages=(LayerPage(page=5, words=HARBOUR),)).to_json().encode()
        with pytest.raises(UsageError, match="page 5 does not exist"):
            write_searchable(asked, source_of(tmp_path, scan_pdf(picture())), context)

    def test_a_word_without_size_is_left_out(self, tmp_path: Path, context: HookContext) -> None:
        written = self.write(scan_pdf(picture()), tmp_path, context, *HARBOUR, word("flat", 10, 10, 10, 10))
        assert "flat" not in "".join(char for char, _ in self.read(written))


def test_requests_are_plain_json() -> None:
    """They cross a pipe to the worker."""
    asked = json.loads(LayerRequest(pages=(LayerPage(page=1, words=HARBOUR[:1]),)).to_json())
    assert asked["pages"][0]["words"][0]["text"] == "Hafen"
