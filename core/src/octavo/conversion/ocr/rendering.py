"""Renders pages as grey pixels. Runs in the worker only: pdfium and Pillow decode untrusted documents.

OCR needs brightness only, so one byte per pixel is enough; hashing, sending and storing take a third of the time that
colours would take.
"""

from __future__ import annotations

import hashlib
import math
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from octavo_contracts import ContentTooLarge, OcrFailed, PageImage, SourceCorrupt, ToolUnavailable, UsageError
from octavo_contracts.authoring.png import encode_png
from octavo_sandbox.preflight import PdfFile

from .rectification import Rectification, rectify

if TYPE_CHECKING:
    from PIL import Image

MAX_DECODED_PIXELS = 100_000_000
"""Largest image that is decoded, according to its header."""
DEFAULT_IMAGE_DPI = 300.0
"""Resolution of an image that declares none, or one that no scanner has."""
_PLAUSIBLE_DPI = (100.0, 1200.0)
_MIN_SIDE, _MAX_DPI = 32, 600.0
_PNG_LEVEL = 1
"""Fastest level: the PNG is used for one call only."""
_SAMPLED = 100_000
"""Pixels by which the shade of the paper is found."""
_INK = 32
"""A pixel that is lighter or darker than the paper by more than this many levels of grey is ink."""
MAX_BLANK_INK = 5.0
"""A page with at most this many square points of ink is blank: specks of a scanner. A figure of ten points has seven."""
_IMAGE_OBJECT = 3
"""pdfium's FPDF_PAGEOBJ_IMAGE."""


