"""What users type: every input is a query, none is syntax; scripts without spaces are found."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo_library.search import parse
from octavo_library.search.cjk_segmentation import searchable
from octavo_library.search.query import MOST_TERMS

TOKENIZER = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"


def matches(text, query):
    """Whether SQLite finds a text by a query, as the index asks it."""
    parsed = parse(query)
    if not parsed.wanted:
        return False
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(f'CREATE VIRTUAL TABLE words USING fts5(text, content="", tokenize="{TOKENIZER}")')
        connection.execute("INSERT INTO words(rowid, text) VALUES (1, ?)", (searchable(text),))
        found = connection.execute("SELECT rowid FROM words WHERE words MATCH ?", (parsed.any_of(),)).fetchall()
        both = connection.execute("SELECT rowid FROM words WHERE words MATCH ?", (parsed.all_of(parsed.wanted),))
        assert set(both) <= set(found)
        return bool(found)
    finally:
        connection.close()


SYNTAX = st.text(st.sampled_from("abc \"'*^():+-{}NEARORANDT.,“”\x00\ud800東京ー한ไ\u0301\u200d"), max_size=40)


@given(st.one_of(st.text(st.characters(exclude_categories=()), max_size=60), SYNTAX), SYNTAX)
def test_nothing_a_user_types_is_an_error(query, text):
    matches(text, query)
    matches(query, query)


@given(st.text(st.characters(categories=("L", "N")), min_size=1, max_size=20))
def test_a_word_finds_itself(word):
    """Whatever the script: what is indexed for a text and sought for it agree."""
    query = parse(word)
    assert not query.wanted or matches(f"before {word} after", f'"{word}"')


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The tide gauge at the pier", "gauge missing"),
        ("The tide gauge at the pier", "TIDE"),
        ("The tide gauge at the pier", '"tide gauge"'),
        ("The tide gauge at the pier", "“tide gauge”"),
        ("The tide gauge at the pier", '"gauge at'),
        ("An e-mail came", "e-mail"),
        ("Café Zoë", "cafe"),
        ("Die Straße", "STRASSE"),
        ("the ﬁnal ofﬁce", "final"),
        ("inter\u00adnational", "international"),
        ("東京都の法律と規則。", "法律"),
        ("東京都の法律と規則。", "東京都"),
        ("東京都の法律と規則。", "律"),
        ("東京都の法律と規則。", "則"),
        ("東京都の法律と規則。", "法律と規則について調べる"),
        ("机器学习的算法", "学习"),
        ("ﾃﾞｰﾀﾍﾞｰｽ", "データベース"),
        ("iPhoneの価格 2025", '"価格 2025"'),
        ("대한민국의 헌법", "대한민국"),
        ("ภาษาไทยง่าย", "ไทย"),
        ("हिन्दी भाषा", "हिन्दी"),
        ("مَدْرَسَة", "مدرسة"),
        ("ＡＢＣ　１２３", "abc 123"),
    ],
)
def test_a_text_is_found(text, query):
    assert matches(text, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The tide gauge at the pier", '"gauge tide"'),
        ("The tide gauge at the pier", "tide -gauge"),
        ("The tide gauge at the pier", 'tide -"gauge at"'),
        ("The tide gauge at the pier", "-missing"),
        ("The tide gauge at the pier", ""),
        ("The tide gauge at the pier", '"" - !? *'),
        ("京都の法律", "東京都"),
        ("東 京", "東京"),
        ("हिन्दी भाषा", "हिन"),
    ],
)
def test_a_text_is_not_found(text, query):
    assert not matches(text, query)


def test_a_word_is_counted_once():
    assert parse("tide gauge tide").wanted == ('"tide"', '"gauge"')


def test_a_pasted_page_is_cut_to_its_first_terms():
    query = parse(" ".join(f"word{number}" for number in range(1000)))
    assert query.wanted == tuple(f'"word{number}"' for number in range(MOST_TERMS))
