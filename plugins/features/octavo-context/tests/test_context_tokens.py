"""The estimate of tokens, and how much of a text a number of tokens holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo_context import count_tokens, prefix_within

WORDS = st.lists(
    st.sampled_from(["tide ", "42", "\n\n", "–", "潮汐", "Überschwemmung", "</b>", " " * 90, "====" * 20]) | st.text()
)


@given(WORDS.map("".join), st.integers(1, 60))
def test_a_prefix_costs_no_more_than_it_may_and_no_word_less(text: str, tokens: int) -> None:
    fits = prefix_within(text, tokens)
    assert fits <= len(text)
    assert count_tokens(text[:fits]) <= tokens or fits == 1
    assert fits >= min(1, len(text))
    if count_tokens(text) <= tokens:
        assert fits == len(text)


@pytest.mark.parametrize(
    ("text", "tokens"), [("a" * 10_000, 5), ("潮" * 10_000, 7), ("=" * 10_000, 3), ("\n" * 10_000, 2)]
)
def test_a_word_that_alone_costs_more_is_cut(text: str, tokens: int) -> None:
    fits = prefix_within(text, tokens)
    assert 0 < fits < len(text)
    assert count_tokens(text[:fits]) <= tokens < count_tokens(text[: fits + 1])


def test_a_prefix_ends_at_a_word() -> None:
    text = "The tide turned at noon. " * 40
    assert text[: prefix_within(text, 11)].split()[-1] in text.split()


def test_letters_of_dense_scripts_cost_more_than_those_of_latin_words() -> None:
    assert count_tokens("潮" * 400) > 2 * count_tokens("tide " * 80)
    assert count_tokens("") == 0
    assert count_tokens("a") == 1
