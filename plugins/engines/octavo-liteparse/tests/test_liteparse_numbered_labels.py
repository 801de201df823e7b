"""Row numbers that stand right before the labels of a table. On documents made byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_text
from octavo_liteparse import plugin

LABELS = ("Super Kite", "Turbo Flyer", "Bare Bone Kit", "Pretty Dark Flyer")


@pytest.fixture
def convert(tmp_path: Path) -> ConvertCall:
    """Converts bytes; keyword arguments go to the request."""
    return ConvertCall(plugin.convert, tmp_path, media_type="application/pdf", name="sample.pdf")


@pytest.mark.parametrize("has_two_heads", [True, False], ids=["two heads", "one head"])
def test_row_numbers_right_before_the_labels_are_a_column_if_both_have_a_head(
    convert: ConvertCall, has_two_heads: bool
) -> None:
    heads = [("No", 92.8), ("Goods", 110)] if has_two_heads else [("Numbered goods", 92.8)]
    content = b"".join(show_text(text, left, 656, size=10) for text, left in (*heads, ("Pieces", 293), ("Price", 400)))
    for at, label in enumerate(LABELS):
        texts = ((str(at + 1), 100), (label, 110), (str(at + 4), 316), (f"{at + 2}0.00", 398))
        content += b"".join(show_text(text, left, 640 - 16 * at, size=10) for text, left in texts)

    (page,) = convert(PdfFile([PdfPage(content)]).to_bytes()).pages

    (table,) = page.tables
    rows = [(str(at + 1), label, str(at + 4), f"{at + 2}0.00") for at, label in enumerate(LABELS)]
    if has_two_heads:
        assert table.rows == (("No", "Goods", "Pieces", "Price"), *rows)
    else:
        glued = [(f"{number} {label}", *figures) for number, label, *figures in rows]
        assert table.rows == (("Numbered goods", "Pieces", "Price"), *glued)
