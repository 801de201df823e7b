"""PDFs of scanned pages for tests. Needs pikepdf and, for images, Pillow."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pikepdf
    from PIL import Image

LETTER = (612, 792)
"""Width and height of a page in points."""
_LINE = 80
"""Letters per line of a page of text."""


def scanned_pdf(*pages: Image.Image | str, jpeg: int | None = None) -> bytes:
    """Return a PDF with one image per page, like the output of a scanner; equal pages give equal bytes.

    Args:
        pages: greyscale images; a string gives a page of real text instead.
        jpeg: JPEG quality of the images; None: uncompressed.
    """
    import pikepdf

    pdf = pikepdf.new()
    for content in pages:
        if isinstance(content, str):
            add_text(pdf, content)
        else:
            add_picture(pdf, content, jpeg=jpeg)
    out = io.BytesIO()
    pdf.save(out, deterministic_id=True)
    return out.getvalue()


def add_picture(pdf: pikepdf.Pdf, picture: Image.Image, *, jpeg: int | None = None) -> pikepdf.Page:
    """Add a page that has only a greyscale image."""
    import pikepdf

    data = io.BytesIO(picture.tobytes())
    if jpeg is not None:
        data = io.BytesIO()
        picture.save(data, "JPEG", quality=jpeg)
    stream = pikepdf.Stream(
        pdf,
        data.getvalue(),
        Type=pikepdf.Name.XObject,
        Subtype=pikepdf.Name.Image,
        Width=picture.width,
        Height=picture.height,
        ColorSpace=pikepdf.Name.DeviceGray,
        BitsPerComponent=8,
    )
    if jpeg is not None:
        stream.stream_dict["/Filter"] = pikepdf.Name.DCTDecode
    page = pdf.add_blank_page(page_size=LETTER)
    page.add_resource(stream, pikepdf.Name.XObject, pikepdf.Name.Scan)
    page.contents_add(b"q 612 0 0 792 0 0 cm /Scan Do Q")
    return page


def add_text(pdf: pikepdf.Pdf, text: str) -> pikepdf.Page:
    """Add a page of text in Helvetica; the text must be ASCII without parentheses."""
    page = pdf.add_blank_page(page_size=LETTER)
    add_font(page)
    lines = " ".join(f"({text[at : at + _LINE]}) Tj T*" for at in range(0, len(text), _LINE))
    page.contents_add(f"BT /F 10 Tf 14 TL 72 700 Td {lines} ET".encode())
    return page


def add_font(page: pikepdf.Page) -> None:
    """Add Helvetica as `/F` to a page."""
    import pikepdf

    font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
    page.add_resource(font, pikepdf.Name.Font, pikepdf.Name.F)
