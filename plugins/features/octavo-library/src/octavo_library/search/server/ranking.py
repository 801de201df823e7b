"""Finds the best chunks in bounded time: BM25 as SQLite's FTS5 computes it, over words in PostgreSQL.

Which chunks are scored is decided as in `octavo_library.search.ranking`. PostgreSQL finds all places of a word before it
returns the first one. So a word that is in more than `COMMON` chunks by the server's statistics is not counted: its
number of chunks is the server's estimate, and chunks with it are found in the order of their keys. Below, results are
those of the file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, text

from ..ranking import RANKED_AT_MOST
from .scope import FROM, Condition
from .tables import totals
from .words import Term, Terms

COMMON = 50_000
"""Chunks above which a word's number of chunks is estimated."""

K1, B = 1.2, 0.75
"""The constants of BM25 in SQLite."""

LEAST_WEIGHT = 1e-6
"""The weight of a word that is in more than half of the chunks, as in SQLite."""

Key = tuple[int, int]
"""A chunk: the number of its set, and its place there."""

_MATCHES = "chunk.words @@ CAST(:words AS tsquery)"
_FEATURES = """
SELECT chunk.number, chunk.place, sets.document_id, chunk.length, (
    SELECT json_object_agg(word.lexeme, word.positions) FROM unnest(chunk.words) AS word
    WHERE word.lexeme = ANY(:exact) OR EXISTS (SELECT 1 FROM unnest(CAST(:prefixes AS text[])) AS start WHERE starts_with(word.lexeme, start))
)
FROM unnest(CAST(:numbers AS bigint[]), CAST(:places AS integer[])) AS picked(number, place)
JOIN search_chunks AS chunk ON chunk.number = picked.number AND chunk.place = picked.place
JOIN search_sets AS sets ON sets.number = chunk.number
"""


@dataclass(frozen=True, slots=True)
class _Counted:
    """A term with its numbers of chunks.

    Attributes:
        term: the term.
        anywhere: chunks with it, of all documents.
        visible: chunks with it that the search may see; more than the most that are scored if it was not counted.
    """

    term: Term
    anywhere: int
    visible: int


def best(connection: Connection, terms: Terms, scope: Condition, *, limit: int) -> list[tuple[Key, float]]:
    """Keys of the best chunks in scope with their scores, best first; equal scores by document and place.

    Args:
        connection: a transaction that sees one state.
        terms: the query.
        scope: see `octavo_library.search.server.scope.visible_chunks`.
        limit: maximum number of results.
    """
    most = max(RANKED_AT_MOST, limit)
    counted = [_counted(connection, terms, term, scope, most) for term in terms.wanted]
    present = [one for one in counted if one.visible]
    if not present:
        return []
    if sum(one.visible for one in present) <= most:
        keys = _keys(connection, terms.any_of([one.term for one in present]), scope, most)
    else:
        keys = _picked(connection, terms, present, scope, most)
    scored = _scores(connection, keys, present)
    scored.sort(key=lambda row: (-row[0], row[1], row[2]))
    return [(key, score) for score, _, key in scored[:limit]]


def _counted(connection: Connection, terms: Terms, term: Term, scope: Condition, most: int) -> _Counted:
    estimate = _estimate(connection, term.expression)
    if estimate > COMMON:
        return _Counted(term, estimate, most + 1)
    anywhere = connection.scalar(
        text(f"SELECT count(*) FROM search_chunks AS chunk WHERE {_MATCHES}"), {"words": term.expression}
    )
    if not anywhere:
        return _Counted(term, 0, 0)
    statement = f"SELECT count(*) FROM (SELECT 1 {FROM} WHERE {_MATCHES} AND {scope.sql} LIMIT :most) AS found"
    values = {**scope.values, "words": terms.any_of([term]), "most": most + 1}
    return _Counted(term, int(anywhere), int(connection.scalar(text(statement), values)))


def _estimate(connection: Connection, expression: str) -> int:
    plan = connection.scalar(
        text(f"EXPLAIN (FORMAT JSON) SELECT 1 FROM search_chunks AS chunk WHERE {_MATCHES}"), {"words": expression}
    )
    return int(plan[0]["Plan"]["Plan Rows"])


def _keys(connection: Connection, words: str, scope: Condition, most: int) -> list[Key]:
    statement = f"""
    SELECT chunk.number, chunk.place {FROM} WHERE {_MATCHES} AND {scope.sql} ORDER BY chunk.number, chunk.place LIMIT :most
    """
    rows = connection.execute(text(statement), {**scope.values, "words": words, "most": most})
    return [(number, place) for number, place in rows]


def _picked(
    connection: Connection, terms: Terms, present: Sequence[_Counted], scope: Condition, most: int
) -> list[Key]:
    """The chunks to score: those with rare words, then those with all words, then any, as long as there is room."""
    by_rarity = sorted(present, key=lambda one: (one.visible, one.term.expression))
    rare: list[Term] = []
    held = 0
    for one in by_rarity:
        if held + one.visible > most:
            break
        rare.append(one.term)
        held += one.visible
    every = [one.term for one in by_rarity]
    steps = ([terms.any_of(rare)] if rare else []) + [terms.all_of(every), terms.any_of(every)]
    keys: dict[Key, None] = {}
    for words in steps:
        if len(keys) < most:
            keys.update(dict.fromkeys(_keys(connection, words, scope, most - len(keys))))
    return list(keys)


def _scores(connection: Connection, keys: Sequence[Key], present: Sequence[_Counted]) -> list[tuple[float, str, Key]]:
    chunks, length = totals(connection)
    average = length / chunks if chunks else 1.0
    weights = [max(LEAST_WEIGHT, math.log((chunks - one.anywhere + 0.5) / (one.anywhere + 0.5))) for one in present]
    scored = []
    for number, place, document_id, words, places in _features(connection, keys, [one.term for one in present]):
        norm = K1 * (1 - B + B * words / average)
        score = 0.0
        for one, weight in zip(present, weights, strict=True):
            times = one.term.count(places or {})
            score += weight * times * (K1 + 1) / (times + norm)
        scored.append((score, document_id, (number, place)))
    return scored


def _features(connection: Connection, keys: Sequence[Key], terms: Sequence[Term]) -> list[tuple[Any, ...]]:
    exact = {word for term in terms for word in term.words}
    prefixes = {term.words[-1] for term in terms if term.is_prefix}
    values = {
        "numbers": [number for number, _ in keys],
        "places": [place for _, place in keys],
        "exact": sorted(exact),
        "prefixes": sorted(prefixes),
    }
    return [tuple(row) for row in connection.execute(text(_FEATURES), values)]
