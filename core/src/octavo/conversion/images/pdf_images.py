"""The images of a PDF, page by page from top to bottom. Runs in the worker only: pdfium decodes an untrusted document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from octavo_contracts import SourceCorrupt
from octavo_contracts.authoring.png import ALPHA, COLOUR, GREY, encode_png
from octavo_sandbox.preflight import PdfFile

from .image_records import MIN_SIDE
from .image_set import ImageSet

if TYPE_CHECKING:
    import pypdfium2

_IMAGE_OBJECT = 3
"""pdfium's FPDF_PAGEOBJ_IMAGE."""
_DEPTH = 5
"""Forms in forms in which images are looked for."""
_MAX_PIXELS = 100_000_000


def collect_from_pdf(data: bytes, *, password: str | None, into: ImageSet) -> None:
    """Collect the images that the pages of a PDF show.

    JPEG streams are taken as they are. Others are decoded, with their transparency, and written as PNG.

    Args:
        data: the PDF.
        password: of an encrypted document.
        into: what takes the images.

    Raises:
        SourceEncrypted: the document needs a password.
        SourceCorrupt: pdfium cannot open it.
    """
    import pypdfium2

    with PdfFile(data, password=password) as pdf:
        if pdf.document is None:
            raise SourceCorrupt(f"pdfium cannot open the PDF ({pdf.error})")
        for number in range(1, pdf.page_count + 1):
            try:
                page = pdf.document[number - 1]
            except pypdfium2.PdfiumError:
                continue  # the converter reports pages that do not load
            try:
                _collect_from_page(page, number, into)
            finally:
                page.close()


def _collect_from_page(page: pypdfium2.PdfPage, number: int, into: ImageSet) -> None:
    import pypdfium2

    found: list[tuple[float, Any]] = []
    for one in page.get_objects(filter=[_IMAGE_OBJECT], max_depth=_DEPTH):
        try:
            found.append((-one.get_bounds()[3], one))
        except pypdfium2.PdfiumError:
            into.miss()
    for _, image in sorted(found, key=lambda one: one[0]):
        try:
            width, height = image.get_px_size()
            if min(width, height) < MIN_SIDE:
                continue
            data = _data(image, width * height)
        except (pypdfium2.PdfiumError, ValueError, ZeroDivisionError):
            data = None
        if data is None:
            into.miss()
        else:
            into.add(data, page=number)


def _data(image: Any, pixels: int) -> bytes | None:
    if image.get_filters(skip_simple=True) == ["DCTDecode"]:
        return bytes(image.get_data(decode_simple=True))
    if pixels > _MAX_PIXELS:
        return None
    bitmap = image.get_bitmap(render=True)
    try:
        return _png(bitmap)
    finally:
        bitmap.close()


def _png(bitmap: Any) -> bytes:
    """A bitmap of pdfium as PNG."""
    width, height, channels = bitmap.width, bitmap.height, bitmap.n_channels
    colour = {1: GREY, 3: COLOUR, 4: ALPHA if bitmap.mode.endswith("A") else COLOUR}[channels]
    data, lines = bytes(bitmap.buffer), bytearray()
    for start in range(0, bitmap.stride * height, bitmap.stride):
        row = data[start : start + width * channels]
        lines.append(0)
        lines += row if channels == 1 else _reordered(row, channels, alpha=colour == ALPHA)
    return encode_png(bytes(lines), width=width, height=height, colour=colour, level=6)


def _reordered(row: bytes, channels: int, *, alpha: bool) -> bytes:
    """A row of blue, green, red (and alpha) as red, green, blue (and alpha)."""
    kept = 4 if alpha else 3
    turned = bytearray(len(row) // channels * kept)
    for target, origin in ((0, 2), (1, 1), (2, 0), (3, 3))[:kept]:
        turned[target::kept] = row[origin::channels]
    return bytes(turned)
