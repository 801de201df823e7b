"""How often a term stands in a chunk, counted by PostgreSQL, beside a count of the words one by one (ENG-26)."""

from __future__ import annotations

import random

import pytest
from octavo_library.search.server.frequencies import MOST_PLACES, frequency_of
from octavo_library.search.server.words import Term, vector_text
from sqlalchemy import create_engine, text

pytestmark = pytest.mark.postgresql
WORDS = ("tide", "tides", "tidal", "wind", "o'clock", "back\\slash", "día", "12")


@pytest.fixture(scope="module")
def connection(server_url):
    engine = create_engine(server_url)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def counted(connection, term, vectors):
    """The numbers of places of a term in texts of vectors."""
    times = frequency_of(term, "term")
    statement = f"""
    SELECT {times.sql} FROM (
        SELECT given.number, CAST(given.words AS tsvector) AS words
        FROM unnest(CAST(:vectors AS text[])) WITH ORDINALITY AS given(words, number)
    ) AS chunk ORDER BY chunk.number
    """
    return list(connection.execute(text(statement), {**times.values, "vectors": list(vectors)}).scalars())


def test_each_number_of_places_of_a_word_is_told(connection):
    """Up to the number that PostgreSQL stores: more places of a word are not in its vectors."""
    numbers = range(MOST_PLACES + 3)
    vectors = (
        vector_text({"wind": [0], "tide": [*range(1, 2 * number + 1, 2)]} if number else {"wind": [0]})
        for number in numbers
    )
    assert counted(connection, Term(("tide",)), vectors) == [min(number, MOST_PLACES) for number in numbers]


@pytest.mark.parametrize(
    "term",
    [
        Term(("tide",)),
        Term(("o'clock",)),
        Term(("back\\slash",)),
        Term(("tid",), is_prefix=True),
        Term(("tide", "wind")),
        Term(("tide", "tide")),
        Term(("wind", "tide", "wind")),
        Term(("wind", "tid"), is_prefix=True),
        Term(("día", "12", "t"), is_prefix=True),
    ],
    ids=lambda term: term.expression,
)
def test_terms_are_counted_as_one_by_one(connection, term):
    dice = random.Random(7)
    texts = [dice.choices(WORDS, k=dice.randint(0, 60)) for _ in range(80)]
    places = [{word: [at for at, one in enumerate(words) if one == word] for word in words} for words in texts]

    def fits(words):
        *others, last = zip(words, term.words, strict=True)
        return all(word == wanted for word, wanted in others) and (
            last[0].startswith(last[1]) if term.is_prefix else last[0] == last[1]
        )

    size = len(term.words)
    expected = [sum(fits(words[at : at + size]) for at in range(len(words) - size + 1)) for words in texts]
    assert any(expected)
    assert counted(connection, term, map(vector_text, places)) == expected


def test_two_words_at_one_place_are_counted_once(connection):
    assert counted(connection, Term(("tid",), is_prefix=True), [vector_text({"tide": [3], "tides": [3]})]) == [1]
