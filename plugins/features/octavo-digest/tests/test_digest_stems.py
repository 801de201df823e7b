"""In which language bm25/v1 compares words: told by function words and by script, and the same for the same words."""

from __future__ import annotations

import pytest
from octavo_digest.stems import language_of, stem_all
from octavo_text.words import words

SENTENCES = {
    "english": "The gauge of the harbour is read by the keeper, and that is written down.",
    "german": "Der Pegel und die Flut sind nicht von dem Wind, auch nicht für sich.",
    "french": "Le gardien est dans la tour avec les cartes des marées qui sont sur une table.",
    "spanish": "El guarda y los barcos que se ven en el puerto, por la tarde, son más que las olas.",
    "italian": "Il guardiano che non dorme sono anche io, nella torre del porto con gli altri.",
    "portuguese": "Os barcos não são do porto, mas as ondas são das ilhas e vão para uma praia.",
    "dutch": "Het water is niet voor een schip, en dat zijn ook de golven van zee.",
    "swedish": "Vågorna och vinden är inte till för ett skepp, men det har ett segel som är av lin.",
    "danish": "Bølgerne og vinden er ikke til for et skib, af det og der er af hør.",
    "norwegian": "Bølgene og vinden er ikke til for et skip, å det har seg og å se det.",
    "finnish": "Meri on syvä ja se ei ole sininen, mutta hän oli myös siellä, kun tuuli kääntyi.",
    "romanian": "Marea este cu valuri și nu este din larg, iar un om pe mal este mai sus sau mai jos.",
    "turkish": "Deniz ve bir gemi için bu kadar dalga çok daha ne gibi olan ile.",
    "hungarian": "A tenger és az ég nem egy szín, hogy csak a szél volt meg a hajó.",
    "russian": "Высота прилива в порту",
    "greek": "Το ύψος της παλίρροιας",
    "arabic": "ارتفاع المد في الميناء",
    "hindi": "बंदरगाह में ज्वार की ऊंचाई",
    "tamil": "துறைமுகத்தில் அலையின் உயரம்",
    "armenian": "Ալիքի բարձրությունը նավահանգստում",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_tells_its_language(language: str) -> None:
    assert language_of(words(SENTENCES[language])) == language


@pytest.mark.parametrize(
    ("language", "first", "last"),
    [
        ("russian", "\u0400", "\u052f"),
        ("greek", "\u0370", "\u03ff"),
        ("arabic", "\u0600", "\u06ff"),
        ("hindi", "\u0900", "\u097f"),
        ("tamil", "\u0b80", "\u0bff"),
        ("armenian", "\u0530", "\u058f"),
    ],
)
def test_a_script_reaches_from_its_first_to_its_last_character(language: str, first: str, last: str) -> None:
    assert (language_of([first]), language_of([last])) == (language, language)


def test_a_word_belongs_to_the_script_of_its_first_letter() -> None:
    """Types and numbers are written onto words: the letters decide."""
    assert language_of(["су27", "ту154"]) == "russian"


def test_a_function_word_may_begin_with_an_accent() -> None:
    assert language_of(["és"]) == "hungarian"


def test_each_word_of_a_script_counts_as_much_as_a_function_word() -> None:
    assert language_of(["the", "and", "of", "прилив", "порт"]) == "english"
    assert language_of(["the", "прилив", "порт"]) == "russian"


@pytest.mark.parametrize("nothing", [[], ["tide", "gauge"], ["თბილისი"], ["潮汐"]])
def test_words_that_say_nothing_are_taken_for_english(nothing: list[str]) -> None:
    assert language_of(nothing) == "english"


def test_a_word_that_says_nothing_does_not_hide_those_after_it() -> None:
    assert language_of(["tide", "thé", "თბილისი", "der", "und"]) == "german"


@pytest.mark.parametrize(
    ("tied", "expected"),
    [
        (["la"], "french"),  # Romanian too
        (["for"], "english"),  # Danish and Norwegian too
        (["und", "the"], "english"),
        (["прилив", "παλίρροια"], "russian"),
        (["прилив", "des"], "french"),
    ],
)
def test_a_tie_goes_the_same_way_whatever_the_order(tied: list[str], expected: str) -> None:
    """DIG-15: first English, then the other languages of Latin letters, then those with a script of their own."""
    assert (language_of(tied), language_of(reversed(tied))) == (expected, expected)


def test_the_first_two_thousand_words_tell_the_language() -> None:
    """What a text ends with, an appendix in another language, does not change how it is read."""
    assert language_of(["tide"] * 1_999 + ["und"]) == "german"
    assert language_of(["tide"] * 2_000 + ["und"]) == "english"


def test_stems_are_those_of_the_language_in_the_order_of_the_words() -> None:
    assert stem_all(["tides", "measured"]) == ["tide", "measur"]
    assert stem_all(["häuser", "fluten"], language="german") == ["haus", "flut"]
