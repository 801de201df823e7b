"""Parses a user's query to expressions of SQLite's full-text search. No input is an error.

    tide gauge          chunks with either word; chunks with both, or with the rarer one, rank higher
    "tide gauge"        the words next to each other
    tide -gauge         without a word; also -"tide gauge"

Every word is passed to SQLite in quotation marks, so no user input is ever interpreted as syntax.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from .cjk_segmentation import ends_with_single, pairs_at_end, sought

MOST_TERMS = 64
"""Maximum number of terms in a query; further ones are ignored, so that a pasted page is still answered."""

_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»「」『』＂", '"'))
_PART = re.compile(r'(?P<minus>-?)(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')
_LONG_RUN = 4
"""Number of pairs above which an unquoted run without spaces is treated as several words."""


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query.

    Attributes:
        wanted: one expression per word or phrase; each match raises a chunk's rank.
        excluded: expressions that must not match a chunk.
        words: the wanted words as plain text.
        literal: whether it contains a quoted phrase: then only these words match, not words of similar meaning.
    """

    wanted: tuple[str, ...]
    excluded: tuple[str, ...] = ()
    words: str = ""
    literal: bool = False

    def any_of(self, terms: tuple[str, ...] | None = None) -> str:
        """The expression for chunks with at least one of the wanted terms, or of the given ones."""
        return self._without(" OR ".join(terms or self.wanted))

    def all_of(self, terms: tuple[str, ...]) -> str:
        """The expression for chunks with all of these terms."""
        return self._without(" AND ".join(terms))

    def any_excluded(self) -> str:
        """The expression for excluded chunks; empty if nothing is excluded."""
        return " OR ".join(self.excluded)

    def _without(self, expression: str) -> str:
        return f"({expression}) NOT ({self.any_excluded()})" if self.excluded else expression


def parse(text: str) -> Query:
    """Parse a query. A query without words has no wanted terms."""
    wanted: dict[str, None] = {}
    excluded: dict[str, None] = {}
    words: list[str] = []
    literal = False
    for part in _PART.finditer(text.translate(_QUOTES)):
        phrase = part["phrase"]
        body = part["word"] if phrase is None else phrase
        if not part["minus"]:
            words.append(body)
            literal = literal or phrase is not None
        for term in [_term(body)] if phrase is not None or part["minus"] else _terms(body):
            if term is not None:
                (excluded if part["minus"] else wanted)[term] = None
        if len(wanted) + len(excluded) >= MOST_TERMS:
            break
    terms = (tuple(wanted)[:MOST_TERMS], tuple(excluded)[:MOST_TERMS])
    return Query(*terms, words=" ".join(words).strip(), literal=literal)


def _terms(word: str) -> list[str | None]:
    """The terms of an unquoted word: the word, and the pairs of a long run without spaces, which may be a sentence."""
    pairs = pairs_at_end(word)
    return [_term(word), *(_term(pair) for pair in pairs)] if len(pairs) > _LONG_RUN else [_term(word)]


def _term(text: str) -> str | None:
    """The expression for adjacent words; None if the text contains nothing that is indexed."""
    words = sought(text.replace('"', " "))
    if not any(_is_indexed(character) for character in words):
        return None
    return f'"{" ".join(words.split())}"' + (" *" if ends_with_single(text) else "")


def _is_indexed(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind[0] in "LN" or kind == "Co"
