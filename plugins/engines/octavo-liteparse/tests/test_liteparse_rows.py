"""Rows of a page by their role: code, tables of contents, running heads. On documents made byte for byte."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_lines, show_text
from octavo_contracts import Page
from octavo_liteparse import plugin

TYPEWRITER = (
    b"<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+Gauge /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 126"
    b" /Widths [" + b"525 " * 95 + b"] /FontDescriptor << /Type /FontDescriptor /FontName /ABCDEF+Gauge /Flags 4"
    b" /FontBBox [0 -250 525 750] /Ascent 611 /Descent -222 /CapHeight 611 /StemV 69 /ItalicAngle 0 >> >>"
)
"""A font whose letters are equally wide, which its name and its flags do not say."""
PITCH = 0.525
PROSE = [
    "The gauge writes a record each minute, and the function below",
    "reads the records of a day. It returns their mean, unless the",
    "day has no record at all, as happens in a storm.",
]
AFTER = [
    "The mean of a month is made of the means of its days, so that",
    "a day without a record has no weight in it. The harbour office",
    "publishes it on the first of the month.",
]
CODE = [
    "def mean(records):",
    "    if not records:",
    "        return None # a storm",
    "    return sum(records) / len(records)",
    "",
    "print(mean(read('day.csv')))",
]


@pytest.fixture
def convert(tmp_path: Path) -> ConvertCall:
    """Converts bytes; keyword arguments go to the request."""
    return ConvertCall(plugin.convert, tmp_path, media_type="application/pdf", name="sample.pdf")


def typed(lines: Sequence[str], x: float, y: float, *, size: float = 10, leading: float = 12) -> bytes:
    """Lines in the typewriter font. Blanks at a line's start are no text, as typesetting systems have it."""
    content = b""
    for place, line in enumerate(lines):
        bare = line.lstrip()
        if bare:
            left = x + PITCH * size * (len(line) - len(bare))
            content += show_text(bare, left, y - leading * place, size=size).replace(b"/F1", b"/F2")
    return content


def pages_of(convert: ConvertCall, *contents: bytes) -> Sequence[Page]:
    """The pages of a document that has the typewriter font as F2."""
    pages = [PdfPage(content, resources="/Font << /F1 3 0 R /F2 4 0 R >>") for content in contents]
    return convert(PdfFile(pages).to_bytes(reserved=(TYPEWRITER,))).pages


def test_code_keeps_its_lines_and_their_indentation(convert: ConvertCall) -> None:
    """A listing that stands between two paragraphs at their distance is neither of them."""
    content = show_lines(PROSE, y=700) + typed(CODE, 96, 655) + show_lines(AFTER, y=576)

    (page,) = pages_of(convert, content)
    assert page.markdown == f"{' '.join(PROSE)}\n\n```python\n{chr(10).join(CODE)}\n```\n\n{' '.join(AFTER)}"


def test_short_lines_of_code_between_paragraphs_are_code(convert: ConvertCall) -> None:
    """What a session shows looks like words and figures; its font and its place tell it from the paragraphs."""
    session = ["> mean(1:10)", "[1] 5.5"]
    content = show_lines(PROSE, y=700) + typed(session, 96, 655) + show_lines(AFTER, y=628)
    content += typed(CODE, 96, 560)

    (page,) = pages_of(convert, content)
    assert f"{' '.join(PROSE)}\n\n```\n{chr(10).join(session)}\n```\n\n{' '.join(AFTER)}\n" in page.markdown


def test_what_a_session_prints_in_columns_is_a_part_of_it(convert: ConvertCall) -> None:
    """Columns of figures below a command are no table."""
    rows = ["> depths", "     north  west", "[1,]  4.10  3.85", "[2,]  5.00  2.75", "[3,]  4.35  3.10", "> q()"]
    content = show_lines(PROSE, y=700)
    for place, row in enumerate(rows):
        for cell in re.finditer(r"(?:> )?\S+", row):
            content += typed([cell[0]], 96 + 10 * PITCH * cell.start(), 655 - 12 * place)

    content += show_lines(AFTER, y=570) + typed(CODE, 96, 500)

    (page,) = pages_of(convert, content)
    assert f"```\n{chr(10).join(rows)}\n```" in page.markdown
    assert page.tables == ()


