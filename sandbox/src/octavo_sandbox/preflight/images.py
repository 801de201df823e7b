"""Reads an image's size from its header, before anything decodes it."""

from __future__ import annotations

from typing import BinaryIO, NamedTuple

from octavo_contracts import ContentTooLarge, QualityFinding, SourceCorrupt

from .limits import PreflightLimits, how_to_raise
from .report import damaged
from .tiff import tiff_sizes

_START_OF_FRAME = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_STANDALONE = frozenset({0x01, *range(0xD0, 0xD9)})
_START_OF_SCAN = 0xDA
_END_SEARCH = 1 << 20


class ImageFacts(NamedTuple):
    """Facts from the header of an image.

    Attributes:
        sizes: width and height in pixels of each page; one for all formats but TIFF.
        findings: signs of damage.
    """

    sizes: tuple[tuple[int, int], ...]
    findings: tuple[QualityFinding, ...] = ()


def check_image(stream: BinaryIO, *, media_type: str, limits: PreflightLimits) -> ImageFacts:
    """Check an image without decoding it.

    Raises:
        SourceCorrupt: the header declares no size.
        ContentTooLarge: more pixels or pages than the limits allow.
    """
    facts = _FACTS[media_type](stream, limits)
    if not facts.sizes or any(width <= 0 or height <= 0 for width, height in facts.sizes):
        raise SourceCorrupt("the image header declares no size: the file is truncated or damaged")
    if len(facts.sizes) > limits.max_pages:
        raise ContentTooLarge(
            f"the image has more than the {limits.max_pages:,} pages allowed", remedy=how_to_raise("max_pages")
        )
    width, height = max(facts.sizes, key=lambda size: size[0] * size[1])
    if width * height > limits.max_image_pixels:
        raise ContentTooLarge(
            f"the image is {width:,} pixels wide and {height:,} pixels high; at most {limits.max_image_pixels:,} in all are allowed",
            remedy=how_to_raise("max_image_pixels", instead="Scale the image down"),
        )
    return facts


def _png(stream: BinaryIO, limits: PreflightLimits) -> ImageFacts:
    head = stream.read(24)
    if len(head) < 24 or head[12:16] != b"IHDR":
        return ImageFacts(())
    size = (int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big"))
    end = stream.seek(0, 2)
    stream.seek(max(24, end - _END_SEARCH))
    whole = b"IEND" in stream.read()
    return ImageFacts((size,), () if whole else (damaged("The PNG has no end marker."),))


def _gif(stream: BinaryIO, limits: PreflightLimits) -> ImageFacts:
    head = stream.read(10)
    if len(head) < 10:
        return ImageFacts(())
    return ImageFacts(((int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")),))


def _bmp(stream: BinaryIO, limits: PreflightLimits) -> ImageFacts:
    head = stream.read(26)
    if len(head) < 26:
        return ImageFacts(())
    if int.from_bytes(head[14:18], "little") == 12:
        return ImageFacts(((int.from_bytes(head[18:20], "little"), int.from_bytes(head[20:22], "little")),))
    width = int.from_bytes(head[18:22], "little", signed=True)
    # A negative height means that rows are stored top to bottom.
    height = abs(int.from_bytes(head[22:26], "little", signed=True))
    return ImageFacts(((width, height),))


def _webp(stream: BinaryIO, limits: PreflightLimits) -> ImageFacts:
    head = stream.read(30)
    kind = head[12:16]
    if kind == b"VP8X" and len(head) >= 30:
        size = (int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1)
    elif kind == b"VP8L" and len(head) >= 25:
        bits = int.from_bytes(head[21:25], "little")
        size = ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    elif kind == b"VP8 " and len(head) >= 30:
        size = (int.from_bytes(head[26:28], "little") & 0x3FFF, int.from_bytes(head[28:30], "little") & 0x3FFF)
    else:
        return ImageFacts(())
    return ImageFacts((size,))


def _jpeg(stream: BinaryIO, limits: PreflightLimits) -> ImageFacts:
    """Walk the segments to the frame header, then to the first scan; after that only the end marker matters."""
    size: tuple[int, int] | None = None
    stream.seek(2)
    while True:
        marker = _next_marker(stream)
        if marker is None:
            return ImageFacts((size,) if size else ())
        if marker in _STANDALONE:
            continue
        start = stream.tell()
        raw = stream.read(7)
        length = int.from_bytes(raw[:2], "big")
        if marker in _START_OF_FRAME and len(raw) == 7:
            size = (int.from_bytes(raw[5:7], "big"), int.from_bytes(raw[3:5], "big"))
        if marker == _START_OF_SCAN:
            break
        stream.seek(start + max(2, length))
    if size is None:
        return ImageFacts(())
    stream.seek(start)
    return ImageFacts((size,), () if _has_end(stream) else (damaged("The JPEG has no end marker."),))


def _next_marker(stream: BinaryIO) -> int | None:
    byte = stream.read(1)
    while byte and byte != b"\xff":
        byte = stream.read(1)
    while byte == b"\xff":
        byte = stream.read(1)
    return byte[0] if byte and byte[0] != 0xD9 else None


def _has_end(stream: BinaryIO) -> bool:
    carry = b""
    while block := stream.read(_END_SEARCH):
        if b"\xff\xd9" in carry + block:
            return True
        carry = block[-1:]
    return False


def _tiff(stream: BinaryIO, limits: PreflightLimits) -> ImageFacts:
    return ImageFacts(tiff_sizes(stream, max_pages=limits.max_pages))


_FACTS = {
    "image/png": _png,
    "image/jpeg": _jpeg,
    "image/gif": _gif,
    "image/bmp": _bmp,
    "image/webp": _webp,
    "image/tiff": _tiff,
}
