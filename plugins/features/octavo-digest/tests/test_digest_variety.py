"""Variety: what is chosen is relevant first, and then not all the same (DIG-14)."""

from __future__ import annotations

import pytest
from octavo_digest.variety import choose_varied, overlap


def test_variety_prefers_what_is_new() -> None:
    bags = [frozenset("abc"), frozenset("abc"), frozenset("xyz")]

    assert choose_varied([1.0, 0.9, 0.8], bags, limit=2) == [0, 2]
    assert choose_varied([1.0, 0.9, 0.8], bags, limit=2, relevance_share=1.0) == [0, 1]
    assert choose_varied([0.0, 0.0], bags[:2], limit=5) == [0, 1]
    assert choose_varied([], [], limit=3) == []
    assert overlap(frozenset(), frozenset("a")) == 0.0
    assert overlap(frozenset("ab"), frozenset("ab")) == 1.0


def test_a_text_that_repeats_half_gives_way_only_to_one_of_like_worth() -> None:
    """By default relevance weighs 19 times what variety does: a passage of less worth does not win by being new."""
    first, half, new = frozenset("abcd"), frozenset("cdef"), frozenset("wxyz")

    assert choose_varied([1.0, 0.98, 0.96], [first, half, new], limit=2) == [0, 2]
    assert choose_varied([1.0, 0.98, 0.94], [first, half, new], limit=2) == [0, 1]


@pytest.mark.parametrize("scale", [0.01, 0.5, 3.0, 40.0])
def test_the_scale_of_the_scores_changes_no_choice(scale: float) -> None:
    """Scorers of plugins have scales of their own; only the ratio to the best score counts."""
    bags = [frozenset("abcd"), frozenset("cdef"), frozenset("wxyz"), frozenset("defg")]
    scores = [1.0, 0.98, 0.96, 0.2]

    assert choose_varied([scale * score for score in scores], bags, limit=4) == [0, 2, 1, 3]


def test_the_less_relevance_is_to_count_the_more_what_is_new_comes_first() -> None:
    bags = [frozenset("abcd"), frozenset("cdef"), frozenset("wxyz")]

    def second(score_of_new: float, share: float) -> int:
        return choose_varied([1.0, 0.9, score_of_new], bags, limit=2, relevance_share=share)[1]

    # The half that is repeated costs (1 - share) / 2: at 0.5 a quarter against half of the difference in score.
    assert [second(score, 0.5) for score in (0.35, 0.45)] == [1, 2]
    assert [second(score, 0.75) for score in (0.7, 0.75)] == [1, 2]


def test_what_repeats_nine_tenths_of_a_text_comes_after_everything_else() -> None:
    first, repeats, new = frozenset("abcdefghij"), frozenset("abcdefghiz"), frozenset("0123456789")

    assert choose_varied([1.0, 0.99, 0.01], [first, repeats, new], limit=3) == [0, 2, 1]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("ab", "bc", 0.5), ("a", "abcd", 0.5), ("abcd", "abcdefghi", 2 / 3), ("ab", "cd", 0.0)],
)
def test_overlap_is_the_share_of_common_words_by_the_mean_of_the_sizes(
    first: str, second: str, expected: float
) -> None:
    assert overlap(frozenset(first), frozenset(second)) == pytest.approx(expected)
    assert overlap(frozenset(second), frozenset(first)) == pytest.approx(expected)
