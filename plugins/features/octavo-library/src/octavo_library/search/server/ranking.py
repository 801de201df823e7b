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

_MATCHES = "chunk.words @@ CAST(:{words} AS tsquery)"
_COUNTS = f"""
(SELECT count(*) FROM search_chunks AS chunk WHERE {_MATCHES.format(words="term_{number}")}),
(SELECT count(*) FROM (SELECT 1 {{FROM}} WHERE {_MATCHES.format(words="words_{number}")} AND {{scope}} LIMIT :most) AS found_{{number}})
"""
_STEP = f"""
step_{{number}} AS MATERIALIZED (
    SELECT chunk.number, chunk.place, sets.document_id, chunk.length, chunk.words {{FROM}}
    WHERE {_MATCHES.format(words="step_{number}")} AND {{scope}} ORDER BY chunk.number, chunk.place LIMIT {{room}}
)
"""
_BEST = """
WITH {picked}, counted AS MATERIALIZED (
    SELECT number, place, document_id, {times}, CAST(:long AS float8) * chunk.length + CAST(:short AS float8) AS norm
    FROM picked AS chunk
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
    present = [one for one in _counted(connection, terms, scope, most, chunks) if one.visible]
    if not present:
        return []
    picked = _picked(terms, present, scope, most)
    times = [frequency_of(one.term, f"term_{number}") for number, one in enumerate(present)]
    values = {"limit": limit, "short": K1 * (1 - B), "long": K1 * B * chunks / length, **picked.values}
    for number, (one, times_of_one) in enumerate(zip(present, times, strict=True)):
        weight = max(LEAST_WEIGHT, math.log((chunks - one.anywhere + 0.5) / (one.anywhere + 0.5)))
        values |= {f"weight_{number}": weight * (K1 + 1), **times_of_one.values}
    statement = _BEST.format(
        picked=picked.sql,
        times=", ".join(f"{one.sql} AS times_{number}" for number, one in enumerate(times)),
        score=" + ".join(_SCORE.format(number=number) for number in range(len(times))),
    )
    rows = connection.execute(text(statement), values)
    return [((number, place), score) for number, place, score in rows]


def _counted(connection: Connection, terms: Terms, scope: Condition, most: int, chunks: int) -> list[_Counted]:
    """The terms of a query with their numbers of chunks, in its order."""
    found = {}
    if chunks > COMMON:
        estimates = {term: _estimate(connection, term.expression) for term in terms.wanted}
        found = {term: _Counted(term, many, most + 1) for term, many in estimates.items() if many > COMMON}
    rest = [term for term in terms.wanted if term not in found]
    if rest:
        parts: list[str] = []
        values = {**scope.values, "most": most + 1}
        for number, term in enumerate(rest):
            parts.append(_COUNTS.format(number=number, FROM=FROM, scope=scope.sql))
            values |= {f"term_{number}": term.expression, f"words_{number}": terms.any_of([term])}
        counts = list(map(int, connection.execute(text(f"SELECT {', '.join(parts)}"), values).one()))
        found |= {
            term: _Counted(term, *both)
            for term, both in zip(rest, zip(counts[::2], counts[1::2], strict=True), strict=True)
        }
    return [found[term] for term in terms.wanted]


def _estimate(connection: Connection, expression: str) -> int:
    statement = f"EXPLAIN (FORMAT JSON) SELECT 1 FROM search_chunks AS chunk WHERE {_MATCHES.format(words='words')}"
    plan = connection.scalar(text(statement), {"words": expression})
    return int(plan[0]["Plan"]["Plan Rows"])


def _picked(terms: Terms, present: Sequence[_Counted], scope: Condition, most: int) -> Condition:
    """Common table expressions of the chunks to score, and `picked`, which has all of them.

    If there is no room for all: those with rare words, then those with all words, then any, as long as there is room.
    """
    by_rarity = sorted(present, key=lambda one: (one.visible, one.term.expression))
    every = [one.term for one in by_rarity]
    queries = [terms.any_of(every)]
    if sum(one.visible for one in present) > most:
        held = accumulate(one.visible for one in by_rarity)
        rare = [one.term for one, total in zip(by_rarity, held, strict=True) if total <= most]
        queries = ([terms.any_of(rare)] if rare else []) + [terms.all_of(every), *queries]
    steps, values = [], {"most": most, **scope.values}
    for number, words in enumerate(queries):
        before = " UNION ".join(f"SELECT number, place FROM step_{earlier}" for earlier in range(number))
        room = f":most - (SELECT count(*) FROM ({before}) AS held)" if before else ":most"
        steps.append(_STEP.format(number=number, FROM=FROM, scope=scope.sql, room=room))
        values[f"step_{number}"] = words
    union = " UNION ALL ".join(f"SELECT * FROM step_{number}" for number in range(len(steps)))
    return Condition(
        f"{', '.join(steps)}, picked AS (SELECT DISTINCT ON (number, place) * FROM ({union}) AS step)", values
    )
