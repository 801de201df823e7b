"""Images as documents: pages, sizes, metadata; and what is refused."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.page_pictures import giant_png
from octavo_contracts import (
    ContentTooLarge,
    Conversion,
    OctavoError,
    SourceCorrupt,
    SourceEmpty,
    ToolUnavailable,
    UnsupportedFormat,
    UsageError,
)
from octavo_pillow import plugin
from PIL import Image

TYPES = {"png": "image/png", "jpg": "image/jpeg", "tiff": "image/tiff", "gif": "image/gif", "webp": "image/webp", "bmp": "image/bmp"}  # fmt: skip
Convert = Callable[..., Conversion]


@pytest.fixture
def convert(tmp_path: Path) -> Convert:
    """`convert(bytes, "png", pages=(2,))`."""
    call = ConvertCall(plugin.convert, tmp_path)
    return lambda data, extension, **request: call(data, TYPES[extension], name=f"picture.{extension}", **request)


def encoded(picture: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)  # type: ignore[arg-type] # whatever the format takes
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("extension", "kind", "shown"),
    [("png", "PNG", "PNG"), ("jpg", "JPEG", "JPEG"), ("tiff", "TIFF", "TIFF"), ("gif", "GIF", "GIF"), ("webp", "WEBP", "WebP"), ("bmp", "BMP", "BMP")],
)  # fmt: skip
def test_every_format_becomes_a_placeholder_with_its_facts(
    extension: str, kind: str, shown: str, convert: Convert
) -> None:
    """CNV-10: format and size in the markdown, and no invented text."""
    conversion = convert(encoded(Image.new("RGB", (640, 480), "teal"), kind), extension)
    (page,) = conversion.pages
    assert page.markdown.startswith(f"![{shown} image, 640 × 480 pixels")
    assert page.text == ""
    assert (page.kind, conversion.paginated, page.has_images) == ("page", True, True)


def test_each_page_of_a_tiff_is_a_page(convert: Convert) -> None:
    frames = [Image.new("1", (100 + place, 200), 1) for place in range(3)]
    data = encoded(frames[0], "TIFF", save_all=True, append_images=frames[1:], dpi=(200, 200))
    conversion = convert(data, "tiff")
    assert conversion.paginated
    assert [re.findall(r"\d+ × \d+", page.markdown) for page in conversion.pages] == [
        ["100 × 200"],
        ["101 × 200"],
        ["102 × 200"],
    ]
    assert conversion.pages[0].width == pytest.approx(36.0)
    assert "black and white" in conversion.pages[0].markdown


def test_pages_can_be_chosen(convert: Convert) -> None:
    frames = [Image.new("L", (100 + place, 200)) for place in range(4)]
    data = encoded(frames[0], "TIFF", save_all=True, append_images=frames[1:])
    conversion = convert(data, "tiff", pages=(2, 4))
    assert conversion.source_pages == (2, 4)
    assert ["× 200" in page.markdown and page.markdown.split()[2] for page in conversion.pages] == ["101", "103"]
    with pytest.raises(UsageError, match="5"):
        convert(data, "tiff", pages=(5,))


def test_a_tiff_of_many_pages_is_read_whole_or_refused(convert: Convert) -> None:
    frames = [Image.new("1", (20, 20)) for _ in range(500)]
    data = encoded(frames[0], "TIFF", save_all=True, append_images=frames[1:])
    assert len(convert(data, "tiff").pages) == 500
    with pytest.raises(ContentTooLarge, match="500"):
        convert(data, "tiff", max_pages=499)


def test_sizes_are_those_of_the_picture_as_it_is_shown(convert: Convert) -> None:
    """EXIF orientation 6: the camera was held upright."""
    exif = Image.Exif()
    exif[274] = 6
    conversion = convert(encoded(Image.new("RGB", (640, 480)), "JPEG", exif=exif), "jpg")
    assert "480 × 640" in conversion.pages[0].markdown


def test_every_page_of_a_turned_tiff_is_shown_upright(convert: Convert) -> None:
    """Pillow exchanges the sides of pages itself, of the first page in another way than of later ones."""
    frames = [Image.new("L", (640, 480)) for _ in range(3)]
    for frame in frames:
        frame.encoderinfo = {"tiffinfo": {274: 6}}  # type: ignore[attr-defined] # of each page, see `Image.save`
    data = encoded(frames[0], "TIFF", save_all=True, append_images=frames[1:], tiffinfo={274: 6})
    assert ["480 × 640" in page.markdown for page in convert(data, "tiff").pages] == [True] * 3


def test_what_the_camera_wrote_is_metadata_and_the_place_is_not(convert: Convert) -> None:
    exif = Image.Exif()
    exif[270], exif[271], exif[272], exif[315] = "The north mole", "Lumen", "K2", "R. Osei"
    exif.get_ifd(0x8769)[36867] = "2024:03:09 17:20:05"
    exif.get_ifd(0x8825)[2] = (57.0, 9.0, 12.0)
    conversion = convert(encoded(Image.new("RGB", (64, 48)), "JPEG", exif=exif), "jpg")
    metadata = conversion.metadata
    assert (metadata.title, metadata.author, metadata.date) == ("The north mole", "R. Osei", "2024-03-09T17:20:05")
    assert metadata.fields == {"format": "JPEG", "camera": "Lumen K2"}
    assert "57" not in metadata.to_json()


def test_a_date_that_is_none_is_left_out(convert: Convert) -> None:
    exif = Image.Exif()
    exif[306], exif[305] = "0000:00:00 00:00:00", "Scan 3"
    metadata = convert(encoded(Image.new("RGB", (64, 48)), "JPEG", exif=exif), "jpg").metadata
    assert (metadata.date, metadata.fields["software"]) == (None, "Scan 3")


def test_of_an_animation_the_first_picture_is_the_document(convert: Convert) -> None:
    frames = [Image.new("L", (30, 30), 80 * place) for place in range(3)]
    data = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    conversion = convert(data, "gif")
    assert len(conversion.pages) == 1
    assert conversion.metadata.fields["animation_frames"] == 3


def test_a_giant_is_refused_before_it_is_decoded(convert: Convert) -> None:
    began = time.monotonic()
    with pytest.raises(ContentTooLarge, match="60,000 pixels wide and 60,000 pixels high"):
        convert(giant_png(60_000, 60_000), "png")
    assert time.monotonic() - began < 1


@pytest.mark.parametrize(
    ("data", "error"),
    [(b"", SourceEmpty), (b"no image", SourceCorrupt), (giant_png(300, 300), SourceCorrupt)],
)
def test_broken_images_are_refused(data: bytes, error: type[OctavoError], convert: Convert) -> None:
    with pytest.raises(error) as caught:
        convert(data, "png")
    assert caught.value.plugin == "pillow"
    assert caught.value.source == "picture.png"


def test_a_cut_jpeg_is_refused(convert: Convert) -> None:
    whole = encoded(Image.effect_noise((300, 300), 80), "JPEG")
    with pytest.raises(SourceCorrupt):
        convert(whole[: len(whole) // 3], "jpg")


def test_a_first_page_that_is_lost_is_said(convert: Convert) -> None:
    """The other pages of the TIFF are kept."""
    frames = [Image.effect_noise((200, 200), 80), Image.new("L", (50, 50))]
    data = bytearray(encoded(frames[0], "TIFF", save_all=True, append_images=frames[1:], compression="tiff_lzw"))
    data[12:4000] = bytes(3988)
    conversion = convert(bytes(data), "tiff")
    assert len(conversion.pages) == 2
    assert [(warning.code, warning.page) for warning in conversion.warnings] == [("partial_conversion", 1)]


def test_bytes_of_another_format_are_not_opened_by_its_decoder(convert: Convert) -> None:
    with pytest.raises(SourceCorrupt):
        convert(encoded(Image.new("RGB", (9, 9)), "PNG"), "jpg")


def test_another_type_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedFormat):
        ConvertCall(plugin.convert, tmp_path)("<svg/>", "image/svg+xml", name="a.svg")


def test_without_pillow_the_message_says_how_to_install_it(convert: Convert, monkeypatch: pytest.MonkeyPatch) -> None:
    data = encoded(Image.new("L", (9, 9)), "PNG")
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ToolUnavailable) as caught:
        convert(data, "png")
    assert "pip install octavo-pillow" in caught.value.remedy


def test_a_resolution_that_no_scanner_has_counts_as_none(convert: Convert) -> None:
    """Screens write 72 or 96, some programs 1."""
    conversion = convert(encoded(Image.new("L", (600, 300)), "PNG", dpi=(1, 1)), "png")
    assert conversion.pages[0].width == pytest.approx(144.0)


def test_importing_the_plugin_does_not_import_the_engine() -> None:
    code = "import sys, octavo_pillow.plugin\nassert 'PIL' not in sys.modules\n"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_readme_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = Path(__file__).parents[1] / "README.md"
    (code,) = re.findall(r"```python\n(.*?)```", readme.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "photo.jpg").write_bytes(encoded(Image.new("RGB", (640, 480)), "JPEG"))
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})
    assert "JPEG image, 640 × 480 pixels" in capsys.readouterr().out
