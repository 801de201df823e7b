"""Pages in vertical writing: lines from top to bottom, one after the other from right to left."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.pdf_fonts import WideFont
from octavo_conformance.pdf_writer import PdfFile, PdfPage
from octavo_liteparse import plugin
from PIL import ImageFont


@pytest.fixture
def convert(tmp_path: Path) -> ConvertCall:
    """Converts bytes; keyword arguments go to the request."""
    return ConvertCall(plugin.convert, tmp_path, media_type="application/pdf", name="sample.pdf")


def markdown(convert: ConvertCall, lines: Sequence[tuple[str, float, float]], direction: Literal["H", "V"]) -> str:
    """The markdown of a page with lines of text, each with the place where it begins."""
    loaded = ImageFont.load_default(12)
    assert isinstance(loaded, ImageFont.FreeTypeFont)
    font = WideFont("".join(text for text, _, _ in lines), font_file=loaded.font_bytes, direction=direction)
    page = PdfPage(b"".join(font.show(*line) for line in lines), resources="/Font << /F1 3 0 R /F2 4 0 R >>")
    (read,) = convert(PdfFile([page]).to_bytes(reserved=font.objects())).pages
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
