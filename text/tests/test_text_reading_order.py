"""How far two texts have their words in the same order."""

from __future__ import annotations

import pytest
from octavo_text.reading_order import mean_agreements, same_order

PAGE = ["the", "ship", "lay", "at", "anchor", "while", "her", "crew", "mended", "nets"]


def test_a_text_has_its_own_order():
    assert same_order(PAGE, PAGE) == 1.0


def test_of_two_parts_that_changed_places_the_longer_one_is_in_order():
    """Nine pairs of ten words: four of the first part, four of the second, and the one between them is in one text only."""
    assert same_order(PAGE, PAGE[4:] + PAGE[:4]) == pytest.approx(5 / 8)


def test_pairs_that_occur_twice_do_not_count():
    """A column of equal rows could stand in any order."""
    assert same_order(["5", "cr", "5", "cr", "net", "due"], ["net", "due", "5", "cr", "5", "cr", "5"]) == 1.0


def test_texts_with_nothing_in_common_do_not_contradict_each_other():
    assert same_order(PAGE, ["fog", "horn"]) == 1.0
    assert same_order([], PAGE) == 1.0


def test_each_reading_is_measured_by_the_others():
    shares = mean_agreements({0: PAGE, 1: PAGE, 2: PAGE[4:] + PAGE[:4]}, same_order)
    assert shares == pytest.approx({0: 13 / 16, 1: 13 / 16, 2: 5 / 8})


def test_a_reading_alone_has_no_agreement():
    assert mean_agreements({0: PAGE}, same_order) == {0: 0}
