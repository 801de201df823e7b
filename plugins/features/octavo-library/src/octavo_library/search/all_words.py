"""Orders the hits of a full-text search for a reader: passages with all words of the query first."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from .cjk_segmentation import searchable
from .query import parse
from .records import SearchHit
from .storage import TOKENIZER

LOOKED_AT = 100
"""Hits among which passages with all words are sought: one with a rare word may rank above one with two common words."""


def looked_at(query: str, limit: int) -> int:
    """Return how many hits to ask for, so that the first `limit` of them can be put in order.

    Args:
        query: the query.
        limit: number of hits wanted.
    """
    return max(limit, LOOKED_AT) if len(parse(query).wanted) > 1 else limit


def all_words_first(hits: Sequence[SearchHit], query: str) -> tuple[list[SearchHit], int | None]:
    """Order hits by whether they have all words and phrases of a query, and then as they were.

    Args:
        hits: hits of a full-text search, best first.
        query: the query.

    Returns:
        The hits, and how many of them have all words; None where the query has a single word or phrase.
    """
    parsed = parse(query)
    if len(parsed.wanted) < 2:
        return list(hits), None
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(f"CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize=\"{TOKENIZER}\")")
        connection.executemany(
            "INSERT INTO words(rowid, text) VALUES (?, ?)",
            ((place, searchable(hit.snippet)) for place, hit in enumerate(hits)),
        )
        found = connection.execute(
            "SELECT rowid FROM words WHERE words MATCH ?", (" AND ".join(parsed.wanted),)
        ).fetchall()
    finally:
        connection.close()
    whole = {place for (place,) in found}
    ordered = sorted(enumerate(hits), key=lambda item: item[0] not in whole)
    return [hit for _, hit in ordered], len(whole)
