"""Cells whose texts are cut off at the edge of the next cell, right before its text. On a document made byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_text
from octavo_liteparse import plugin

TYPEWRITER = (
    b"<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+Gauge /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 126"
    b" /Widths [" + b"525 " * 95 + b"] /FontDescriptor << /Type /FontDescriptor /FontName /ABCDEF+Gauge /Flags 4"
    b" /FontBBox [0 -250 525 750] /Ascent 611 /Descent -222 /CapHeight 611 /StemV 69 /ItalicAngle 0 >> >>"
)
LEFTS = (75.0, 180.4, 285.8)
"""Where the texts of the columns begin: twenty characters reach from one to the next."""
ROWS = [
    ("Keeper", "Address", "Post"),
    ("Adam Ebb", "12 Mole Street", "gauge"),
    ("Bertha & Konstantin ", "7 Rock Lane", "seals"),
    ("Cornelia van Haren-W", "2165 Princeton Ave", "light"),
    ("Dora Flut", "3 Quay, behind light", "2 boats"),
    ("Emil Sand", "9 Harbour Square", "buoys"),
    ("Fritz Schlick", "1 Mole Street", "ferry"),
]
"""The third column of the fifth row begins right behind the second one, as the second of the fourth row does."""


@pytest.fixture
def convert(tmp_path: Path) -> ConvertCall:
    """Converts bytes; keyword arguments go to the request."""
    return ConvertCall(plugin.convert, tmp_path, media_type="application/pdf", name="sample.pdf")


def table(*, turned: bool) -> PdfPage:
    """A table with ruling lines and its texts, each cell's in one piece; upright, or on a page shown turned by a quarter."""
    height = 16 * len(ROWS)
    edges = [*(left - 2 for left in LEFTS), 380.0]
    rules = "".join(f"{x} 700 m {x} {700 - height} l S\n" for x in edges)
    rules += "".join(f"{edges[0]} {700 - 16 * at} m {edges[-1]} {700 - 16 * at} l S\n" for at in range(len(ROWS) + 1))
    content = rules.encode()
    for at, row in enumerate(ROWS):
        for left, cell in zip(LEFTS, row, strict=True):
            content += show_text(cell, left, 688 - 16 * at, size=10).replace(b"/F1", b"/F2")
    resources = "/Font << /F1 3 0 R /F2 4 0 R >>"
    if not turned:
        return PdfPage(content, resources=resources)
    return PdfPage(b"q 0 1 -1 0 792 0 cm " + content + b" Q", width=792, height=612, rotate=90, resources=resources)


@pytest.mark.parametrize("turned", [False, True], ids=["upright", "turned"])
def test_a_text_that_reaches_the_next_cell_ends_there(convert: ConvertCall, turned: bool) -> None:
    (page,) = convert(PdfFile([table(turned=turned)]).to_bytes(reserved=(TYPEWRITER,))).pages

    (found,) = page.tables
    assert found.rows == tuple(tuple(cell.strip() for cell in row) for row in ROWS)
