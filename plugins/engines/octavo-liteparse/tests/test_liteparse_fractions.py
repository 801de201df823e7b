"""Numbers above the bars of fractions, which liteparse leaves out."""

from __future__ import annotations

from octavo_liteparse.fractions import Fractions

SEEN = "up to 1\r\n\u20444 inch, the\r\nranges from 1\r\n\u20444 inch to 3\r\n\u20448 inch, and up to 5\r\n\u20448 foot"


def test_a_fraction_has_the_number_above_its_bar() -> None:
    own = "up to \u20444 inch, the ranges from \u20444 inch to \u20448 inch, and up to \u20448 foot"
    whole = "up to 1\u20444 inch, the ranges from 1\u20444 inch to 3\u20448 inch, and up to 5\u20448 foot"
    assert Fractions(SEEN).restore(own) == whole
    assert Fractions(SEEN).restore(whole) == whole
    assert Fractions(SEEN).restore("1 \u20444 inch") == "1 \u20444 inch"


def test_it_is_left_where_the_page_does_not_tell_which() -> None:
    assert Fractions(SEEN).restore("some \u20448 mile") == "some \u20448 mile"
    assert Fractions("up to \u20444 inch").restore("up to \u20444 inch") == "up to \u20444 inch"
