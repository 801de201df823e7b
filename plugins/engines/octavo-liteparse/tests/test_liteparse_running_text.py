"""Running text that liteparse takes for tables, and words broken at line ends. On documents made byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_lines, show_text
from octavo_contracts import Page
from octavo_liteparse import plugin

BOLD = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>"
PROSE = (
    "The gauge writes a record each minute, and the office reads those of a day in the",
    "morning. It publishes their mean, unless the day has no record at all, as happens in",
    "a storm of the winter.",
)
MORE = (
    "The mean of a month is made of the means of its days, so that a day without a record",
    "has no weight in it.",
)


@pytest.fixture
def convert(tmp_path: Path) -> ConvertCall:
    """Converts bytes; keyword arguments go to the request."""
    return ConvertCall(plugin.convert, tmp_path, media_type="application/pdf", name="sample.pdf")


def heading(number: str, title: str, y: float, *, size: float = 12) -> bytes:
    """A heading in bold letters with a gap behind its number."""
    shown = show_text(number, 57, y, size=size) + show_text(title, 93, y, size=size)
    return shown.replace(b"/F1", b"/F2")


def pages_of(convert: ConvertCall, *contents: bytes) -> Sequence[Page]:
    """The pages of a document that has bold letters as F2."""
    pages = [PdfPage(content, resources="/Font << /F1 3 0 R /F2 4 0 R >>") for content in contents]
    return convert(PdfFile(pages).to_bytes(reserved=(BOLD,))).pages


def test_the_gap_behind_the_number_of_a_heading_divides_no_lines_below_it(convert: ConvertCall) -> None:
    """The lines are painted in one piece each, across the place of the gap."""
    content = heading("1.1", "The records of a day", 700)
    content += show_lines(PROSE, x=57, y=676, size=10, leading=12)
    content += show_lines(MORE, x=57, y=634, size=10, leading=12)
    content += heading("1.2", "The records of a month and of a whole year with its", 596)
    content += show_text("summer", 93, 582).replace(b"/F1", b"/F2")
    content += show_lines(PROSE, x=57, y=558, size=10, leading=12)

    (page,) = pages_of(convert, content)
    assert not page.tables
    assert "|" not in page.markdown
    assert " ".join(PROSE) in page.markdown
    assert f"\n\n{' '.join(MORE)}" in page.markdown
    assert "1.2 The records of a month and of a whole year with its summer" in page.markdown.replace("**", "")


def test_headings_that_follow_each_other_are_no_table(convert: ConvertCall) -> None:
    """A chapter and its first section stand below each other; another heading in their font tells their level."""
    content = show_text("The gauge", 57, 740, size=12).replace(b"/F1", b"/F2")
    content += show_lines(PROSE, x=57, y=722, size=10, leading=12)
    content += heading("2", "The records of the harbour", 660) + heading("2.1", "The records of a day", 636)
    content += show_lines(MORE, x=57, y=600, size=10, leading=12)

    (page,) = pages_of(convert, content)
    assert "|" not in page.markdown
    assert "2 The records of the harbour" in page.markdown
    assert f"2.1 The records of a day\n\n{' '.join(MORE)}" in page.markdown


def test_a_table_whose_cells_are_painted_apart_stays_one(convert: ConvertCall) -> None:
    """Words of a cell do not make it running text."""
    rows = (
        ("Harbour", "Mean of the year", "Records"),
        *(("Porto of the old town", "1.84 m above datum", f"{1204 + number}") for number in range(5)),
    )
    content = b"".join(
        show_text(cell, left, 700 - 14 * place, size=10)
        for place, row in enumerate(rows)
        for cell, left in zip(row, (57, 230, 400), strict=True)
    )

    (page,) = pages_of(convert, content)
    (table,) = page.tables
    assert table.rows == rows


def test_a_compound_that_is_broken_at_its_hyphen_keeps_it(convert: ConvertCall) -> None:
    """The document tells compounds from words that the typesetter divided."""
    lines = (
        "The office is known for its publishing, and no harbour here has another kind of self-",
        "publishing than that of the harbour office, which prints its records by itself in the meas-",
        "uring hall.",
    )
    (page,) = pages_of(convert, show_lines(lines, x=57, size=10, leading=12))
    assert "kind of self-publishing than" in page.markdown
    assert "in the measuring hall" in page.markdown


def test_titles_and_first_lines_in_a_typewriter_font_are_no_code(convert: ConvertCall) -> None:
    """A book that has no code sets its chapters and page numbers in such a font, and the first words of a chapter."""
    courier = b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>"
    typed = show_text("INTRODUCTION", 200, 700, size=14) + show_text(
        "In the autumn of the year in which the gauge", 57, 660, size=10
    )
    content = typed.replace(b"/F1", b"/F2")
    content += show_lines(
        ("was built, the harbour had no records. " + PROSE[0], *PROSE[1:]), x=57, y=648, size=10, leading=12
    )
    content += show_text("xiv", 540, 60, size=10).replace(b"/F1", b"/F2")
    pages = [PdfPage(content, resources="/Font << /F1 3 0 R /F2 4 0 R >>")]
    (page,) = convert(PdfFile(pages).to_bytes(reserved=(courier,))).pages

    assert "```" not in page.markdown
    assert "INTRODUCTION\n\nIn the autumn" in page.markdown
    assert f"in which the gauge was built, the harbour had no records. {PROSE[0]}" in page.markdown
    assert page.markdown.rstrip().endswith("\n\nxiv")


def test_text_that_runs_upwards_is_not_lost(convert: ConvertCall) -> None:
    """A scanned plan or a table set sideways has no other text."""
    lines = ("The gauge of the harbour", "is read at dawn by its keeper")
    content = b"".join(
        f"BT /F1 12 Tf 0 1 -1 0 {100 + 14 * place} 200 Tm ({line}) Tj ET\n".encode() for place, line in enumerate(lines)
    )
    (page,) = pages_of(convert, content)
    assert page.markdown.split() == " ".join(lines).split()


def test_a_number_that_ends_a_sentence_is_no_item_of_a_list(convert: ConvertCall) -> None:
    """It stands at the beginning of a line, where an item has its number."""
    lines = (
        "The keeper of the gauge on the northern mole has the record of the year in the file number",
        "37. It is read at dawn.",
    )
    (page,) = pages_of(convert, show_lines(lines, x=57, size=10, leading=12))
    assert page.markdown == " ".join(lines)

    items = (
        "The office keeps these records of the gauge on the northern mole:",
        "1. that of a day",
        "2. that of a year",
    )
    (page,) = pages_of(convert, show_lines(items, x=57, size=10, leading=12))
    assert "\n\n1. that of a day\n2. that of a year" in page.markdown


def rows_below(y: float, *, x: float = 57) -> bytes:
    """Two columns: marks, and what they are marks of."""
    return b"".join(
        show_text("o", x, y - 24 * at, size=10)
        + show_text(f"Records of the {name} in the north", x + 24, y - 24 * at, size=10)
        for at, name in enumerate(("harbour", "gauge", "lamp", "mole"))
    )


def test_a_line_of_text_below_a_table_is_no_row_of_it(convert: ConvertCall) -> None:
    """It is painted in one piece across the place between the columns."""
    line = "Records that the office keeps for a year and a day:"
    (page,) = pages_of(convert, rows_below(700) + show_text(line, 57, 604, size=10))
    assert [len(table.rows) for table in page.tables] == [4]
    assert f"\n\n{line}" in page.markdown


HEADS = ("Title of each record", "Sign", "kept")
KEPT = (
    ("Records of the gauge, by the minute", "RG", "Office of the harbour"),
    ("Records of the lamp", "RL", "Office of the harbour"),
)


@pytest.mark.parametrize("caption", ["Name of the office where it is", None])
def test_a_head_of_two_lines_is_one_head(convert: ConvertCall, caption: str | None) -> None:
    places = (57, 290, 450)
    content = b"".join(
        show_text(head, x, 680, size=10).replace(b"/F1", b"/F2") for head, x in zip(HEADS, places, strict=True)
    )
    content += show_text(caption or "", 450, 692, size=10).replace(b"/F1", b"/F2")
    for at, row in enumerate(KEPT):
        content += b"".join(show_text(cell, x, 664 - 16 * at, size=10) for cell, x in zip(row, places, strict=True))
    content += show_lines(PROSE, x=57, y=600, size=10, leading=12) + show_lines(MORE, x=57, y=750, size=10, leading=12)
    (page,) = pages_of(convert, content)
    [table] = page.tables
    assert table.rows == ((*HEADS[:2], f"{caption} kept" if caption else "kept"), *KEPT)
    assert page.markdown.count(caption or "Title") == 1
