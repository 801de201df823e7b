"""Converts an image to a `Conversion`: a placeholder with facts for each page, without text (CNV-10).

OCR finds out whether an image has text, and replaces the placeholder by it.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import NamedTuple

from octavo_contracts import (
    ContentTooLarge,
    Conversion,
    ConversionWarning,
    ConvertRequest,
    DegradedFlag,
    OctavoError,
    Page,
    SourceCorrupt,
    SourceEmpty,
    SourceView,
    ToolUnavailable,
    UnsupportedFormat,
)
from octavo_contracts.authoring import source_pages, wanted_pages

from .exif import read_metadata, shown_size

PLUGIN = "pillow"
FORMATS = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/tiff": "TIFF",
    "image/gif": "GIF",
    "image/webp": "WEBP",
    "image/bmp": "BMP",
}
"""Media type → the one decoder that may open it."""
MAX_PIXELS = 100_000_000
"""Width times height of a page by its header; a larger one is never decoded."""
DEFAULT_DPI = 300.0
"""Resolution of an image that gives none, or one that no scanner has."""
_PLAUSIBLE_DPI = (100.0, 1200.0)

_DAMAGE = (OSError, SyntaxError, ValueError, ArithmeticError, LookupError, struct.error, zlib.error)
"""What Pillow raises over damaged bytes."""
_MODES = {"1": "black and white", "L": "grey", "LA": "grey", "I;16": "grey", "I": "grey", "F": "grey"}


class _Frame(NamedTuple):
    """One page of an image.

    Attributes:
        width: pixels, as it is shown.
        height: pixels, as it is shown.
        dpi: its resolution.
        colours: in words.
    """

    width: int
    height: int
    dpi: float
    colours: str


def convert_image(source: SourceView, request: ConvertRequest) -> Conversion:
    """Describe an image. Of an animation, its first picture is the document.

    Raises:
        UnsupportedFormat: the request's media type is no image's, or the bytes are of another format.
        SourceEmpty: no bytes.
        SourceCorrupt: no image in the bytes, or one whose first page cannot be decoded.
        ContentTooLarge: a page has more than `MAX_PIXELS`, or there are more than `request.max_pages`.
        UsageError: a page was asked for that the image has not.
        ToolUnavailable: Pillow cannot be imported.
    """
    try:
        return _convert(source, request)
    except OctavoError as error:
        error.located(source=source.name, plugin=PLUGIN)
        raise
    except _DAMAGE as error:
        raise SourceCorrupt(f"the image cannot be read: {error}", source=source.name, plugin=PLUGIN) from error


def _convert(source: SourceView, request: ConvertRequest) -> Conversion:
    kind = FORMATS.get(request.media_type)
    if kind is None:
        raise UnsupportedFormat(f"{request.media_type} is no image that is read here")
    if not source.size:
        raise SourceEmpty("the file has no bytes")
    try:
        from PIL import Image, __version__
    except ImportError as error:
        raise ToolUnavailable(f"Pillow cannot be imported: {error}", remedy="Run: pip install octavo-pillow") from error
    # Its own check is a warning; ours, by the header, is an error.
    Image.MAX_IMAGE_PIXELS = None
    with source.open() as stream, Image.open(stream, formats=(kind,)) as picture:
        count = int(getattr(picture, "n_frames", 1))
        numbers = wanted_pages(request, count if kind == "TIFF" else 1)
        frames, warnings = _frames(picture, numbers)
        metadata = read_metadata(picture, kind=kind, frames=count)
    pages = tuple(
        Page(
            number=place,
            markdown=_placeholder(frame, kind),
            text="",
            width=frame.width * 72 / frame.dpi,
            height=frame.height * 72 / frame.dpi,
            has_images=True,
        )
        for place, frame in enumerate(frames, start=1)
    )
    return Conversion(
        pages=pages,
        paginated=True,
        metadata=metadata,
        warnings=tuple(warnings),
        engine_version=__version__,
        source_pages=source_pages(request, numbers),
    )


def _frames(picture: object, numbers: Sequence[int]) -> tuple[list[_Frame], list[ConversionWarning]]:
    """The facts of each page. The first is decoded too, so that a broken image is known for one."""
    from PIL import Image

    assert isinstance(picture, Image.Image)
    frames: list[_Frame] = []
    warnings: list[ConversionWarning] = []
    for place, number in enumerate(numbers, start=1):
        picture.seek(number - 1)
        width, height = picture.size
        if width * height > MAX_PIXELS:
            raise ContentTooLarge(
                f"the image is {width:,} pixels wide and {height:,} pixels high; at most {MAX_PIXELS:,} in all are decoded",
                page=number,
                remedy="Scale the image down",
            )
        # Pillow drops the orientation of a page of TIFF as it is decoded.
        size = shown_size(picture)
        if place == 1:
            try:
                picture.load()
            except _DAMAGE as error:
                if len(numbers) == 1:
                    raise
                message = f"page {number} cannot be decoded: {error}"
                warnings.append(
                    ConversionWarning(code=DegradedFlag.PARTIAL_CONVERSION.value, message=message, page=place)
                )
        frames.append(_Frame(*size, _dpi(picture.info.get("dpi")), _MODES.get(picture.mode, "in colour")))
    return frames, warnings


def _placeholder(frame: _Frame, kind: str) -> str:
    """What stands in the page's place in markdown: an image without an address, its facts as the alternative text."""
    return f"![{'WebP' if kind == 'WEBP' else kind} image, {frame.width} × {frame.height} pixels, {frame.colours}]()"


def _dpi(given: object) -> float:
    low, high = _PLAUSIBLE_DPI
    try:
        value = float(given[0])  # type: ignore[index] # whatever the file gave: what is no pair of numbers is refused below
    except (TypeError, ValueError, LookupError, ArithmeticError):
        return DEFAULT_DPI
    return value if low <= value <= high else DEFAULT_DPI
