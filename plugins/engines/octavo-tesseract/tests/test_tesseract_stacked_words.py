"""A column of short words that was read as one upright word is read again, row by row."""

from __future__ import annotations

import pytest
from octavo_tesseract.stacked_words import stacked_lines, with_stacked_words
from octavo_tesseract.table import Row, text_of

SENTENCES = ("The lamp is lit", "The bell is rung", "The log is kept")


def line(text: str, top: int, *, paragraph: str = "2", left: int = 100) -> list[Row]:
    """The words of a line of text."""
    rows = []
    for word in text.split():
        rows.append(Row(("1", paragraph), str(top), (left, top, 20 * len(word), 30), 0.95, word))
        left += 20 * len(word) + 10
    return rows


LINES = [row for number, text in enumerate(SENTENCES) for row in line(text, 50 * number)]
COLUMN = Row(("1", "3"), "9", (40, 0, 22, 130), 0.2, "WNP")
NUMBERS = [Row(("1", "1"), str(number), (41, 50 * number, 18, 30), 0.96, str(number + 1)) for number in range(3)]


def test_numbers_stand_before_their_lines() -> None:
    rows = [*LINES, COLUMN]
    stacked = stacked_lines(rows)
    assert text_of(with_stacked_words(rows, stacked, [*NUMBERS, *LINES])) == "\n".join(
        f"{number} {text}" for number, text in enumerate(SENTENCES, start=1)
    )


def test_numbers_without_a_line_follow_at_the_end() -> None:
    rows = [*LINES[:4], COLUMN]
    done = with_stacked_words(rows, stacked_lines(rows), [*NUMBERS, *LINES])
    assert text_of(done) == "1 The lamp is lit\n\n2\n3"


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(COLUMN._replace(confidence=0.9), id="a sure word, such as a vertical label"),
        pytest.param(COLUMN._replace(text="("), id="a bracket"),
        pytest.param(COLUMN._replace(edges=(40, 0, 22, 50)), id="a word that is little taller than others"),
        pytest.param(COLUMN._replace(edges=(40, 0, 90, 130)), id="large print"),
    ],
)
def test_other_words_are_no_columns(column: Row) -> None:
    assert stacked_lines([*LINES, column]) == {}
    assert stacked_lines([]) == {}


@pytest.mark.parametrize(
    "again",
    [
        pytest.param(NUMBERS[:1], id="one word"),
        pytest.param([row._replace(confidence=0.3) for row in NUMBERS], id="doubtful words"),
        pytest.param(
            [row._replace(edges=(41, 10, 18, 30)) for row in NUMBERS], id="words that are not under each other"
        ),
    ],
)
def test_a_line_stays_where_no_words_under_each_other_are_found(again: list[Row]) -> None:
    rows = [*LINES, COLUMN]
    assert with_stacked_words(rows, stacked_lines(rows), again) == rows


def test_a_line_of_upright_text_is_no_column() -> None:
    """A second reading finds a few signs in it."""
    rows = [*LINES, COLUMN._replace(text="papeojumoq")]
    assert with_stacked_words(rows, stacked_lines(rows), NUMBERS) == rows
