"""Compares a query with the text of a digest: whether any word of it stands there, and whether both are in one language."""

from __future__ import annotations

from octavo_contracts import DigestPayload
from octavo_text.canonical import CanonicalText
from octavo_text.words import query_words, words

from .stems import certain_language, language_of, stem_all

_SURE_OF_A_TEXT = 5
"""Fewest function words that show the language of a text."""


def match_warnings(text: CanonicalText, query: str, payload: DigestPayload) -> tuple[str, ...]:
    """Return what a reader must know of a digest whose text has no word of the query, or is in another language.

    Args:
        text: the source.
        query: the question; an empty one asks for a general digest, and gives no warning.
        payload: the digest that was made.
    """
    if not query.strip():
        return ()
    bag = words(text.text)
    asked = words(query)
    matched = _matches(query_words(query), bag)
    found = []
    if not matched:
        how = "the evidence was found by meaning alone" if payload.evidence_snippets else "the digest is a general one"
        found.append(f"no word of the query stands in the text: {how} [query_unmatched]")
    spoken = certain_language(bag, least=_SURE_OF_A_TEXT)
    # A word such as "die" is a function word of one language and a noun of another: one is enough only if nothing matches.
    wanted = certain_language(asked, least=2 if matched else 1)
    if spoken is not None and wanted is not None and spoken != wanted:
        found.append(f"the query is in {wanted.title()}, the text in {spoken.title()} [query_language]")
    return tuple(found)


def _matches(asked: tuple[str, ...], bag: list[str]) -> bool:
    if not asked:
        return False
    vocabulary = set(bag)
    if not vocabulary.isdisjoint(asked):
        return True
    language = language_of(bag)
    return not set(stem_all(sorted(vocabulary), language=language)).isdisjoint(stem_all(asked, language=language))
