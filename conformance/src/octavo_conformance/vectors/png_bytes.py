"""Draws text with a bitmap font of five by seven dots and writes PNG files."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from functools import cache

from .more_letters import MORE_LETTERS, SIGNS

FONT: dict[str, tuple[str, ...]] = {
    "A": ("01110", "10001", "10001", "11111", "10001", "10001", "10001"),
    "C": ("01110", "10001", "10000", "10000", "10000", "10001", "01110"),
    "D": ("11110", "10001", "10001", "10001", "10001", "10001", "11110"),
    "E": ("11111", "10000", "10000", "11110", "10000", "10000", "11111"),
    "G": ("01110", "10001", "10000", "10111", "10001", "10001", "01110"),
    "O": ("01110", "10001", "10001", "10001", "10001", "10001", "01110"),
    "P": ("11110", "10001", "10001", "11110", "10000", "10000", "10000"),
    "R": ("11110", "10001", "10001", "11110", "10100", "10010", "10001"),
    "S": ("01111", "10000", "10000", "01110", "00001", "00001", "11110"),
    "T": ("11111", "00100", "00100", "00100", "00100", "00100", "00100"),
    "V": ("10001", "10001", "10001", "10001", "10001", "01010", "00100"),
    "Ä": ("01010", "00000", "01110", "10001", "11111", "10001", "10001"),
    "É": ("00010", "00100", "11111", "10000", "11110", "10000", "11111"),
    "Ö": ("01010", "00000", "01110", "10001", "10001", "10001", "01110"),
    "Ü": ("01010", "00000", "10001", "10001", "10001", "10001", "01110"),
    "2": ("01110", "10001", "00001", "00110", "01000", "10000", "11111"),
    "4": ("00010", "00110", "01010", "10010", "11111", "00010", "00010"),
}
"""The letters used by the vectors, row by row from the top."""

FIGURES: dict[str, tuple[str, ...]] = {
    "1": ("00100", "01100", "00100", "00100", "00100", "00100", "01110"),
    "2": FONT["2"],
    "3": ("11111", "00010", "00100", "00010", "00001", "10001", "01110"),
    "4": FONT["4"],
    "5": ("11111", "10000", "11110", "00001", "00001", "10001", "01110"),
    "6": ("00110", "01000", "10000", "11110", "10001", "10001", "01110"),
    "7": ("11111", "00001", "00010", "00100", "01000", "01000", "01000"),
    "8": ("01110", "10001", "10001", "01110", "10001", "10001", "01110"),
    "9": ("01110", "10001", "10001", "01111", "00001", "00010", "01100"),
}
"""The figures of fresh pages, without the nought, which has the dots of the letter O."""

_ALL = {**SIGNS, **MORE_LETTERS, **FIGURES, **FONT}
DOT = 6
"""Pixels per dot."""
MARGIN = 60
"""Pixels around the text."""
ADVANCE, LEADING = 6 * DOT, 14 * DOT


def draw(lines: Sequence[str], *, width: int = 1240, height: int = 400) -> tuple[bytes, ...]:
    """Return rows of greyscale pixels, 0 black and 255 white."""
    blank = b"\xff" * width
    rows = [blank] * MARGIN
    for line in lines:
        rows += _rows_of(line, blank)
    rows += [blank] * (height - len(rows))
    return tuple(rows[:height])


def _rows_of(line: str, blank: bytes) -> list[bytes]:
    """Return the rows of pixels of a line of text, with the space up to the next line."""
    rows: list[bytes] = []
    letters = [(MARGIN + place * ADVANCE, _ALL.get(letter, ())) for place, letter in enumerate(line)]
    for y in range(max((len(dots) for _, dots in letters), default=0)):
        row = bytearray(blank)
        for left, dots in letters:
            if y < len(dots):  # some letters go below the line
                row[left : left + 5 * DOT] = _pixels(dots[y])
        rows += [bytes(row)] * DOT
    return rows + [blank] * (LEADING - len(rows))


@cache
def _pixels(dots: str) -> bytes:
    """Return a row of pixels of a letter from its dots."""
    return b"".join((b"\x00" if dot == "1" else b"\xff") * DOT for dot in dots)


def png(rows: Sequence[bytes], *, dpi: int = 150) -> bytes:
    """Return a greyscale PNG, stored uncompressed so that its bytes do not depend on the version of zlib."""
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    metre = round(dpi / 0.0254)
    pixels = zlib.compress(b"".join(b"\x00" + row for row in rows), 0)
    chunks = ((b"IHDR", header), (b"pHYs", struct.pack(">IIB", metre, metre, 1)), (b"IDAT", pixels), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
