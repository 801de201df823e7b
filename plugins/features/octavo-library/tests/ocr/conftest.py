"""What the tests of recognition share: a converter, recognisers written on the spot, scans of one shade."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from octavo_conformance.scans import scanned_pdf
from PIL import Image

CONVERTER = """\
from octavo_contracts import Conversion, Page, hookimpl
import pypdfium2

@hookimpl
def convert(source):
    document = pypdfium2.PdfDocument(source.read_bytes())
    texts = [page.get_textpage().get_text_range() for page in document]
    pages = tuple(
        Page(number=n, markdown=text, text=text, width=612, height=792) for n, text in enumerate(texts, start=1)
    )
    return Conversion(pages=pages, paginated=True)
"""
"""A converter of PDF files that takes their text layer and no more."""

READER = """\
from datetime import datetime, timezone
from octavo_contracts import BoundingBox, OcrFailed, OCRResult, OCRWord, hookimpl
import struct, zlib

def darkest(png):
    width = struct.unpack(">I", png[16:20])[0]
    data = zlib.decompress(b"".join(png[i + 8 : i + 8 + n] for i, n in chunks(png)))
    return min(data[1 : width + 1])

def chunks(png):
    at = 8
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            yield at, size
        at += size + 12

@hookimpl
def ocr(image, request):
    shade = darkest(image.png)
    {special}
    text = "{name} reads shade %d in %s" % (shade, request.languages[0])
    words = tuple(
        OCRWord(text=word, box=BoundingBox(left=20 + 60 * n, top=30, right=70 + 60 * n, bottom=42), confidence={confidence})
        for n, word in enumerate(text.split())
    )
    return OCRResult(
        page_number=1, page_fingerprint="0" * 64, extracted_text=text, words=words, confidence={confidence},
        method="{name}", processed_at=datetime.now(timezone.utc), tool_version="1.0",
    )
"""
"""A recogniser: its text names the shade of the picture's first row."""


@pytest.fixture
def scan() -> Callable[..., bytes]:
    """`scan(200, "a text")`: see `made_scan`."""
    return made_scan


@cache
def made_scan(*pages: int | str) -> bytes:
    """A PDF: for a number, a picture of that shade with a black square; for a text, a page of text."""
    return scanned_pdf(*(content if isinstance(content, str) else _shade(content) for content in pages))


def _shade(grey: int) -> Image.Image:
    picture = Image.new("L", (306, 396), grey)
    picture.paste(0, (100, 200, 200, 300))
    return picture


@pytest.fixture
def reader_code() -> str:
    """The code of a recogniser, with places for `{special}`, `{name}` and `{confidence}`."""
    return READER


@pytest.fixture
def engines(make_plugin: Any) -> Callable[..., None]:
    """`engines(keen=0.9)`: recognisers by name with their confidence, and the converter `blank`."""
    make_plugin("blank", CONVERTER, media_types=["application/pdf"])

    def make(special: str = "pass", **confidences: float) -> None:
        for place, (name, confidence) in enumerate(confidences.items()):
            code = READER.replace("{special}", special).replace("{name}", name).replace("{confidence}", str(confidence))
            make_plugin(name, code, hooks=["ocr"], priority=100 - place)

    return make
