"""Words, stems and languages: what queries and sources are compared by (DIG-13, DIG-14)."""

from __future__ import annotations

import pytest
from octavo_digest.stems import language_of, stem_all
from octavo_text.stopwords import STOPWORDS
from octavo_text.words import MAX_QUERY_CHARS, query_words, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("High water at 16:33.", ["high", "water", "at", "16", "33"]),
        ("snake_case_name", ["snake", "case", "name"]),
        ("Ebbe–Flut, naïve", ["ebbe", "flut", "naïve"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("潮汐表", ["潮汐", "汐表"]),
        ("潮", ["潮"]),
        ("2024年潮汐", ["2024", "年潮", "潮汐"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
        ("مد وجزر", ["مد", "وجزر"]),
        ("... — !", []),
        ("", []),
    ],
)
def test_words_are_runs_of_letters_and_pairs_where_no_spaces_are_written(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_a_query_keeps_each_word_once_in_order_without_stopwords() -> None:
    assert query_words("The tide and the TIDE of which harbour?") == ("tide", "harbour")
    assert query_words("what is it that they were") == ()


def test_accents_written_apart_are_the_same_word() -> None:
    assert query_words("cafe\u0301") == query_words("café")


def test_only_the_beginning_of_an_endless_query_is_compared() -> None:
    assert query_words("a" * MAX_QUERY_CHARS + " tide") == ("a" * MAX_QUERY_CHARS,)


def test_stopwords_are_single_lower_case_words() -> None:
    assert {"the", "and", "of", "which", "t"} <= STOPWORDS
    assert all(words(word) == [word] for word in STOPWORDS)
    assert not {"water", "high", "year"} & STOPWORDS


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("english", "the height of the tide was measured by a gauge which is in the harbour"),
        ("german", "die Höhe der Flut wurde von dem Pegel gemessen und ist nicht sicher"),
        ("french", "la hauteur de la marée est dans les tableaux et pour le port du nord"),
        ("russian", "высота прилива измерена в порту"),
        ("greek", "το ύψος της παλίρροιας"),
        ("arabic", "ارتفاع المد في الميناء"),
        ("hindi", "ज्वार की ऊँचाई"),
        ("english", "潮汐表"),
        ("english", ""),
    ],
)
def test_the_language_is_told_by_script_and_function_words(language: str, text: str) -> None:
    assert language_of(words(text)) == language


def test_stems_of_one_word_agree_in_their_language() -> None:
    assert len(set(stem_all(["measured", "measuring", "measures"]))) == 1
    assert len(set(stem_all(["прилива", "приливов"], language="russian"))) == 1
    assert stem_all([]) == []
