"""Terms of memories and queries: stems of words, in the language of the source document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from octavo_digest.stems import DEFAULT_LANGUAGE, language_of, stem_all
from octavo_text.stopwords import STOPWORDS
from octavo_text.words import query_words, words

_SAMPLE = 20_000
"""Code points of a document by which its language is found."""


def language_of_text(text: str) -> str:
    """The Snowball language of a document."""
    return language_of(words(text[:_SAMPLE]))


def terms_of(text: str, *, language: str) -> dict[str, int]:
    """The stems of a text and how often it uses each. A text of stopwords alone has those."""
    found = words(text)
    telling = [word for word in found if word not in STOPWORDS] or found
    return dict(Counter(stem_all(telling, language=language)))


def stems_of_query(query: str, *, languages: Iterable[str]) -> dict[str, frozenset[str]]:
    """Each word of a query with its stems in the languages of the memories."""
    asked = query_words(query) or tuple(dict.fromkeys(words(query)))
    stemmed = [stem_all(asked, language=language) for language in languages or (DEFAULT_LANGUAGE,)]
    return {word: frozenset(stems) for word, *stems in zip(asked, *stemmed, strict=True)}


def similarity(one: Iterable[str], other: Iterable[str]) -> float:
    """Share of common terms, 0..1 (Jaccard)."""
    first, second = frozenset(one), frozenset(other)
    return len(first & second) / len(first | second) if first or second else 0.0
