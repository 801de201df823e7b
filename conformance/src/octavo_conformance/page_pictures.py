"""Page images for tests of OCR plugins. Drawing needs Pillow.

image = text_page(turn=90)
result = plugin.ocr(image, OCRRequest(languages=("en",)), hook_context(tmp_path))
assert " ".join(result.extracted_text.split()) == TEXT
"""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from octavo_contracts import PageImage

if TYPE_CHECKING:
    from PIL import Image

LINES = (
    "The keeper lit the lamp at dusk",
    "and wrote the hour in the book.",
    "Wind from the north, force seven,",
    "visibility poor, sea rough.",
    "Two boats sheltered in the harbour",
    "until the morning of the ninth.",
)
"""The lines that `text_page` draws by default."""
TEXT = " ".join(LINES)
"""The text that an OCR plugin should read on such a page, apart from line breaks."""


def text_page(lines: Sequence[str] = LINES, *, turn: int = 0, dpi: float = 150.0, number: int = 1) -> PageImage:
    """Return a page of large print, as a host passes it to the hook `ocr`.

    Args:
        lines: the printed lines.
        turn: rotation, degrees anticlockwise.
        dpi: the stated resolution; it does not change the pixels.
        number: the page's number.
    """
    return page_image(drawn_text(lines, turn=turn), dpi=dpi, number=number)


def drawn_text(lines: Sequence[str] = LINES, *, turn: int = 0, size: int = 44) -> Image.Image:
    """Return a greyscale image of printed lines with letters `size` pixels high, rotated anticlockwise by `turn` degrees."""
    from PIL import Image, ImageDraw, ImageFont

    page = Image.new("L", (1200, 140 + 110 * len(lines)), 255)
    pen = ImageDraw.Draw(page)
    for place, line in enumerate(lines):
        pen.text((100, 70 + 110 * place), line, fill=0, font=ImageFont.load_default(size))
    return page.rotate(turn, expand=True)


def page_image(
    picture: Image.Image | bytes, *, size: tuple[int, int] | None = None, dpi: float = 150.0, number: int = 1
) -> PageImage:
    """Return an image as a host passes it to the hook `ocr`.

    Args:
        picture: a Pillow image, or raw bytes, which need not be a PNG.
        size: stated width and height, pixels; default: the image's, or 100 by 100 for bytes.
        dpi: the stated resolution.
        number: the page's number.
    """
    if isinstance(picture, bytes):
        png, (width, height) = picture, size or (100, 100)
    else:
        buffer = io.BytesIO()
        picture.save(buffer, "PNG")
        png, (width, height) = buffer.getvalue(), size or picture.size
    return PageImage(
        page_number=number,
        page_fingerprint=hashlib.sha256(png).hexdigest(),
        width=width,
        height=height,
        dpi=dpi,
        png=png,
    )


def giant_png(width: int, height: int) -> bytes:
    """Return a greyscale PNG of a few bytes whose header states a large size; nearly all of its pixels are missing."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
