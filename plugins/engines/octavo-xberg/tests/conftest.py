"""Converting a file, and PDF files written by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_text
from octavo_xberg.plugin import convert


@pytest.fixture
def convert_bytes(tmp_path: Path) -> ConvertCall:
    """`convert_bytes(data, …)`; keywords go to the request."""
    return ConvertCall(convert, tmp_path, media_type="application/pdf", name="document.pdf")


@pytest.fixture
def pdf() -> Callable[..., bytes]:
    """`pdf([(size, x, y, text), …], [], rotate=90)`: a PDF of some pages of Helvetica."""

    def page(lines: list[tuple[int, int, int, str]], rotate: int) -> PdfPage:
        content = b"".join(show_text(text, x, y, size=size) for size, x, y, text in lines)
        return PdfPage(content, width=600, height=800, rotate=rotate)

    return lambda *pages, rotate=0: PdfFile([page(lines, rotate) for lines in pages]).to_bytes()
