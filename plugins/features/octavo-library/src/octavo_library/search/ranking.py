"""Finds the best chunks in bounded time (BM25 of SQLite's FTS5).

Finding rows is cheap, about 0.1 µs each; scoring them is not, about 5 µs. So if a query matches more rows than
`RANKED_AT_MOST`, only some are scored. First come all rows with one of the rarer words, for as many words as the bound
allows: only these can score high, because the weight of a word falls with its number of rows. Then come rows with all
words, then any rows in index order, until the bound is reached. No word is dropped from the query: a word that occurs
in most chunks still counts in phrases, in exclusions and in the scores.
"""

from __future__ import annotations

import sqlite3

from .query import Query
from .storage import ROWS_PER_SET

RANKED_AT_MOST = 5_000
"""Maximum number of rows scored for a query; a query that matches no more has all of them scored."""

_IN_SCOPE = f"""
FROM words CROSS JOIN temp.scope ON scope.number = words.rowid >> {ROWS_PER_SET} WHERE words MATCH ?
"""
# CROSS JOIN: forces SQLite to find the words first and then look up their sets, whatever its table statistics say.

_ORDER = "ORDER BY score, scope.document_id, words.rowid LIMIT ?"

_COUNT = f"SELECT count(*) FROM (SELECT 1 {_IN_SCOPE} LIMIT ?)"
_BEST = f"SELECT words.rowid, bm25(words) AS score {_IN_SCOPE} {_ORDER}"
_PICK = f"INSERT OR IGNORE INTO temp.picked SELECT words.rowid {_IN_SCOPE} LIMIT ?"
_BEST_PICKED = f"""
SELECT words.rowid, bm25(words) AS score {_IN_SCOPE}
AND words.rowid <= (SELECT max(id) FROM temp.picked) AND +words.rowid IN (SELECT id FROM temp.picked) {_ORDER}
"""


def best(connection: sqlite3.Connection, query: Query, *, limit: int) -> list[tuple[int, float]]:
    """Row ids of the best chunks in scope with their scores, best first; equal scores by document and position.

    Args:
        connection: of the chunk index, with `temp.scope` filled.
        query: the query.
        limit: maximum number of results.
    """
    most = max(RANKED_AT_MOST, limit)
    counted = [(_count(connection, query.any_of((term,)), most + 1), term) for term in query.wanted]
    counts = sorted((count, term) for count, term in counted if count)
    if not counts:
        return []
    expression = query.any_of(tuple(term for count, term in counted if count))
    if sum(count for count, _ in counts) <= most:
        rows = connection.execute(_BEST, (expression, limit))
    else:
        _pick(connection, query, counts, most)
        rows = connection.execute(_BEST_PICKED, (expression, limit))
    return [(number, -score) for number, score in rows]


def _count(connection: sqlite3.Connection, expression: str, most: int) -> int:
    return int(connection.execute(_COUNT, (expression, most)).fetchone()[0])


def _pick(connection: sqlite3.Connection, query: Query, counts: list[tuple[int, str]], most: int) -> None:
    """Fill `temp.picked` with the rows to score; `counts` has the terms with their row counts, rarest first."""
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS picked(id INTEGER PRIMARY KEY)")
    connection.execute("DELETE FROM temp.picked")
    rare: list[str] = []
    held = 0
    for count, term in counts:
        if held + count > most:
            break
        rare.append(term)
        held += count
    terms = tuple(term for _, term in counts)
    steps = ([query.any_of(tuple(rare))] if rare else []) + [query.all_of(terms), query.any_of(terms)]
    room = most
    for expression in steps:
        room -= connection.execute(_PICK, (expression, room)).rowcount
