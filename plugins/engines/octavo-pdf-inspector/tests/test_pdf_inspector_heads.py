"""Heads of tables over their columns, on documents made byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_lines, show_text
from octavo_pdf_inspector import plugin
from octavo_pdf_inspector.table_heads import HeadCell
from octavo_pdf_inspector.tables import with_heads

LEFTS = (72, 190, 300, 420)
PAY = [
    ("Lowest", "$9,594 or less", "$22,400 or less", "$34,000 or less"),
    ("Lower middle", "$9,595 to $17,992", "$22,401 to $29,992", "$34,001 to $48,000"),
    ("Upper middle", "$17,993 to $25,771", "$29,993 to $40,888", "$48,001 to $66,900"),
    ("Highest", "above $25,771", "above $40,888", "above $66,900"),
]


@pytest.fixture
def convert(tmp_path: Path) -> ConvertCall:
    """Converts bytes."""
    return ConvertCall(plugin.convert, tmp_path, media_type="application/pdf", name="sample.pdf")


def spaced(text: str, x: float, spacing: float) -> bytes:
    """A head of one string, with so many points more at each of its blanks."""
    return f"BT /F1 10 Tf 1 0 0 1 {x} 696 Tm {spacing} Tw ({text}) Tj 0 Tw ET\n".encode()


def heads(*texts: tuple[float, str]) -> bytes:
    """Heads, each a string of its own."""
    return b"".join(show_text(text, x, 696, size=10) for x, text in texts)


def table(head: bytes, rows: Sequence[Sequence[str]] = PAY, lefts: Sequence[float] = LEFTS) -> bytes:
    """A table between two lines of text."""
    above = show_lines(
        ["The ranges of pay of each group in the three years are these, in the money of the year."], y=740
    )
    body = b"".join(
        show_text(cell, x, 680 - 14 * at, size=10)
        for at, row in enumerate(rows)
        for x, cell in zip(lefts, row, strict=True)
    )
    below = show_lines(["In the first year the people told the pay for the work that they had in April."], y=560)
    return PdfFile([PdfPage(above + head + body + below)]).to_bytes()


def test_heads_that_a_wide_blank_divides_are_apart(convert: ConvertCall) -> None:
    """pdf-inspector has them as `1994 | | 1997 2003 | `: the blanks are wide by the spacing between words alone."""
    (page,) = convert(table(spaced(" 1994 ", 72, 136) + spaced("1997 2003 ", 300, 100))).pages

    assert page.tables[0].rows == (("", "1994", "1997", "2003"), *PAY)
    assert "||1994|1997|2003|\n|---|---|---|---|\n|Lowest|$9,594 or less|" in page.markdown


def test_heads_of_several_words_are_cut_between_columns_alone(convert: ConvertCall) -> None:
    """The blank within each of the heads is one that no spacing widens."""
    head = spaced(r" First\240year ", 72, 120) + spaced(r"Second\240year Third\240year ", 300, 60)
    (page,) = convert(table(head)).pages

    assert page.tables[0].rows[0] == ("", "First year", "Second year", "Third year")


def test_a_head_stays_where_no_border_of_columns_is_seen(convert: ConvertCall) -> None:
    """A label reaches over the column beside it: which of them a head stands over is in doubt."""
    rows = [*PAY[:2], ("Upper middle", "$17,993 to $25,771 and more than that", "", "$48,001"), PAY[3]]
    (page,) = convert(table(spaced(" 1994 ", 72, 136) + spaced("1997 2003 ", 300, 100), rows)).pages

    assert page.tables[0].rows[0] == ("1994", "", "1997 2003", "")


def test_a_column_of_a_head_alone_is_left_out() -> None:
    """A head that is printed beside its column was a column of its own."""
    markdown = "Text\n\n|($ **m**)|2022||2023|\n|---|---|---|---|\n|Net income||815|1,058|\n|Tax||6|5|\n\nText"
    head = (HeadCell("($ m)", 0), None, HeadCell("2022", 1), HeadCell("2023", 3))

    expected = "Text\n\n|($ **m**)|2022|2023|\n|---|---|---|\n|Net income|815|1,058|\n|Tax|6|5|\n\nText"
    assert with_heads(markdown, {0: head}) == expected


def test_the_parts_of_a_bold_head_are_bold() -> None:
    markdown = "|**1997 2003**||\n|---|---|\n|1|2|"

    assert with_heads(markdown, {0: (HeadCell("1997", 0), HeadCell("2003", 0))}).startswith("|**1997**|**2003**|\n")


def test_a_head_with_other_markup_is_not_cut() -> None:
    markdown = "|1997<sup>1</sup> 2003||\n|---|---|\n|1|2|"

    assert with_heads(markdown, {0: (HeadCell("19971", 0), HeadCell("2003", 0))}) == markdown