def test_a_line_of_a_paragraph_in_the_font_of_code_stays_in_its_sentence(convert: ConvertCall) -> None:
    """A long path may fill the last line of a paragraph, or one in its midst."""
    path = ["/usr/share/harbour/gauges/records/by-day/and-by-month.csv"]
    content = show_lines(PROSE, y=700) + typed(CODE, 96, 655)
    content += show_lines(AFTER[:1], y=560) + typed(path, 72, 546, size=12) + show_lines(AFTER[1:], y=532)

    (page,) = pages_of(convert, content)
    assert f"{AFTER[0]} {path[0]} {' '.join(AFTER[1:])}" in page.markdown


def test_a_word_that_is_broken_at_the_end_of_such_a_line_is_one(convert: ConvertCall) -> None:
    broken = ["/usr/share/harbour/gauges/by-day.csv keeps the obser-"]
    content = show_lines(PROSE, y=700) + typed(CODE, 96, 655)
    content += show_lines(AFTER[:1], y=560) + typed(broken, 72, 546, size=12)
    content += show_lines(["vations of each day.", *AFTER[1:]], y=532)

    (page,) = pages_of(convert, content)
    assert f"{AFTER[0]} {broken[0][:-1]}vations of each day." in page.markdown


CONTENTS = [
    ("1", "Gauges", "1"),
    ("1.1", "Records of a day", "2"),
    ("1.2", "Records of a month", "2"),
    ("2", "Seals", "3"),
    ("2.1", "Counts at low water", "11"),
]


def test_each_entry_of_a_table_of_contents_is_a_line(convert: ConvertCall) -> None:
    """Number, title with leader dots, and page number stand apart on the page, and equal page numbers below each other."""
    entries, expected = contents_page()
    (page,) = pages_of(convert, show_text("Contents", 72, 740, size=20) + entries)
    assert page.markdown.split("\n\n") == ["# Contents", *expected]
    assert page.tables == ()


def test_the_number_of_the_page_is_no_part_of_the_first_entry(convert: ConvertCall) -> None:
    expected = contents_page()[1]
    content = b"".join(show_text(entry, 72, 700 - 14 * place) for place, entry in enumerate(expected))
    (page,) = pages_of(convert, show_text("ii", 520, 722) + content)
    assert page.markdown.split("\n\n") == ["ii", *expected]


def test_the_number_of_the_page_stands_apart_from_the_numbers_below_it(convert: ConvertCall) -> None:
    """It is in one block with the page numbers of the entries, which belong to their titles."""
    entries, expected = contents_page()
    (page,) = pages_of(convert, show_text("ii", 520, 714) + entries)
    assert sorted(page.markdown.split("\n\n")) == sorted(["ii", *expected])


def contents_page() -> tuple[bytes, list[str]]:
    """A table of contents, and its lines as they are expected."""
    content, expected = b"", []
    for place, (number, title, page_number) in enumerate(CONTENTS):
        entry = f"{title} " + ". " * (60 - len(title))
        y = 700 - 14 * place
        content += show_text(number, 72, y) + show_text(entry, 100, y) + show_text(page_number, 520, y)
        expected.append(f"{number} {entry}{page_number}")
    return content, expected


def test_a_running_head_is_no_part_of_the_text_below_it(convert: ConvertCall) -> None:
    """A head with the page's number stands right above the body of each page, in large type on the last ones."""
    bodies = [[*PROSE, *AFTER], [*AFTER, *PROSE], [*PROSE[1:], *AFTER], [*AFTER[1:], *PROSE]]
    contents = [
        show_text(f"Harbour manual {number}", 72, 700 + 14, size=12) + show_lines(body, y=700)
        for number, body in enumerate(bodies, start=4)
    ]
    contents.append(show_text("Harbour manual 8", 72, 720, size=20) + show_lines(PROSE, y=690))

    pages = pages_of(convert, *contents)
    assert [page.markdown.split("\n\n")[0] for page in pages] == [f"Harbour manual {number}" for number in range(4, 9)]
