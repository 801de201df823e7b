"""A PDF whose pages have text and pictures: what the pictures show is not read, and the report says so (QLT-3)."""

from __future__ import annotations

import octavo
from octavo_conformance.pdf_writer import GREY_PIXEL, PdfFile, PdfPage, show_lines

LINES = ["The keeper of the light reads the gauge at dawn.", "He writes each figure down."] * 8


def findings(width: int) -> list[str]:
    content = b"q %d 0 0 200 72 72 cm /Im0 Do Q " % width + show_lines(LINES, y=740)
    page = PdfPage(content, resources="/XObject << /Im0 4 0 R >>")
    made = octavo.convert(PdfFile([page]).to_bytes(reserved=(GREY_PIXEL,)), name="gauge.pdf")
    assert made.result.ingestion_status == "complete"
    return [one.flag for one in made.result.quality_report.findings]


def test_a_page_with_a_large_picture_is_named_and_one_with_a_logo_is_not():
    assert findings(400) == ["pictures_unread"]
    assert findings(60) == []