@dataclass(frozen=True)
class Pixels:
    """A grey picture.

    Attributes:
        width: pixels.
        height: pixels.
        rows: one byte per pixel, row after row from the top, without padding.
        dpi: pixels per inch of the page.
        undecodable: pictures on the page that could not be decoded; counted only if the page rendered blank.
    """

    width: int
    height: int
    rows: bytes
    dpi: float
    undecodable: int = 0

    @property
    def is_blank(self) -> bool:
        """Whether all pixels are the paper's, but for specks: its shade is the most common one."""
        if self.rows.count(self.rows[:1]) == len(self.rows):
            return True
        sample = self.rows[:: max(1, len(self.rows) // _SAMPLED)]
        paper = max(range(256), key=lambda grey: sample.count(grey))
        ink = bytes(abs(grey - paper) > _INK for grey in range(256))
        return self.rows.translate(ink).count(1) * (72 / self.dpi) ** 2 <= MAX_BLANK_INK

    def fingerprint(self) -> str:
        """SHA-256 of size and pixels: equal for pages that look the same, in any document (OCR-3)."""
        digest = hashlib.sha256(struct.pack(">II", self.width, self.height))
        digest.update(self.rows)
        return digest.hexdigest()

    def png(self) -> bytes:
        """Encode the picture as PNG."""
        lines = bytearray()
        for start in range(0, len(self.rows), self.width):
            lines.append(0)
            lines += self.rows[start : start + self.width]
        return encode_png(bytes(lines), width=self.width, height=self.height, level=_PNG_LEVEL)

    def rectified(self) -> tuple[Pixels, Rectification | None]:
        """Return the picture as a recogniser reads it best, and how it was rectified; itself and None if it need not be.

        Without Pillow, which is needed to turn a picture, every page stays as it is.
        """
        try:
            from PIL import Image
        except ImportError:
            return self, None
        grey = Image.frombuffer("L", (self.width, self.height), self.rows, "raw", "L", 0, 1)
        page, done = rectify(grey, dpi=self.dpi)
        return (self, None) if done is None else (Pixels(page.width, page.height, page.tobytes(), self.dpi), done)

    def page_image(self, number: int, *, fingerprint: str | None = None) -> PageImage:
        """Build the argument of the hook `ocr`.

        Args:
            number: the page, from 1.
            fingerprint: fingerprint of the page as it is displayed; None: of this picture.
        """
        return PageImage(
            page_number=number,
            page_fingerprint=fingerprint or self.fingerprint(),
            width=self.width,
            height=self.height,
            dpi=self.dpi,
            png=self.png(),
        )


def render_pdf_page(pdf: PdfFile, number: int, *, dpi: float, max_pixels: int) -> Pixels:
    """Render a page of an open PDF.

    Args:
        pdf: the document.
        number: the page, from 1.
        dpi: the requested resolution.
        max_pixels: a larger page is rendered at a lower resolution.

    Raises:
        UsageError: the page does not exist.
        OcrFailed: pdfium cannot load or render the page.
    """
    import pypdfium2

    if pdf.document is None:
        raise SourceCorrupt(f"pdfium cannot open the PDF ({pdf.error})")
    if not 1 <= number <= pdf.page_count:
        raise UsageError(f"page {number} does not exist; the document has {pdf.page_count} pages")
    try:
        page = pdf.document[number - 1]
    except pypdfium2.PdfiumError as error:
        raise OcrFailed(f"pdfium cannot load the page: {error}", page=number) from error
    try:
        width, height = page.get_size()
        scale = _scale(width, height, dpi=dpi, max_pixels=max_pixels)
        bitmap = page.render(scale=scale, grayscale=True)
        try:
            rows = _unpadded(bytes(bitmap.buffer), bitmap.width, bitmap.height, bitmap.stride)
            drawn = Pixels(bitmap.width, bitmap.height, rows, 72 * scale)
        finally:
            bitmap.close()
        if drawn.is_blank:
            drawn = Pixels(drawn.width, drawn.height, drawn.rows, drawn.dpi, _undecodable(page))
        return drawn
    except pypdfium2.PdfiumError as error:
        raise OcrFailed(f"pdfium cannot render the page: {error}", page=number) from error
    finally:
        page.close()


def render_image(stream: IO[bytes], number: int, *, max_pixels: int) -> Pixels:
    """Render a frame of an image as a viewer shows it: rotated by its EXIF orientation, transparency on white.

    Args:
        stream: the image.
        number: the frame, from 1.
        max_pixels: a larger image is scaled down.

    Raises:
        UsageError: the frame does not exist.
        ContentTooLarge: the header declares more pixels than `MAX_DECODED_PIXELS`.
        OcrFailed: the image cannot be decoded.
        ToolUnavailable: Pillow is not installed.
    """
    with open_image(stream) as picture:
        try:
            picture.seek(number - 1)
            _check_size(picture.size)
            grey = _upright_grey(picture)
        except EOFError as error:
            raise UsageError(f"the image has no page {number}") from error
        except (OSError, SyntaxError, ValueError, ArithmeticError, struct.error, zlib.error) as error:
            raise OcrFailed(f"the image cannot be decoded: {error}", page=number) from error
        dpi = image_dpi(picture)
        if grey.width * grey.height > max_pixels:
            shrink = (max_pixels / (grey.width * grey.height)) ** 0.5
            grey, dpi = grey.resize((max(1, int(grey.width * shrink)), max(1, int(grey.height * shrink)))), dpi * shrink
        return Pixels(grey.width, grey.height, grey.tobytes(), dpi)


@contextmanager
def open_image(stream: IO[bytes]) -> Iterator[Image.Image]:
    """Open an image with Pillow: its header is read, nothing is decoded.

    Raises:
        ToolUnavailable: Pillow is not installed.
        OcrFailed: the file is not an image, or has more pixels than Pillow opens.
    """
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise ToolUnavailable(
            "Pillow, which decodes images, is not installed", remedy="Run: pip install pillow"
        ) from error
    # `_check_size` checks the size from the header, with a better message.
    Image.MAX_IMAGE_PIXELS = None
    try:
        picture = Image.open(stream)
    except UnidentifiedImageError as error:  # its message contains a memory address
        raise OcrFailed("the image cannot be opened: it is damaged or of an unsupported format") from error
    except (OSError, SyntaxError, ValueError, ArithmeticError, struct.error, zlib.error) as error:
        raise OcrFailed(f"the image cannot be opened: {error}") from error
    with picture:
        yield picture


def image_dpi(picture: Image.Image) -> float:
    """Return the resolution that an image declares if it is plausible for a scanner, else the default."""
    given = picture.info.get("dpi")
    value = float(given[0]) if isinstance(given, tuple) and given and isinstance(given[0], int | float) else 0.0
    low, high = _PLAUSIBLE_DPI
    return value if low <= value <= high else DEFAULT_IMAGE_DPI


def _upright_grey(picture: Image.Image) -> Any:
    from PIL import Image, ImageOps

    upright = ImageOps.exif_transpose(picture)
    if "A" in upright.getbands() or "transparency" in upright.info:
        seen = upright.convert("RGBA")
        paper = Image.new("RGBA", seen.size, "white")
        paper.alpha_composite(seen)
        upright = paper
    if upright.mode.startswith(("I", "F")):
        # 16 bits and more: Pillow would clip values at 255.
        deep = upright.convert("F")
        brightest: Any = deep.getextrema()[1]
        upright = deep.point(lambda value: value * (255.0 / max(brightest, 1.0)) + 0.0)
    return upright.convert("L")


def _check_size(size: tuple[int, int]) -> None:
    width, height = size
    if width * height > MAX_DECODED_PIXELS:
        raise ContentTooLarge(
            f"the image has {width:,} by {height:,} pixels; at most {MAX_DECODED_PIXELS:,} are decoded",
            remedy="Scale the image down",
        )


def _scale(width: float, height: float, *, dpi: float, max_pixels: int) -> float:
    """Return pixels per point: as requested, less for a huge page, more for a page too small to be read."""
    if not (width > 0 and height > 0):
        raise OcrFailed("the page has no size")
    most = math.sqrt(max_pixels / (width * height))
    scale = min(dpi / 72, most)
    if min(width, height) * scale < _MIN_SIDE:
        scale = min(_MIN_SIDE / min(width, height), _MAX_DPI / 72, most)
    if min(width, height) * scale < 1:
        raise OcrFailed(f"a page of {width:g} by {height:g} points is too narrow to render")
    return scale


def _unpadded(data: bytes, width: int, height: int, stride: int) -> bytes:
    if stride == width:
        return data[: width * height]
    return b"".join(data[row * stride : row * stride + width] for row in range(height))


def _undecodable(page: Any) -> int:
    """Count the pictures of a page that pdfium cannot decode: a damaged scan looks like a blank page."""
    import pypdfium2.raw as raw

    lost = 0
    for thing in page.get_objects(filter=[_IMAGE_OBJECT], max_depth=3):
        bitmap = raw.FPDFImageObj_GetBitmap(thing.raw)
        if bitmap:
            raw.FPDFBitmap_Destroy(bitmap)
        else:
            lost += 1
    return lost
