"""Pictures of pages, drawn by the tests."""

from __future__ import annotations

import hashlib
import io
import struct
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_contracts import HookContext, OCRRequest, OCRResult, PageImage
from octavo_rapidocr import plugin
from PIL import Image, ImageDraw, ImageFont

LINES = (
    "The keeper lit the lamp at dusk",
    "and wrote the hour in the book.",
    "Wind from the north, force seven,",
    "visibility poor, sea rough.",
    "Two boats sheltered in the harbour",
    "until the morning of the ninth.",
)


def draw(lines: tuple[str, ...] = LINES, *, turn: int = 0, size: int = 44) -> Image.Image:
    """A page of large print, turned anticlockwise by `turn` degrees."""
    page = Image.new("L", (1200, 140 + 110 * len(lines)), 255)
    pen = ImageDraw.Draw(page)
    for place, line in enumerate(lines):
        pen.text((100, 70 + 110 * place), line, fill=0, font=ImageFont.load_default(size))
    return page.rotate(turn, expand=True)


def page_image(picture: Image.Image | bytes, *, dpi: float = 150.0, number: int = 1) -> PageImage:
    """A picture as the host hands it to the hook."""
    if isinstance(picture, Image.Image):
        buffer = io.BytesIO()
        picture.save(buffer, "PNG")
        size, png = picture.size, buffer.getvalue()
    else:
        size, png = (100, 100), picture
    return PageImage(
        page_number=number,
        page_fingerprint=hashlib.sha256(png).hexdigest(),
        width=size[0],
        height=size[1],
        dpi=dpi,
        png=png,
    )


def giant_png(width: int, height: int) -> bytes:
    """A few bytes that say they are a picture of that size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
    )


@pytest.fixture
def context(tmp_path: Path) -> HookContext:
    return HookContext(work_dir=tmp_path, deadline=time.monotonic() + 60)


@pytest.fixture(scope="session")
def page() -> Callable[..., PageImage]:
    """`page(lines, turn=90)`: a drawn page as the hook gets it."""

    def make(lines: tuple[str, ...] = LINES, *, turn: int = 0, dpi: float = 150.0, number: int = 1) -> PageImage:
        return page_image(draw(lines, turn=turn), dpi=dpi, number=number)

    return make


@pytest.fixture
def pictures() -> Callable[..., PageImage]:
    """`pictures(image_or_bytes)`: any picture as the hook gets it."""
    return page_image


@pytest.fixture
def giant() -> Callable[[int, int], bytes]:
    return giant_png


@pytest.fixture(scope="session")
def read(page: Callable[..., PageImage], tmp_path_factory: pytest.TempPathFactory) -> OCRResult:
    """What RapidOCR reads on `page(number=7)`, once for all tests: it takes seconds."""
    context = HookContext(work_dir=tmp_path_factory.mktemp("read"), deadline=time.monotonic() + 60)
    return plugin.ocr(page(number=7), OCRRequest(languages=("en",)), context)


@pytest.fixture
def truth() -> str:
    """What stands on the page that `page()` draws."""
    return " ".join(LINES)
