"""The scorers `keyword/v1` and `bm25/v1` (DIG-13, DIG-14)."""

from __future__ import annotations

from math import log, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo_contracts import Scorer, UsageError
from octavo_digest import SCORERS, Bm25Scorer, KeywordScorer, scorer_named

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


def test_keyword_weighs_each_word_by_its_own_rarity() -> None:
    """DIG-13, by hand: three words asked, of which one is in no chunk, one in three, one in one."""
    scores = KeywordScorer().score("gauge tide whale", ["tide tide", "the tide gauge", "tide", "rope"])

    common, rare = 1 / log2(3 + 2), 1 / log2(1 + 2)
    assert scores == pytest.approx([1 / 3 * common, 2 / 3 * (rare + common) / 2, 1 / 3 * common, 0])


def okapi(counts: dict[str, tuple[int, int]], length: int, average: float, total: int, k1: float, b: float) -> float:
    """BM25 as it is published, with the logarithm that is never negative; stem → (count in the chunk, chunks with it)."""
    return sum(
        log(1 + (total - df + 0.5) / (df + 0.5)) * n * (k1 + 1) / (n + k1 * (1 - b + b * length / average))
        for n, df in counts.values()
    )


TIDES = [
    "The tide, the tides: tidal tide tables for the harbour.",
    "Harbour walls stand for a hundred years.",
    "No word of it.",
    "A gauge.",
    "Ropes and bells and the harbour log.",
]


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (2.0, 0.3), (0.5, 1.0)])
def test_bm25_is_okapi_over_stems(k1: float, b: float) -> None:
    """DIG-14: `tide` and `tides` are one stem, found three times; `harbour` is in three of five chunks."""
    raw = Bm25Scorer(k1=k1, b=b).raw("harbour tides", TIDES)

    lengths = [10, 7, 4, 2, 7]
    average = sum(lengths) / 5
    assert raw == pytest.approx(
        [
            okapi({"tide": (3, 1), "harbour": (1, 3)}, 10, average, 5, k1, b),
            okapi({"harbour": (1, 3)}, 7, average, 5, k1, b),
            0,
            0,
            okapi({"harbour": (1, 3)}, 7, average, 5, k1, b),
        ]
    )


def test_bm25_takes_the_usual_constants_and_shows_s_by_s_plus_6() -> None:
    """DIG-14: scores of one release can be compared with those of the next."""
    raw = Bm25Scorer(k1=1.2, b=0.75).raw("harbour tides", TIDES)

    assert Bm25Scorer().raw("harbour tides", TIDES) == raw
    assert Bm25Scorer().score("harbour tides", TIDES) == pytest.approx([score / (score + 6) for score in raw])


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
    """Only what can be installed is offered."""
    for unknown in ("tfidf/v9", "argmax/v1"):
        with pytest.raises(UsageError, match="keyword/v1, bm25/v1") as caught:
            scorer_named(unknown)
        assert not caught.value.remedy
    with pytest.raises(UsageError) as caught:
        scorer_named("hybrid/v1")
    assert "octavo-digest[hybrid]" in caught.value.remedy
