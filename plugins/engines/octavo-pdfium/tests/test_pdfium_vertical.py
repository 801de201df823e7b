"""Pages in vertical writing: lines from top to bottom, one after the other from right to left."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.pdf_fonts import WideFont
from octavo_conformance.pdf_writer import PdfFile, PdfPage
from octavo_contracts import Page
from octavo_pdfium import plugin
from PIL import ImageFont


@pytest.fixture
def convert(tmp_path: Path) -> ConvertCall:
    """Converts bytes; keyword arguments go to the request."""
    return ConvertCall(plugin.convert, tmp_path, media_type="application/pdf", name="sample.pdf")


def read(
    convert: ConvertCall,
    lines: Sequence[tuple[str, float, float]],
    direction: Literal["H", "V"],
    *,
    turned: bool = False,
) -> Page:
    """A page with lines of text, each with the place where it begins; turned, it is shown as a sheet that lies on its side."""
    loaded = ImageFont.load_default(12)
    assert isinstance(loaded, ImageFont.FreeTypeFont)
    font = WideFont("".join(text for text, _, _ in lines), font_file=loaded.font_bytes, direction=direction)
    content = b"".join(font.show(*line) for line in lines)
    resources = "/Font << /F1 3 0 R /F2 4 0 R >>"
    page = PdfPage(content, resources=resources)
    if turned:
        page = PdfPage(b"q 0 1 -1 0 792 0 cm " + content + b"Q", width=792, height=612, rotate=90, resources=resources)
    (made,) = convert(PdfFile([page]).to_bytes(reserved=font.objects())).pages
    return made


LINES = [
    ("港の潮位は毎日記録される", 500, 700),
    ("記録は月ごとに公表される", 480, 700),
    ("灯台は東の突堤にある", 460, 688),
    ("嵐の夜には。", 440, 700),
    ("海豹は岩の上で数える", 500, 400),
    ("二人で数える", 480, 400),
]
"""Two tiers of lines."""
AS_READ = "\n".join(text for text, _, _ in LINES)


@pytest.mark.parametrize("turned", [False, True], ids=["upright", "turned"])
def test_vertical_lines_are_read_from_right_to_left(convert: ConvertCall, turned: bool) -> None:
    """CNV-1: a lower tier follows the upper one."""
    page = read(convert, [LINES[at] for at in (3, 0, 5, 2, 1, 4)], "V", turned=turned)

    assert page.text == AS_READ
    assert page.markdown == AS_READ.replace("。\n", "。\n\n")


def test_a_wider_gap_between_vertical_lines_begins_a_paragraph(convert: ConvertCall) -> None:
    lines = [*((text, x, y) for text, x, y in LINES[:3]), ("嵐の夜には。", 400, 700)]

    assert read(convert, lines[::-1], "V").markdown == "\n".join(text for text, _, _ in lines[:3]) + "\n\n嵐の夜には。"


def test_horizontal_lines_of_the_same_script_are_read_from_the_top(convert: ConvertCall) -> None:
    lines = [("港の潮位は毎日記録される", 72, 700), ("記録は月ごとに公表される", 72, 684)]

    assert read(convert, lines, "H").text == "\n".join(text for text, _, _ in lines)
