"""Pages in vertical writing: lines from top to bottom, one after the other from right to left."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.pdf_writer import PdfFile, PdfPage
from octavo_liteparse import plugin
from PIL import ImageFont

FIRST_GLYPH = 40
"""Glyphs of Pillow's own font from this one on have ink; which letters they show is of no matter to a reader of text."""


def objects(text: str, direction: str) -> tuple[bytes, ...]:
    """Objects 4 to 8: a font as object 4, set horizontally (H) or vertically (V), with the characters of a text."""
    loaded = ImageFont.load_default(12)
    assert isinstance(loaded, ImageFont.FreeTypeFont)
    font = (
        f"<< /Type /Font /Subtype /Type0 /BaseFont /AAAAAA+Mincho /Encoding /Identity-{direction}"
        " /DescendantFonts [5 0 R] /ToUnicode 7 0 R >>"
    )
    descendant = (
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /AAAAAA+Mincho /DW 1000 /CIDToGIDMap /Identity"
        " /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 6 0 R >>"
    )
    descriptor = (
        "<< /Type /FontDescriptor /FontName /AAAAAA+Mincho /Flags 4 /FontBBox [0 -136 1000 864] /Ascent 864"
        " /Descent -136 /CapHeight 737 /StemV 58 /ItalicAngle 0 /FontFile2 8 0 R >>"
    )
    pairs = "".join(f"<{code}> <{ord(char):04x}>\n" for char, code in codes(text).items())
    unicode_map = (
        "/CIDInit /ProcSet findresource begin begincmap\n1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{len(codes(text))} beginbfchar\n{pairs}endbfchar endcmap end"
    )
    return (*map(str.encode, (font, descendant, descriptor)), stream(unicode_map.encode()), stream(loaded.font_bytes))


def stream(data: bytes) -> bytes:
    """A stream object."""
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(data), data)


def codes(text: str) -> dict[str, str]:
    """Character of a text → its code in the font, as hexadecimal digits."""
    return {char: f"{FIRST_GLYPH + at:04x}" for at, char in enumerate(sorted(set(text)))}


@pytest.fixture
def convert(tmp_path: Path) -> ConvertCall:
    """Converts bytes; keyword arguments go to the request."""
    return ConvertCall(plugin.convert, tmp_path, media_type="application/pdf", name="sample.pdf")


def markdown(convert: ConvertCall, lines: Sequence[tuple[str, float, float]], direction: str) -> str:
    """The markdown of a page with lines of text, each with the place where it begins."""
    whole = "".join(text for text, _, _ in lines)
    known = codes(whole)
    content = "".join(
        f"BT /F2 12 Tf 1 0 0 1 {x} {y} Tm <{''.join(known[char] for char in text)}> Tj ET\n" for text, x, y in lines
    ).encode()
    page = PdfPage(content, resources="/Font << /F1 3 0 R /F2 4 0 R >>")
    (read,) = convert(PdfFile([page]).to_bytes(reserved=objects(whole, direction))).pages
    return read.markdown


def test_vertical_lines_are_read_from_right_to_left(convert: ConvertCall) -> None:
    """CNV-1: an indented line begins a paragraph, and a lower tier follows the upper one."""
    lines = [
        ("港の潮位は毎日記録される", 500, 700),
        ("記録は月ごとに公表される", 480, 700),
        ("灯台は東の突堤にある", 460, 688),
        ("嵐の夜には", 440, 700),
        ("海豹は岩の上で数える", 500, 400),
        ("二人で数える", 480, 400),
    ]
    in_file = [lines[at] for at in (3, 0, 5, 2, 1, 4)]

    assert markdown(convert, in_file, "V") == "\n\n".join(
        "\n".join(text for text, _, _ in part) for part in (lines[:2], lines[2:4], lines[4:])
    )


def test_horizontal_lines_of_the_same_script_are_read_from_the_top(convert: ConvertCall) -> None:
    lines = [("港の潮位は毎日記録される", 72, 700), ("記録は月ごとに公表される", 72, 684)]

    assert "".join(markdown(convert, lines, "H").split()) == "".join(text for text, _, _ in lines)
