"""PDFs by hand for the classifier: pages of text, pictures, lines, fields."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from octavo.builtins.classification import classify
from octavo.formats import refine
from octavo_contracts import DocumentClassification, FileSource

WORDS = "The keeper read the gauge at dawn and wrote the figure down before the tide turned. "


def text_content(lines: list[str]) -> bytes:
    shown = b" ".join(b"(%s) Tj T*" % line.replace("(", r"\(").replace(")", r"\)").encode("latin-1") for line in lines)
    return b"BT /F1 10 Tf 12 TL 50 780 Td " + shown + b" ET"


@pytest.fixture
def page_text() -> Callable[..., bytes]:
    """The content stream of a page of running text, or of the given lines."""

    def build(*lines: str) -> bytes:
        return text_content(list(lines) or [WORDS] * 40)

    return build


@pytest.fixture
def make_pdf() -> Callable[..., bytes]:
    """A PDF of the given content streams, a page each; `/Im1` is a picture of the given size."""

    def build(
        *contents: bytes,
        raster: tuple[int, int] | None = None,
        catalogue: bytes = b"",
        page_extra: bytes = b"",
        extra: tuple[bytes, ...] = (),
    ) -> bytes:
        first = 4 + bool(raster)
        pages = b" ".join(b"%d 0 R" % (first + 2 * index) for index in range(len(contents)))
        objects = [
            b"<</Type/Catalog/Pages 2 0 R" + catalogue + b">>",
            b"<</Type/Pages/Kids[%s]/Count %d>>" % (pages, len(contents)),
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        ]
        resources = b"/Font<</F1 3 0 R>>"
        if raster:
            width, height = raster
            data = bytes(width * height // 8 + height)
            objects.append(
                b"<</Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 1/ColorSpace/DeviceGray/Length %d>>"
                b"\nstream\n%s\nendstream" % (width, height, len(data), data)
            )
            resources += b"/XObject<</Im1 4 0 R>>"
        for index, content in enumerate(contents):
            objects.append(
                b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<<%s>>/Contents %d 0 R%s>>"
                % (resources, first + 2 * index + 1, page_extra)
            )
            objects.append(b"<</Length %d>>\nstream\n%s\nendstream" % (len(content), content))
        objects.extend(extra)
        return assembled(objects)

    return build


def assembled(objects: list[bytes]) -> bytes:
    body = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for offset in offsets:
        body += b"%010d 00000 n \n" % offset
    body += b"trailer\n<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(body)


@pytest.fixture
def verdict(tmp_path: Path) -> Callable[..., DocumentClassification]:
    """Detect and classify bytes under a name."""

    def run(data: bytes, name: str, **options: float) -> DocumentClassification:
        path = tmp_path / "document"
        path.write_bytes(data)
        source = FileSource(path, media_type="", name=name)
        return classify(source, refine(source), **options)

    return run
