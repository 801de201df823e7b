"""Tables and rules on pages of two columns. On documents made byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_lines, show_text
from octavo_liteparse import plugin

LINES = (
    "The gauge writes a record each minute, and the",
    "office reads those of a day in the morning. It",
    "publishes their mean, unless the day has none at",
    "all, as happens in a storm of the winter or when",
    "the keeper of the lamp is ill and no other one is",
    "in the house on the mole, which the town built in",
    "the year of the great flood for those that look",
    "after the gauge and the lamp of the harbour, and",
    "for the pilots that wait here for the morning",
    "tide before they row out to the ships that ride",
    "at anchor off the bar until the water is high",
    "enough for them to enter.",
)
MORE = tuple(line.replace("gauge", "pier").replace("record", "letter") for line in LINES)
ROWS = (("Port", "Mean"), ("Skagen of the north", "4.10"), ("Hirtshals of the west", "3.85"), ("Hals", "2.40"))


@pytest.fixture
def convert(tmp_path: Path) -> ConvertCall:
    """Converts bytes; keyword arguments go to the request."""
    return ConvertCall(plugin.convert, tmp_path, media_type="application/pdf", name="sample.pdf")


def column(lines: tuple[str, ...], x: float, y: float) -> bytes:
    """Lines of a column, 12 points apart."""
    return show_lines(lines, x=x, y=y, size=10, leading=12)


def grid(x: float, top: float) -> bytes:
    """A table with lines around all cells; each cell of the second row has two lines."""
    edges = [top - 16 * place for place in range(5)]
    drawn = [f"{x} {y} m {x + 200} {y} l S" for y in edges]
    drawn += [f"{at} {edges[0]} m {at} {edges[-1]} l S" for at in (x, x + 130, x + 200)]
    cells = b"".join(
        show_text(cell, left, edges[place] - 11, size=8)
        for place, row in enumerate(ROWS)
        for cell, left in zip(row, (x + 4, x + 134), strict=True)
    )
    return "\n".join(drawn).encode() + b"\n" + cells


def text_of(convert: ConvertCall, content: bytes) -> str:
    """The markdown of a page."""
    (page,) = convert(PdfFile([PdfPage(content)]).to_bytes()).pages
    return page.markdown


@pytest.mark.parametrize("above", [3, 6, 9])
def test_a_table_of_a_column_ends_no_paragraph_of_the_other_one(convert: ConvertCall, above: int) -> None:
    """Neither do the lines of its grid, each of which is level with a line of the left column."""
    top = 724 - 12 * above
    content = column(LINES, 57, 720) + column(MORE[:above], 320, 720)
    content += grid(320, top) + column(MORE[above:], 320, top - 84)
    text = text_of(convert, content)

    left, upper, lower = " ".join(LINES), " ".join(MORE[:above]), " ".join(MORE[above:])
    assert text.startswith(f"{left}\n\n{upper}\n\n| Port | Mean |\n")
    assert text.endswith(f"| Hals | 2.40 |\n\n{lower}")


def test_a_rule_of_a_column_ends_no_paragraph_of_the_other_one(convert: ConvertCall) -> None:
    """A rule above the notes of the right column is level with the text of the left one."""
    notes = ("1 See the book of the keeper for the year in which", "the lamp was lit first.")
    content = column(MORE, 57, 720) + column(LINES[:6], 320, 720)
    content += b"320 640 m 520 640 l S\n" + column(notes, 320, 624)
    text = text_of(convert, content)

    assert " ".join(MORE) in text
    assert text.index(" ".join(LINES[:6])) < text.index("---") < text.index("1 See the book")


def test_a_short_line_before_blank_leading_ends_a_paragraph(convert: ConvertCall) -> None:
    """Without a full stop, and though the next paragraph begins with a small letter: a line of its own is no sentence."""
    content = column(("The harbour", "in the year of the flood"), 57, 720) + column(LINES[2:], 57, 684)
    assert "in the year of the flood\n\npublishes their mean" in text_of(convert, content)
    content = column(LINES[:3], 57, 720) + column(LINES[3:], 57, 672)
    assert " ".join(LINES) in text_of(convert, content)
