"""Finds out how much of a page's ink lies outside the recognised words.

Tesseract's layout analysis drops parts of a page without a trace, narrow columns of figures above all. Their ink stays.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable

Box = tuple[int, int, int, int]
"""Left, top, width, height, in pixels."""

_HEADER = 33
"""Bytes of the signature and of the first chunk."""
_SAMPLED = 100_000
"""Pixels by which the shade of the paper is found."""
_INK = 64
"""A pixel that differs from the paper by more than this many levels of grey is ink."""


def unread_share(png: bytes, boxes: Iterable[Box]) -> float:
    """Return the share of a page's ink outside the boxes of its words, 0..1; 0 for a PNG that is not plain grey.

    Args:
        png: the page, as the host renders it: 8 bits of grey, unfiltered.
        boxes: of its words. Ink where two overlap counts twice as read.
    """
    width: int
    height: int
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", png[16:29])
    if (depth, colour, interlaced) != (8, 0, 0):
        return 0.0
    stride = width + 1
    packed = zlib.decompressobj()
    try:
        data = packed.decompress(b"".join(_data_of(png)), stride * height)
    except zlib.error:
        return 0.0  # Tesseract read a damaged picture as far as it goes
    if len(data) != stride * height or any(data[::stride]):
        return 0.0
    sample = data[:: max(1, len(data) // _SAMPLED)]
    paper = max(range(256), key=lambda grey: sample.count(grey))
    ink = data.translate(bytes(abs(grey - paper) > _INK for grey in range(256)))
    # The byte before each row is 0, which is ink on white paper.
    total: int = ink.count(1) - height * ink[0]
    if total <= 0:
        return 0.0
    read: int = sum(
        ink.count(1, row * stride + 1 + left, row * stride + 1 + min(width, left + wide))
        for left, top, wide, high in boxes
        for row in range(top, min(height, top + high))
    )
    return max(0.0, 1 - read / total)


def _data_of(png: bytes) -> Iterable[bytes]:
    at = _HEADER
    while at + 8 <= len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            yield png[at + 8 : at + 8 + length]
        at += length + 12
