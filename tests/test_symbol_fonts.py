"""Signs of symbol fonts without a Unicode value, by every engine that reads PDF files."""

from __future__ import annotations

import re
from pathlib import Path

import octavo
import pytest
from octavo_conformance.pdf_fonts import SIGN_FONT
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_text

LINES = ("The gauge writes a record each minute.", "The keeper counts the boats.")


def sign(x: float, y: float) -> bytes:
    """A sign of the symbol font."""
    return show_text("\u2122", x, y, size=10).replace(b"/F1", b"/F2")


@pytest.fixture
def listing(tmp_path: Path) -> Path:
    """A PDF file of two items with a sign before each, and one sign between words."""
    content = b"".join(
        sign(78, 700 - 20 * at) + show_text(line, 90, 700 - 20 * at, size=10) for at, line in enumerate(LINES)
    )
    content += show_text("Boats", 72, 600) + sign(108, 600) + show_text("and nets", 126, 600)
    path = tmp_path / "duties.pdf"
    path.write_bytes(
        PdfFile([PdfPage(content, resources="/Font << /F1 3 0 R /F2 4 0 R >>")]).to_bytes(reserved=SIGN_FONT)
    )
    return path


@pytest.mark.parametrize("engine", ["liteparse", "pdfium", "pdfminer", "pypdf", "xberg", "markitdown"])
def test_no_control_character_is_left_and_those_before_lines_are_bullets(listing: Path, engine: str) -> None:
    pytest.importorskip(f"octavo_{engine}", reason=f"octavo-{engine} is not installed")
    made = octavo.convert(listing, plugin=engine)
    for text in (made.markdown, made.text):
        assert re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text) is None
    if engine != "pypdf":  # pypdf gives the replacement character for such a sign of a font with a map of its own
        assert [line for line in made.markdown.splitlines() if re.match(r"(?:-|\u2022) The ", line)]


BOX_FONT = (SIGN_FONT[0], SIGN_FONT[1].replace(b"<0099>", b"<f0a8>"))
"""The same font, whose trade mark has the code of an empty box in a symbol font."""


@pytest.mark.parametrize("engine", ["pdfium", "pdf-inspector", "xberg", "markitdown"])
def test_boxes_of_symbol_fonts_have_their_unicode_value(tmp_path: Path, engine: str) -> None:
    pytest.importorskip(f"octavo_{engine.replace('-', '_')}", reason=f"octavo-{engine} is not installed")
    content = show_text("Growth company", 72, 600) + sign(180, 600) + show_text("and a small one", 200, 600)
    path = tmp_path / "form.pdf"
    path.write_bytes(
        PdfFile([PdfPage(content, resources="/Font << /F1 3 0 R /F2 4 0 R >>")]).to_bytes(reserved=BOX_FONT)
    )
    made = octavo.convert(path, plugin=engine)
    assert "\u2610" in made.text
    assert "\u2610" in made.markdown
    assert "\uf0a8" not in made.text + made.markdown
