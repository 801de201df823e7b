"""Encodes pixels as PNG."""

from __future__ import annotations

import struct
import zlib

GREY, COLOUR, ALPHA = 0, 2, 6
"""Colour types: grey; red, green, blue; the same with transparency. 8 bits a channel."""


def encode_png(scanlines: bytes, *, width: int, height: int, colour: int = GREY, level: int) -> bytes:
    """Encode scanlines as PNG.

    Args:
        scanlines: the rows from the top, each after a byte 0: unfiltered.
        width: pixels of a row.
        height: number of rows.
        colour: a colour type.
        level: of compression, 1 to 9.
    """
    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(scanlines, level)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
