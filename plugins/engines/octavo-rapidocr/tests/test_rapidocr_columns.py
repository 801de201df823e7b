"""Pages of several columns are read one column after the other, tables and forms straight across (OCR-1)."""

from __future__ import annotations

import pytest
from octavo_conformance.page_pictures import page_image
from octavo_contracts import HookContext, OCRRequest
from octavo_rapidocr import plugin
from octavo_rapidocr.columns import in_reading_order
from octavo_rapidocr.engine import Line
from octavo_rapidocr.recognise import text_of
from PIL import Image, ImageDraw, ImageFont

HEADLINE = "The harbour authority reports a quiet and profitable year"
LEFT = (
    "The keeper of the lamp was ill", "for the whole of the winter, and", "his daughter kept the book for",
    "him, so that no night is missing", "from the record of the weather.", "Two gales are noted in it.",
)  # fmt: skip
RIGHT = (
    "The new pier was opened in May", "by the mayor, with a band and a", "speech that nobody could hear",
    "for the wind. The first boat to", "lie there was the ferry from the", "islands, late as it always is.",
)  # fmt: skip
FOOT = "Printed for the members of the society, not to be sold or lent to others"
CELLS = (
    ("Year", "Boats", "Tons"), ("1921", "412", "8,120"), ("1922", "398", "7,961"), ("1923", "455", "9,004"),
    ("1924", "467", "9,377"), ("1925", "431", "8,692"), ("1926", "479", "9,810"),
)  # fmt: skip


def _line(text: str, left: float, top: float, *, width: float | None = None) -> Line:
    right = left + (width or 10 * len(text))
    return Line(text, ((left, top), (right, top), (right, top + 20), (left, top + 20)), 0.99, ())


def _across(*lines: Line) -> list[Line]:
    """Return lines as RapidOCR does: from the top, those beside each other from the left."""
    return sorted(lines, key=lambda line: (line.corners[0][1] // 10, line.corners[0][0]))


def _texts(lines: list[Line]) -> list[str]:
    return [line.text for line in lines]


@pytest.mark.slow
def test_a_printed_page_of_two_columns(context: HookContext) -> None:
    page = Image.new("L", (1300, 620), 255)
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(32)
    pen.text((100, 40), HEADLINE, fill=0, font=font)
    for number, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        pen.text((100, 120 + 60 * number), left, fill=0, font=font)
        pen.text((700, 120 + 60 * number), right, fill=0, font=font)
    pen.text((100, 520), FOOT, fill=0, font=font)
    found = plugin.ocr(page_image(page), OCRRequest(languages=("en",)), context)
    assert " ".join(found.extracted_text.split()) == " ".join((HEADLINE, *LEFT, *RIGHT, FOOT))
    assert [word.text for word in found.words] == " ".join((HEADLINE, *LEFT, *RIGHT, FOOT)).split()


def test_a_headline_between_two_pairs_of_columns() -> None:
    above = [_line(text, 0, 30 * n) for n, text in enumerate(LEFT)]
    above_right = [_line(text, 400, 30 * n + 12) for n, text in enumerate(RIGHT)]
    headline = _line(HEADLINE, 100, 200)
    below = [_line(text, 0, 240 + 30 * n) for n, text in enumerate(RIGHT)]
    below_right = [_line(text, 400, 240 + 30 * n) for n, text in enumerate(LEFT)]
    found = in_reading_order(_across(*above, *above_right, headline, *below, *below_right))
    assert _texts(found) == [*LEFT, *RIGHT, HEADLINE, *RIGHT, *LEFT]


def test_three_columns() -> None:
    third = [f"{text} again" for text in LEFT]
    lines = [
        _line(text, left, 30 * n, width=330)
        for left, texts in ((0, LEFT), (400, RIGHT), (800, third))
        for n, text in enumerate(texts)
    ]
    assert _texts(in_reading_order(_across(*lines))) == [*LEFT, *RIGHT, *third]


def test_the_last_lines_of_paragraphs_are_short() -> None:
    short = (*LEFT[:5], "Two.")
    lines = [_line(text, left, 30 * n) for left, texts in ((0, short), (400, RIGHT)) for n, text in enumerate(texts)]
    assert _texts(in_reading_order(_across(*lines))) == [*short, *RIGHT]


@pytest.mark.parametrize(
    "rows",
    [
        CELLS,
        tuple(zip(("Name", "Street", "Town", "Country", "Born", "Trade"), RIGHT, strict=True)),
        tuple(zip(LEFT[:3], RIGHT[:3], strict=True)),
    ],
    ids=["table", "form", "few lines"],
)
def test_what_is_read_across(rows: tuple[tuple[str, ...], ...]) -> None:
    """The cells of a table are short, a form has short labels, and a few lines side by side are no columns."""
    lines = [_line(cell, 400 * column, 30 * n) for n, row in enumerate(rows) for column, cell in enumerate(row)]
    assert _texts(in_reading_order(_across(*lines))) == [cell for row in rows for cell in row]


def test_a_taller_amount_follows_its_label() -> None:
    """A stroke through an amount makes its box taller, so that it begins above its label."""
    paid, label = _line("Paid 234.40", 0, 0), _line("Total", 0, 30)
    amount = Line("234.40", ((300, 18), (380, 18), (380, 60), (300, 60)), 0.99, ())
    thanks = _line("Thanks", 0, 70)
    found = in_reading_order([paid, amount, label, thanks])
    assert _texts(found) == ["Paid 234.40", "Total", "234.40", "Thanks"]
    assert text_of(found) == "Paid 234.40\nTotal 234.40\nThanks"


def test_a_page_of_one_column_stays_as_it_is() -> None:
    lines = [_line(text, 20 * (n == 0), 30 * n) for n, text in enumerate((*LEFT, *RIGHT))]
    assert in_reading_order(lines) == lines
    assert in_reading_order([]) == []
