"""Fresh images: photographs and scans that lie on their side, with their own resolution, date, title and author."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from .png_bytes import png
from .truths import Truth
from .words import Words

_TOLD = (
    "JPEG", "JPG", "PNG", "TIFF", "TIF", "BMP", "image", "Image", "picture", "Picture", "photograph", "pixels", "px", "page", "in", "x",
    "grey", "gray", "grayscale", "greyscale", "colour", "color", "L", "dpi",
)  # fmt: skip
"""Words with which a converter may describe an image."""
_STEP = 16
"""Pixels by which sizes of images differ: whole blocks of JPEG."""


class _Image(NamedTuple):
    """An image: its size in pixels as it is stored, its resolution and its orientation as Exif counts them, 1 upright."""

    width: int
    height: int
    dpi: int
    orientation: int

    @property
    def shown(self) -> tuple[int, int]:
        """Width and height of the displayed image, in pixels."""
        return (self.height, self.width) if self.orientation >= 5 else (self.width, self.height)

    @property
    def points(self) -> tuple[float, float]:
        """Width and height of the displayed image, in points."""
        width, height = self.shown
        return width * 72 / self.dpi, height * 72 / self.dpi


def _image(words: Words, *, orientation: int) -> _Image:
    n = words.dice.randint
    return _Image(_STEP * n(20, 30), _STEP * n(8, 16), words.dice.choice((120, 150, 200, 240, 300)), orientation)


def _truth(images: Sequence[_Image]) -> dict[str, object]:
    numbers = {str(number) for one in images for number in (*one.shown, one.dpi, len(images))}
    return {"sizes": tuple(one.points for one in images), "allowed": (*_TOLD, *sorted(numbers))}


def _entries(entries: Sequence[tuple[int, int, int, bytes]], start: int, *, following: int = 0) -> bytes:
    """Return a directory of TIFF at a place; each entry is tag, type, count and value, in the order of tags; `following`: place of the next one."""
    listed, values = b"", b""
    behind = start + 2 + 12 * len(entries) + 4
    for tag, kind, count, value in entries:
        if len(value) > 4:
            listed += struct.pack("<HHII", tag, kind, count, behind + len(values))
            values += value + b"\0" * (len(value) % 2)
        else:
            listed += struct.pack("<HHI", tag, kind, count) + value.ljust(4, b"\0")
    return struct.pack("<H", len(entries)) + listed + struct.pack("<I", following) + values


def _short(value: int) -> bytes:
    return struct.pack("<H", value)


def _text(tag: int, text: str) -> tuple[int, int, int, bytes]:
    data = text.encode("ascii") + b"\0"
    return tag, 2, len(data), data


def _exif(orientation: int, title: str, author: str, taken: datetime) -> bytes:
    """Return what a camera writes: orientation, description, artist, and when the photograph was taken."""
    head = [_text(270, title), (274, 3, 1, _short(orientation)), _text(315, author)]
    start = 8 + len(_entries([*head, (34665, 4, 1, b"\0" * 4)], 8))
    directory = _entries([*head, (34665, 4, 1, struct.pack("<I", start))], 8)
    return b"II*\0\x08\0\0\0" + directory + _entries([_text(36867, f"{taken:%Y:%m:%d %H:%M:%S}")], start)


def _segment(marker: int, data: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(data) + 2) + data


def _jpeg_bytes(image: _Image, exif: bytes, levels: Sequence[int]) -> bytes:
    """Return a grey baseline JPEG of flat blocks; `levels`: how much lighter each block is than the one before, 0 to 3."""
    bits = ""
    for level in levels:
        # Categories 0 to 3 of a difference have the codes 00 to 11; the end of a block is 0.
        size = level.bit_length()
        bits += f"{size:02b}" + (f"{level:0{size}b}" if size else "") + "0"
    bits += "1" * (-len(bits) % 8)
    scan = bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8)).replace(b"\xff", b"\xff\0")
    frame = struct.pack(">BHHBBBB", 8, image.height, image.width, 1, 1, 0x11, 0)
    # A fifth category, so that no code is all ones.
    direct = b"\0" + bytes((0, 0, 5, *(0,) * 13)) + bytes(range(5))
    alternating = b"\x10" + bytes((1, *(0,) * 15)) + b"\0"
    return b"".join(
        (
            b"\xff\xd8",
            _segment(0xE0, b"JFIF\0\1\1\1" + struct.pack(">HHBB", image.dpi, image.dpi, 0, 0)),
            _segment(0xE1, b"Exif\0\0" + exif),
            _segment(0xDB, b"\0" + b"\1" * 64),
            _segment(0xC0, frame),
            _segment(0xC4, direct),
            _segment(0xC4, alternating),
            _segment(0xDA, bytes((1, 1, 0, 0, 63, 0))),
            scan,
            b"\xff\xd9",
        )
    )


def _jpeg(words: Words, *, orientations: Sequence[int]) -> Truth:
    n = words.dice.randint
    image = _image(words, orientation=words.dice.choice(orientations))
    taken = datetime(n(2005, 2024), n(1, 12), n(1, 28), n(0, 23), n(0, 59), n(0, 59))
    title, author = words.line(3), words.heading()
    blocks = image.width // 8 * image.height // 8
    levels = [words.dice.choice((0, 0, 1)) for _ in range(blocks)]
    data = _jpeg_bytes(image, _exif(image.orientation, title, author, taken), levels)
    truth = {**_truth([image]), "title": title, "author": author, "date": taken.isoformat()}
    told = (*truth["allowed"], *title.split(), *author.split())  # type: ignore[misc] # a tuple of words
    return data, "page", [""], {**truth, "allowed": told}


def _png(words: Words) -> Truth:
    image = _image(words, orientation=1)
    rows = [bytes(words.dice.choices((0, 128, 255), k=1)) * image.width for _ in range(image.height)]
    return png(rows, dpi=image.dpi), "page", [""], _truth([image])


def _tiff(words: Words) -> Truth:
    """Pages of several sizes, resolutions and their units, some of which lie on their side."""
    images = [_image(words, orientation=one) for one in words.dice.sample((1, 1, 3, 6, 8), 4)]
    data = b"II*\0\x08\0\0\0"
    for place, image in enumerate(images, start=1):
        # The units take turns.
        metric = place % 2 == 0
        strip = len(data) + len(_tags(image, start=len(data), strip=0, following=0, metric=metric))
        pixels = bytes((words.dice.randint(0, 255),)) * (image.width * image.height)
        following = strip + len(pixels) if place < len(images) else 0
        data += _tags(image, start=len(data), strip=strip, following=following, metric=metric) + pixels
    return data, "page", [""] * len(images), _truth(images)


def _tags(image: _Image, *, start: int, strip: int, following: int, metric: bool) -> bytes:
    """Return the directory of a page of TIFF: grey, in one strip.

    Args:
        image: the page.
        start: place of the directory.
        strip: place of the pixels.
        following: place of the next directory; 0 for none.
        metric: whether its resolution is in dots for each centimetre; otherwise for each inch.
    """
    # An inch is 2.54 centimetres.
    dots = struct.pack("<II", image.dpi * 100, 254) if metric else struct.pack("<II", image.dpi, 1)
    shorts = {
        256: image.width,
        257: image.height,
        258: 8,
        259: 1,
        262: 1,
        274: image.orientation,
        277: 1,
        278: image.height,
        296: 3 if metric else 2,
    }
    longs = {273: strip, 279: image.width * image.height}
    entries = [(tag, 3, 1, _short(value)) for tag, value in shorts.items()]
    entries += [(tag, 4, 1, struct.pack("<I", value)) for tag, value in longs.items()]
    entries += [(282, 5, 1, dots), (283, 5, 1, dots)]
    return _entries(sorted(entries), start, following=following)


def _bmp(words: Words) -> Truth:
    image = _image(words, orientation=1)
    metre = round(image.dpi / 0.0254)
    palette = b"".join(bytes((level, level, level, 0)) for level in range(256))
    pixels = bytes((words.dice.randint(0, 255),)) * (image.width * image.height)
    start = 14 + 40 + len(palette)
    head = struct.pack("<2sIHHI", b"BM", start + len(pixels), 0, 0, start)
    about = struct.pack("<IiiHHIIiiII", 40, image.width, image.height, 1, 8, 0, len(pixels), metre, metre, 256, 0)
    return head + about + palette + pixels, "page", [""], _truth([image])


IMAGE_FILES: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "bmp/scan.bmp": ("image/bmp", _bmp),
    "jpg/photo.jpg": ("image/jpeg", partial(_jpeg, orientations=(1, 2, 3, 4))),
    "jpg/turned.jpg": ("image/jpeg", partial(_jpeg, orientations=(5, 6, 7, 8))),
    "png/scan.png": ("image/png", _png),
    "tiff/scan.tiff": ("image/tiff", _tiff),
}
"""Path → media type, and the function that makes the document."""
