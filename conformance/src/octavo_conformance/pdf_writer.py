"""Writes PDF files from given content streams, so that a test controls its document byte for byte.

page = PdfPage(show_text("Annual report", 72, 700))
data = PdfFile([page], info={"Title": "Report"}).to_bytes()
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

GREY_PIXEL = (
    b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\n"
    b"stream\n\x80\nendstream"
)
"""An image object with one pixel."""


def show_text(text: str, x: float, y: float, *, size: float = 12, mode: int = 0, colour: str = "0 g") -> bytes:
    """Return the operators that show one string.

    Args:
        text: the string; only characters of cp1252.
        x: position of the first letter, in points from the left edge of the page.
        y: position of the baseline, in points from the lower edge.
        size: font size, in points.
        mode: the text render mode; 3 is invisible.
        colour: the operator that sets the colour.
    """
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"q {colour} BT /F1 {size} Tf {mode} Tr 1 0 0 1 {x} {y} Tm ({escaped}) Tj ET Q\n".encode("cp1252")


def show_lines(lines: Sequence[str], *, x: float = 72, y: float = 700, size: float = 12, leading: float = 14) -> bytes:
    """Return the operators that show lines of text `leading` points apart; the first baseline is at `y`."""
    return b"".join(show_text(line, x, y - leading * index, size=size) for index, line in enumerate(lines))


@dataclass(frozen=True)
class PdfPage:
    """A page.

    Attributes:
        content: its operators; `/F1` is Helvetica.
        width: width in points, before rotation.
        height: height in points, before rotation.
        rotate: rotation for display, degrees clockwise: 0, 90, 180 or 270.
        extra: further entries of the page's dictionary.
        resources: further entries of its resources.
    """

    content: bytes = b""
    width: float = 612
    height: float = 792
    rotate: int = 0
    extra: str = ""
    resources: str = ""


@dataclass(frozen=True)
class PdfFile:
    """A PDF file. Object 1 is the catalogue, 2 the page tree, 3 Helvetica.

    Attributes:
        pages: its pages, in order.
        info: the document information: key, for example "Title" → text.
        catalog: further entries of the catalogue.
    """

    pages: Sequence[PdfPage]
    info: Mapping[str, str] = field(default_factory=dict)
    catalog: str = ""

    def to_bytes(self, *, reserved: Sequence[bytes] = ()) -> bytes:
        """Return the file; equal content gives equal bytes with the same version of zlib.

        Args:
            reserved: objects that the pages refer to; the first has number 4.
        """
        font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
        objects = [b"", b"", font, *reserved]
        kids = []
        for page in self.pages:
            objects += [_compressed(page.content), _dictionary(page, content=len(objects) + 1)]
            kids.append(f"{len(objects)} 0 R")
        objects[0] = f"<< /Type /Catalog /Pages 2 0 R {self.catalog} >>".encode()
        objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>".encode()
        if not self.info:
            return _joined(objects, trailer="")
        entries = " ".join(f"/{key} <FEFF{value.encode('utf-16-be').hex()}>" for key, value in self.info.items())
        objects.append(f"<< {entries} >>".encode())
        return _joined(objects, trailer=f"/Info {len(objects)} 0 R")


def _compressed(data: bytes) -> bytes:
    packed = zlib.compress(data)
    return b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed)


def _dictionary(page: PdfPage, *, content: int) -> bytes:
    return (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {page.width} {page.height}] /Rotate {page.rotate}"
        f" /Resources << /Font << /F1 3 0 R >> {page.resources} >> /Contents {content} 0 R {page.extra} >>"
    ).encode()


def _joined(objects: Sequence[bytes], *, trailer: str) -> bytes:
    """Join numbered objects, the table of their offsets, and the trailer."""
    out, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += f"trailer << /Size {len(offsets) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)
