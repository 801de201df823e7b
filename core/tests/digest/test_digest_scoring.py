"""The scorers `keyword/v1` and `bm25/v1` (DIG-13, DIG-14)."""

from __future__ import annotations

from math import log, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo.digest import SCORERS, Bm25Scorer, KeywordScorer, scorer_named
from octavo.digest.scoring import HALF_SCORE, K1, B
from octavo_contracts import Scorer, UsageError

CHUNKS = [
    "The surge reached the harbour wall.",
    "Seals rest on the rocks.",
    "A surge gauge measured the surge.",
    "Nothing of the sort.",
]


def test_keyword_scores_are_the_share_of_words_found_by_their_rarity() -> None:
    """DIG-13's formula, by hand: df(surge) = 2, df(harbour) = 1."""
    scores = KeywordScorer().score("surge harbour", CHUNKS)

    both = (1 / log2(4) + 1 / log2(3)) / 2
    assert scores == pytest.approx([both, 0.0, 0.5 * (1 / log2(4)), 0.0])


def test_keyword_scores_never_pass_their_bound() -> None:
    """All words found, each in one chunk alone: 1 / log2(3)."""
    scores = KeywordScorer().score("surge harbour", ["surge harbour", "seals", "rocks"])

    assert scores == pytest.approx([1 / log2(3), 0, 0])


@pytest.mark.parametrize("query", ["", "the of and", "surge", "   ", "?!"])
def test_keyword_goes_by_position_below_two_words(query: str) -> None:
    assert KeywordScorer().score(query, CHUNKS) == [1.0, 0.75, 0.5, 0.25]


def test_bm25_is_okapi_shown_as_a_share() -> None:
    """By hand for one stem in two of four chunks."""
    scores = Bm25Scorer().score("surges", CHUNKS)

    lengths = [6, 5, 6, 4]
    average = sum(lengths) / 4
    weight = log(1 + (4 - 2 + 0.5) / (2 + 0.5))

    def expected(count: int, length: int) -> float:
        raw = weight * count * (K1 + 1) / (count + K1 * (1 - B + B * length / average))
        return raw / (raw + HALF_SCORE)

    assert scores == pytest.approx([expected(1, 6), 0.0, expected(2, 6), 0.0])


def test_bm25_matches_stems_and_keyword_matches_words() -> None:
    chunks = ["She measures the tide.", "He sleeps."]

    assert Bm25Scorer().score("measuring tides", chunks)[0] > 0
    assert KeywordScorer().score("measuring tides", chunks) == [0.0, 0.0]


def test_a_chunk_full_of_a_word_scores_above_one_that_names_it() -> None:
    first, second = Bm25Scorer().score("tide gauge", ["tide tide gauge log", "the tide and other matters here"])

    assert first > second


@pytest.mark.parametrize("query", ["", "the and of", "🌊", "zzz qqq"])
def test_bm25_finds_nothing_where_nothing_is_asked(query: str) -> None:
    assert Bm25Scorer().score(query, CHUNKS) == [0.0] * 4


@pytest.mark.parametrize("name", SCORERS)
def test_scorers_answer_no_chunks_with_no_scores(name: str) -> None:
    assert scorer_named(name).score("surge harbour", []) == []


@pytest.mark.parametrize("name", SCORERS)
def test_scorers_fulfil_the_protocol_under_their_name(name: str) -> None:
    scorer = scorer_named(name)

    assert isinstance(scorer, Scorer)
    assert scorer.name == name


@given(query=st.text(max_size=60), chunks=st.lists(st.text(max_size=80), max_size=8))
def test_scores_are_between_0_and_1_and_the_same_again(query: str, chunks: list[str]) -> None:
    for name in SCORERS:
        scores = scorer_named(name).score(query, chunks)
        assert len(scores) == len(chunks)
        assert all(0 <= score <= 1 for score in scores)
        assert scores == scorer_named(name).score(query, chunks)


@pytest.mark.parametrize(
    ("query", "chunks", "best"),
    [
        ("潮汐 高度", ["天气很好。", "潮汐的高度很高。"], 1),
        ("ارتفاع المد", ["الطقس جميل", "ارتفاع المد في الميناء"], 1),
        ("высота приливов", ["погода хорошая", "высота прилива в порту"], 1),
    ],
)
def test_other_scripts_are_ranked_too(query: str, chunks: list[str], best: int) -> None:
    scores = Bm25Scorer().score(query, chunks)

    assert max(range(len(chunks)), key=scores.__getitem__) == best
    assert scores[best] > 0


def test_an_unknown_scorer_is_named_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="keyword/v1, bm25/v1"):
        scorer_named("tfidf/v9")
    with pytest.raises(UsageError) as caught:
        scorer_named("hybrid/v1")
    assert "octavo-digest[hybrid]" in caught.value.remedy
