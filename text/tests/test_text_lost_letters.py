"""Words that lack signs which the other readings of their page have."""

from __future__ import annotations

import pytest
from octavo_contracts import Page, Table
from octavo_text.lost_letters import with_lost_letters

WHOLE = (
    "The bolt is up to 1\u20444 inch long. Section 201. Effective Date. The keeper signs the final page of the book."
)


def mended(text: str, *others: str) -> str:
    made, count = with_lost_letters(Page(number=1, markdown=text, text=text), others)
    assert made.markdown == made.text
    assert (count > 0) == (text != made.markdown)
    return made.markdown


@pytest.mark.parametrize(
    ("word", "lacking"),
    [
        ("Effective", "Ef ective"),
        ("Effective", "Efective"),
        ("1\u20444", "\u20444"),
        ("final", "nal"),
    ],
)
def test_letters_that_two_readings_have_are_put_back(word: str, lacking: str) -> None:
    own = WHOLE.replace(word, lacking)
    assert mended(own, WHOLE, WHOLE) == WHOLE
    assert mended(own, WHOLE, WHOLE, own) == WHOLE
    assert mended(own, WHOLE) == own
    assert mended(own, WHOLE, own, own) == own


def test_a_number_that_a_reading_has_on_a_line_of_its_own_belongs_to_its_fraction() -> None:
    own = WHOLE.replace("1\u2044", "\u2044")
    assert mended(own, WHOLE, WHOLE.replace("1\u2044", "1\n\u2044")) == WHOLE


def test_what_may_be_the_mark_of_a_footnote_is_no_lost_sign() -> None:
    noted = WHOLE.replace("Date", "Datea").replace("bolt", "bolt1").replace("keeper", "bkeeper")
    assert mended(WHOLE, noted, noted) == WHOLE


def test_a_word_is_left_where_its_neighbours_differ_and_where_two_words_may_stand_there() -> None:
    own = WHOLE.replace("Effective", "Ef ective")
    other = WHOLE.replace("201", "202")
    assert mended(own, other, other) == own
    both = f"{WHOLE} The bolt is up to 3\u20444 inch long."
    assert mended(both.replace("1\u2044", "\u2044"), both, both) == both.replace("1\u2044", "\u2044")


def test_markup_stays_and_cells_of_tables_are_put_right_too() -> None:
    own = "The bolts\n\n| Size | *\u20444 inch* |\n| --- | --- |\n| Effective | today |\n"
    other = "The bolts\nSize 3\u20444 inch\nEffective today"
    table = Table(rows=(("Size", "\u20444 inch"), ("Effective", "today")))
    made, count = with_lost_letters(
        Page(number=1, markdown=own, text="Size \u20444 inch", tables=(table,)), [other] * 2
    )
    assert count == 1
    assert made.markdown == own.replace("\u2044", "3\u2044")
    assert made.tables[0].rows[0] == ("Size", "3\u20444 inch")
