"""Amounts and times of a recognised page that break the pattern of the others are among its doubtful words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from octavo_contracts import BoundingBox, OCRResult, OCRWord
from octavo_text.recognised_doubts import settled

Line = Sequence[tuple[float, str]]

RIGHT = ((150, "8.70"), (150, "0.50"), (150, "9.20"))


def page(*lines: Line, method: str = "first") -> OCRResult:
    """Return a recognised page of sure words, five points a letter and ten points high.

    Args:
        lines: each of words with their right edges.
        method: name of the recogniser.
    """
    words = [
        OCRWord(
            text=text,
            box=BoundingBox(left=right - 5 * len(text), top=20 * row, right=right, bottom=20 * row + 10),
            confidence=0.97,
        )
        for row, line in enumerate(lines, start=1)
        for right, text in line
    ]
    return OCRResult(
        page_number=1,
        page_fingerprint="0" * 64,
        extracted_text="\n".join(" ".join(text for _, text in line) for line in lines),
        words=tuple(words),
        confidence=0.97,
        method=method,
        processed_at=datetime(2026, 1, 1, tzinfo=UTC),
        tool_version="1",
    )


def doubts(*lines: Line, other: Sequence[Line] = ()) -> tuple[str, ...]:
    """The doubtful words of a page with three amounts and further lines."""
    items = [((60, "Lamp"), amount) for amount in RIGHT]
    others = [page(*items, *other, method="second")] if other else []
    return settled(page(*items, *lines), others).doubts


def test_a_number_without_a_point_among_amounts_is_doubtful() -> None:
    assert doubts(((60, "Oil"), (150, "3000")), ((60, "Rope"), (150, "4.00"))) == ("“3000”",)
    assert doubts(((60, "GST"), (100, "8.68"), (210, "052"))) == ("“052”",)


def test_a_number_outside_the_column_or_below_its_end_is_not() -> None:
    assert doubts(((60, "Card"), (120, "6974")), ((60, "Rope"), (150, "4.00"))) == ()
    assert doubts(((60, "Ticket"), (150, "3000"))) == ()
    assert doubts(((60, "Wick"), (100, "4432"), (150, "4.00"))) == ()


def test_a_number_that_two_recognisers_read_alike_is_not_if_it_may_be_one() -> None:
    lines = (((60, "Points"), (150, "3000")), ((60, "Rope"), (150, "4.00")))
    assert doubts(*lines, other=lines) == ()
    lost = (((60, "Discount"), (150, "000")), ((60, "Rope"), (150, "4.00")))
    assert doubts(*lost, other=lost) == ("“000”",)


def test_a_letter_among_the_digits_of_an_amount_is_doubtful() -> None:
    paid = ((60, "Cash"), (150, "RM10.50"))
    assert doubts(paid, ((60, "GST"), (150, "RMO.47")), ((60, "Oil"), (150, "1l.50"))) == ("“RMO.47”", "“1l.50”")
    assert doubts(((60, "Part"), (150, "NO.12")), ((60, "Item"), (150, "SO.12"))) == ()


def test_a_date_and_a_time_without_a_blank_are_doubtful() -> None:
    glued = ("Date:2016-07-3113:48:37", "05/02/201613:48", "3113:48:37")
    assert settled(page(*(((300, one),) for one in glued))).doubts == tuple(f"“{one}”" for one in glued)
    right = ("Date:2016-07-31", "13:48:37", "10/05/2016:13:48", "1234:56", "1:2")
    assert settled(page(*(((300, one),) for one in right))).doubts == ()


def test_a_page_of_few_amounts_has_no_pattern() -> None:
    lines = (((60, "GST"), (100, "8.68"), (210, "052")), ((60, "GST"), (150, "$O.47")))
    assert settled(page(*lines)).doubts == ()
