"""Words of chunks and of queries as PostgreSQL's `tsvector` and `tsquery`, split by SQLite's tokenizer.

PostgreSQL's own parser would split other words: at hyphens and in addresses, and not in scripts without spaces. So the
texts go through the tokenizer of the chunk index in a file, and both indexes find the same.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from ..cjk_segmentation import searchable
from ..query import Query
from ..storage import TOKENIZER

LONGEST = 1_000
"""Bytes of the longest word that is stored as it is; PostgreSQL allows 2,046."""

_TABLES = f"""
CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize="{TOKENIZER}");
CREATE VIRTUAL TABLE words USING fts5vocab(texts, 'instance');
"""
_TERM = re.compile(r'"(?P<words>.*)"(?P<prefix> \*)?')

Places = dict[str, list[int]]
"""Word → its places in a text, from 0."""


class Tokenizer:
    """SQLite's tokenizer. Thread-safe; opened at the first use, and again after `close`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def places(self, texts: Sequence[str]) -> list[Places]:
        """The words of texts that are in the form of `octavo_library.search.cjk_segmentation`."""
        found: list[Places] = [{} for _ in texts]
        with self._lock:
            connection = self._opened()
            execute = connection.execute
            execute("BEGIN")
            try:
                connection.executemany("INSERT INTO texts(rowid, text) VALUES (?, ?)", enumerate(texts))
                for word, number, place in execute("SELECT term, doc, offset FROM words"):
                    found[number].setdefault(_stored(word), []).append(place)
            finally:
                execute("ROLLBACK")
        return found

    def of_chunk(self, texts: Sequence[str]) -> list[Places]:
        """The words of chunks."""
        return self.places([searchable(text) for text in texts])

    def close(self) -> None:
        """Free the memory."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            self._connection.executescript(_TABLES)
        return self._connection


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a query, or words that must be next to each other.

    Attributes:
        words: the words.
        is_prefix: whether the last one is the beginning of a word.
    """

    words: tuple[str, ...]
    is_prefix: bool = False

    @property
    def expression(self) -> str:
        """The term as a `tsquery`."""
        *others, last = map(_quoted, self.words)
        return f"({' <-> '.join([*others, last + ':*' if self.is_prefix else last])})"


@dataclass(frozen=True, slots=True)
class Terms:
    """A query in PostgreSQL's form.

    Attributes:
        wanted: each match raises a chunk's rank.
        excluded: what must not be in a chunk.
    """

    wanted: tuple[Term, ...]
    excluded: tuple[Term, ...] = ()

    def any_of(self, terms: Sequence[Term]) -> str:
        """The `tsquery` for chunks with at least one of the terms."""
        return self._without(" | ".join(term.expression for term in terms))

    def all_of(self, terms: Sequence[Term]) -> str:
        """The `tsquery` for chunks with all of the terms."""
        return self._without(" & ".join(term.expression for term in terms))

    @property
    def any_excluded(self) -> str:
        """The `tsquery` for chunks with something that is excluded."""
        return " | ".join(term.expression for term in self.excluded)

    def _without(self, expression: str) -> str:
        return f"({expression}) & !({self.any_excluded})" if self.excluded else expression


def terms_of(query: Query, tokenizer: Tokenizer) -> Terms:
    """The terms of a query; those without a word that is indexed are left out."""
    return Terms(_terms(query.wanted, tokenizer), _terms(query.excluded, tokenizer))


def vector_text(places: Places) -> str:
    """Words with their places as the text of a `tsvector`."""
    return " ".join(f"{_quoted(word)}:{','.join(str(place + 1) for place in found)}" for word, found in places.items())


def length_of(places: Places) -> int:
    """The number of words of a text."""
    return sum(map(len, places.values()))


def _terms(expressions: Sequence[str], tokenizer: Tokenizer) -> tuple[Term, ...]:
    matches = [match for match in map(_TERM.fullmatch, expressions) if match is not None]
    split = tokenizer.places([match["words"] for match in matches])
    return tuple(
        Term(
            tuple(word for _, word in sorted((at, word) for word, found in places.items() for at in found)),
            bool(match["prefix"]),
        )
        for match, places in zip(matches, split, strict=True)
        if places
    )


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"


def _stored(word: str | None) -> str:
    """A word as it is stored: one that is too long is replaced by a hash, which begins as no word does.

    An accent without a letter is a word of no characters, which SQLite gives as NULL and which PostgreSQL cannot store. It
    counts as a word, as in a file, so the beginning of the hashes alone stands for it.
    """
    if not word:
        return "#"
    data = word.encode()
    return word if len(data) <= LONGEST else f"#{hashlib.sha256(data).hexdigest()}"
