"""Finds the best chunks in bounded time: BM25 as SQLite's FTS5 computes it, over words in PostgreSQL.

Which chunks are scored is decided as in `octavo_library.search.ranking`. PostgreSQL finds all places of a word before it
returns the first one. So a word that is in more than `COMMON` chunks by the server's statistics is not counted: its
number of chunks is the server's estimate, and chunks with it are found in the order of their keys. Below, results are
those of the file. Scores are computed on the server, which sends the best chunks alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from sqlalchemy import Connection, text

from ..ranking import RANKED_AT_MOST
from .frequencies import frequency_of
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
_VISIBLE = """
visible AS MATERIALIZED (
    SELECT sets.number FROM (SELECT DISTINCT number FROM found) AS of_word
    JOIN search_sets AS sets ON sets.number = of_word.number
    JOIN documents AS document ON document.document_id = sets.document_id
    WHERE {scope}
)
"""
# The words come first. The planner knows too little of what is visible: it would look for the word once in each document.
_COUNT = f"""
WITH found AS MATERIALIZED (
    SELECT chunk.number, {{fits}} AS fits FROM search_chunks AS chunk WHERE {_MATCHES}
), {_VISIBLE}
SELECT count(*), count(*) FILTER (WHERE found.fits AND visible.number IS NOT NULL)
FROM found LEFT JOIN visible ON visible.number = found.number
"""
_PICK = f"""
WITH found AS MATERIALIZED (SELECT chunk.number, chunk.place FROM search_chunks AS chunk WHERE {_MATCHES}), {_VISIBLE}
SELECT number, place FROM found JOIN visible USING (number) ORDER BY number, place LIMIT :room
"""
_PICK_COMMON = f"""
SELECT chunk.number, chunk.place {FROM} WHERE {_MATCHES} AND {{scope}} ORDER BY chunk.number, chunk.place LIMIT :room
"""
_BEST = """
WITH counted AS MATERIALIZED (
    SELECT chunk.number, chunk.place, sets.document_id, {times},
           CAST(:long AS float8) * chunk.length + CAST(:short AS float8) AS norm
    FROM unnest(CAST(:numbers AS bigint[]), CAST(:places AS integer[])) AS picked(number, place)
    JOIN search_chunks AS chunk ON chunk.number = picked.number AND chunk.place = picked.place
    JOIN search_sets AS sets ON sets.number = chunk.number
)
SELECT number, place, {score} AS score FROM counted ORDER BY score DESC, document_id, number, place LIMIT :limit
"""
_SCORE = "CAST(:weight_{number} AS float8) * times_{number} / (times_{number} + norm)"


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
    chunks, length = totals(connection)
    if not chunks or not terms.wanted:
        return []
    # A prepared statement would be planned once for all words, rare and common.
    connection.exec_driver_sql("SET LOCAL plan_cache_mode = force_custom_plan")
    most = max(RANKED_AT_MOST, limit)
    counted = [_counted(connection, terms, term, scope, most=most, is_large=chunks > COMMON) for term in terms.wanted]
    present = [one for one in counted if one.visible]
    if not present:
        return []
    keys = _picked(connection, terms, present, scope, most)
    times = [frequency_of(one.term, f"term_{number}") for number, one in enumerate(present)]
    values: dict[str, object] = {
        "numbers": [number for number, _ in keys],
        "places": [place for _, place in keys],
        "short": K1 * (1 - B),
        "long": K1 * B * chunks / length,
        "limit": limit,
    }
    for number, (one, of_one) in enumerate(zip(present, times, strict=True)):
        weight = max(LEAST_WEIGHT, math.log((chunks - one.anywhere + 0.5) / (one.anywhere + 0.5)))
        values |= {f"weight_{number}": weight * (K1 + 1), **of_one.values}
    statement = _BEST.format(
        times=", ".join(f"{one.sql} AS times_{number}" for number, one in enumerate(times)),
        score=" + ".join(_SCORE.format(number=number) for number in range(len(times))),
    )
    return [((number, place), score) for number, place, score in connection.execute(text(statement), values)]


def _counted(
    connection: Connection, terms: Terms, term: Term, scope: Condition, *, most: int, is_large: bool
) -> _Counted:
    """A term with its numbers of chunks; `is_large`: whether more than `COMMON` chunks can have it."""
    if is_large and (estimate := _estimate(connection, term.expression)) > COMMON:
        return _Counted(term, estimate, most + 1)
    values = {**scope.values, "words": term.expression}
    fits = "true"
    if terms.excluded:
        fits = "NOT chunk.words @@ CAST(:excluded AS tsquery)"
        values["excluded"] = terms.any_excluded
    anywhere, visible = connection.execute(text(_COUNT.format(fits=fits, scope=scope.sql)), values).one()
    return _Counted(term, int(anywhere), int(visible))


def _estimate(connection: Connection, expression: str) -> int:
    statement = f"EXPLAIN (FORMAT JSON) SELECT 1 FROM search_chunks AS chunk WHERE {_MATCHES}"
    plan = connection.scalar(text(statement), {"words": expression})
    return int(plan[0]["Plan"]["Plan Rows"])


def _picked(
    connection: Connection, terms: Terms, present: Sequence[_Counted], scope: Condition, most: int
) -> list[Key]:
    """The chunks to score.

    If there is no room for all: those with rare words, then those with all words, then any, as long as there is room.
    """
    by_rarity = sorted(present, key=lambda one: (one.visible, one.term.expression))
    every = [one.term for one in by_rarity]
    if sum(one.visible for one in present) <= most:
        return _keys(connection, terms.any_of(every), scope, most)
    held = accumulate(one.visible for one in by_rarity)
    rare = [one.term for one, total in zip(by_rarity, held, strict=True) if total <= most]
    keys: dict[Key, None] = {}
    if rare:
        keys.update(dict.fromkeys(_keys(connection, terms.any_of(rare), scope, most)))
    are_common = any(one.anywhere > COMMON for one in present)
    for words in (terms.all_of(every), terms.any_of(every)):
        if len(keys) < most:
            is_common = are_common and _estimate(connection, words) > COMMON
            keys.update(dict.fromkeys(_keys(connection, words, scope, most - len(keys), is_common=is_common)))
    return list(keys)


def _keys(connection: Connection, words: str, scope: Condition, room: int, *, is_common: bool = False) -> list[Key]:
    """The first chunks that match, in the order of their keys; `is_common`: whether more than `COMMON` may match."""
    values = {**scope.values, "words": words, "room": room}
    if not is_common:
        return [(number, place) for number, place in connection.execute(text(_PICK.format(scope=scope.sql)), values)]
    # All places of the word would be collected for a bitmap.
    connection.exec_driver_sql("SET LOCAL enable_bitmapscan = off")
    rows = connection.execute(text(_PICK_COMMON.format(scope=scope.sql)), values).all()
    connection.exec_driver_sql("SET LOCAL enable_bitmapscan = on")
    return [(number, place) for number, place in rows]
