"""A picture of text: a scanned page of the logbook as PDF, without a text layer."""

from __future__ import annotations

import random
import zlib

from PIL import Image, ImageDraw, ImageFont

_LOG = [
    "LOGBOOK   Friday 14 November 2025",
    "",
    "08:00   Gauge 1  2.31 m    Gauge 2  2.34 m",
    "        Wind NW 7, glass falling fast",
    "11:20   Buoy taken in by Yusuf and Tom",
    "13:00   Boats on the upper slip",
    "17:05   Gauge 1 stands still: weed in the inlet",
    "18:40   Gauge 2 shows 1.24 m above prediction",
    "        Water over the mole, spray on the windows",
    "20:00   Gauge 2 on battery, 12.4 V",
    "23:10   Gauge 1 runs again",
    "",
    "Nobody went out.     I. Halloran",
]


def _page(lines: list[str], *, size: tuple[int, int], at: tuple[int, int], font: int, leading: int) -> Image.Image:
    """Lines of black text on a white page of 8-bit grey."""
    image = Image.new("L", size, 255)
    pen = ImageDraw.Draw(image)
    letters = ImageFont.load_default(font)
    for number, line in enumerate(lines):
        pen.text((at[0], at[1] + number * leading), line, fill=0, font=letters)
    return image


def _as_scanned(image: Image.Image) -> Image.Image:
    """Askew by less than a degree, with the specks of a dusty glass, in pure black and white."""
    image = image.rotate(0.7, resample=Image.Resampling.BICUBIC, fillcolor=255)
    dust = random.Random(14)
    for _ in range(400):
        x, y = dust.randrange(image.width), dust.randrange(image.height)
        image.putpixel((x, y), 0)
    return image.point(lambda grey: 255 if grey > 140 else 0).convert("1", dither=Image.Dither.NONE)


def _pdf_of(image: Image.Image, *, dpi: int) -> bytes:
    """A PDF of one page that is filled by a black-and-white picture."""
    width, height = image.width * 72 / dpi, image.height * 72 / dpi
    pixels = zlib.compress(image.tobytes(), 9)
    drawing = f"q {width:.2f} 0 0 {height:.2f} 0 0 cm /Scan Do Q".encode()
    picture = (
        f"<< /Type /XObject /Subtype /Image /Width {image.width} /Height {image.height} /ColorSpace /DeviceGray "
        f"/BitsPerComponent 1 /Filter /FlateDecode /Length {len(pixels)} >>"
    )
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.2f} {height:.2f}] /Contents 4 0 R "
        "/Resources << /XObject << /Scan 5 0 R >> >> >>".encode(),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawing), drawing),
        b"%s\nstream\n%s\nendstream" % (picture.encode(), pixels),
        b"<< /Title (Logbook, 14 November 2025) /Producer (harbour office scanner) >>",
    ]
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)
    return bytes(out)


def logbook_scan() -> bytes:
    """An A4 page at 150 dots an inch that only text recognition can read."""
    page = _page(_LOG, size=(1240, 1754), at=(120, 160), font=36, leading=72)
    return _pdf_of(_as_scanned(page), dpi=150)
