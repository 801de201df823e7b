"""List items whose bullets are drawn, or signs of fonts without Unicode values. On documents made byte for byte."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.pdf_fonts import SIGN_FONT
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_lines, show_text
from octavo_contracts import Page
from octavo_liteparse import plugin

ITEMS = (
    ("The gauge writes a record each minute, and the office reads", "those of a day in the morning."),
    ("The mean of a month is made of the means of its days, so that", "a day without a record has no weight in it."),
    ("The keeper counts the boats.",),
)
LEAD = "The office of the harbour has three duties in the winter, of which the first is the oldest"
AS_LIST = "\n".join(f"- {' '.join(item)}" for item in ITEMS)


@pytest.fixture
def convert(tmp_path: Path) -> ConvertCall:
    """Converts bytes; keyword arguments go to the request."""
    return ConvertCall(plugin.convert, tmp_path, media_type="application/pdf", name="sample.pdf")


def page_of(convert: ConvertCall, content: bytes) -> Page:
    file = PdfFile([PdfPage(content, resources="/Font << /F1 3 0 R /F2 4 0 R >>")])
    return convert(file.to_bytes(reserved=SIGN_FONT)).pages[0]


def dot(x: float, y: float, *, size: float = 4) -> bytes:
    """A filled circle, as browsers print the bullets of a list."""
    half, round_ = size / 2, 0.55 * size / 2
    ends = ((x, y + half), (x - half, y), (x, y - half), (x + half, y))
    hands = (
        (x + round_, y + half, x - round_, y + half),
        (x - half, y + round_, x - half, y - round_),
        (x - round_, y - half, x + round_, y - half),
        (x + half, y - round_, x + half, y + round_),
    )
    path = f"{x + half} {y} m {x + half} {y + round_} {hands[0][0]} {hands[0][1]} {ends[0][0]} {ends[0][1]} c "
    for at in (1, 2, 3):
        first, last = hands[at][:2], hands[at][2:]
        path += f"{first[0]} {first[1]} {last[0]} {last[1]} {ends[at][0]} {ends[at][1]} c "
    return f"q 0 g {path}f Q\n".encode()


def items(mark: Callable[[float], bytes], *, y: float = 700, of: Sequence[Sequence[str]] = ITEMS) -> bytes:
    """The items of a list, each with what `mark` makes before its first line."""
    content = b""
    for lines in of:
        content += mark(y) + show_lines(lines, x=90, y=y, size=10, leading=12)
        y -= 12 * len(lines)
    return content


def test_lines_behind_drawn_dots_are_the_items_of_a_list(convert: ConvertCall) -> None:
    lead = show_text(LEAD, 72, 716, size=10)
    page = page_of(convert, lead + items(lambda y: dot(80, y + 3.5)))
    assert page.markdown == f"{LEAD}\n\n{AS_LIST}"


def test_one_dot_and_dots_behind_words_make_no_list(convert: ConvertCall) -> None:
    """A dot may be a stain, a full stop or part of a drawing."""
    alone = page_of(convert, items(lambda y: dot(80, y + 3.5) if y == 700 else b""))
    behind = page_of(convert, items(lambda y: dot(500, y + 3.5)))
    between = page_of(convert, items(lambda y: show_text("so", 60, y, size=10) + dot(80, y + 3.5)))
    assert ["- The" in page.markdown for page in (alone, behind, between)] == [False] * 3


def test_a_sign_without_a_unicode_value_before_a_line_is_a_bullet(convert: ConvertCall) -> None:
    page = page_of(convert, items(lambda y: show_text("\u2122", 78, y, size=10).replace(b"/F1", b"/F2")))
    assert page.markdown == AS_LIST


def test_elsewhere_such_a_sign_is_left_out(convert: ConvertCall) -> None:
    sign = show_text("\u2122", 118, 700, size=10).replace(b"/F1", b"/F2")
    page = page_of(convert, show_text("The boats", 72, 700, size=10) + sign + show_text("and nets", 130, 700, size=10))
    assert "\x99" not in page.markdown
    assert page.markdown.split() == ["The", "boats", "and", "nets"]


def test_text_that_begins_with_several_signs_stays_one_paragraph(convert: ConvertCall) -> None:
    """Fonts without Unicode values give such text for words: no bullet stands before its first letter."""
    text = show_text("\u2122 \u2122e gauge \u2122rites a record each \u2122inute", 72, 700, size=10)
    page = page_of(convert, text.replace(b"/F1", b"/F2"))
    assert page.markdown.split() == ["e", "gauge", "rites", "a", "record", "each", "inute"]
