"""Headings of recognised pages that take several lines."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from octavo_contracts import BoundingBox, OCRResult, OCRWord
from octavo_text.recognised_markdown import page_markdown

BODY = [(f"line {number} of the text of this page", 10.0, 6.0) for number in range(1, 10)]
Line = tuple[str, float, float]
"""Text, height, and distance from the line above."""


def page(lines: Sequence[Line], *, left: float = 50) -> OCRResult:
    """A page with these lines from its top, each letter half as wide as its line is high."""
    words, top = [], 0.0
    for text, height, gap in lines:
        top += gap
        at = left
        for word in text.split():
            end = at + len(word) * height / 2
            words.append(
                OCRWord(text=word, box=BoundingBox(left=at, top=top, right=end, bottom=top + height), confidence=0.9)
            )
            at = end + height / 3
        top += height
    return OCRResult(
        document_id="d",
        page_number=1,
        page_fingerprint="0" * 64,
        extracted_text="\n".join(text for text, _, _ in lines),
        words=tuple(words),
        confidence=0.9,
        method="keen",
        processed_at=datetime.now(UTC),
        tool_version="1",
    )


def headings(*lines: Line) -> list[str]:
    """The headings of a page that begins with some lines."""
    result = page([*lines, *BODY])
    return [line for line in page_markdown(result.extracted_text, result).splitlines() if line.startswith("#")]


def test_lines_of_one_size_that_follow_closely_are_one_heading() -> None:
    assert headings(("Getting and keeping the", 24, 20), ("Harbour light", 23, 8)) == [
        "# Getting and keeping the Harbour light"
    ]


def test_lines_of_one_heading_may_be_paragraphs_of_the_recogniser() -> None:
    result = page([("Getting and keeping the", 24, 20), ("Harbour light", 23, 8), *BODY])
    shown = page_markdown(result.extracted_text.replace("Harbour", "\nHarbour", 1), result)
    assert shown.startswith("# Getting and keeping the Harbour light\n\nline 1")


def test_a_line_whose_letters_are_lower_is_a_part_of_the_heading() -> None:
    """The median height of its words is that of letters without ascenders."""
    found = headings(("11.2 How can one access the lamp without", 13.3, 20), ("compromising the light", 16, 3))
    assert found == ["## 11.2 How can one access the lamp without compromising the light"]


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        pytest.param(("Chapter 2", 20, 20), ("Harbour lights", 24, 30), id="far below"),
        pytest.param(("Harbour lights", 30, 20), ("Their keepers", 16, 5), id="another size"),
        pytest.param(("Who keeps the light?", 16, 20), ("Who rings the bell?", 16, 5), id="a whole question"),
        pytest.param(("2.1 The light", 16, 20), ("2.2 The bell", 16, 5), id="a number of its own"),
    ],
)
def test_other_lines_are_headings_of_their_own(upper: Line, lower: Line) -> None:
    assert [line.lstrip("# ") for line in headings(upper, lower)] == [upper[0], lower[0]]


def test_an_item_of_a_list_is_no_part_of_the_heading_above_it() -> None:
    assert headings(("The light", 15, 20), ("\u2022 The lamp is lit", 13, 3)) == ["## The light"]


def test_many_lines_in_large_print_are_no_single_heading() -> None:
    lines: list[Line] = [(f"Keepers wanted {letter}", 20, 5) for letter in "abcd"]
    assert len(headings(*lines)) == len(lines)
