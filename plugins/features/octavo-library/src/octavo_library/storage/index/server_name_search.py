"""Finds documents by a part of their title or file name in PostgreSQL, by its indexes of trigrams (UI-1).

A trigram index reads, for each trigram of a text, the list of all rows that have it. These lists grow with the library where
a word is common, also if the whole text is rare. So the index is asked for the rarer words alone, and the rows that it finds
are compared with the whole text. A text that is common itself is not looked up: walking the listing finds a page of it
soon. How common a word is, PostgreSQL's statistics of the index tell.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, unquote

from sqlalchemy import (
    JSON,
    ColumnElement,
    Connection,
    Select,
    bindparam,
    cast,
    func,
    or_,
    select,
    text,
    union_all,
)

from .disclosure import paths_seen
from .instance_ids import PolicyContext
from .schema import document_original_paths, documents

_FEW: Final = 5_000
"""Up to so many matches, a search begins with the matches; beyond, with the listing, where many rows match."""

COMMON: Final = 0.01
"""The share of the names from which on a text or a word is common."""

_SHORTEST: Final = 3
"""Letters of a trigram."""

_WORD: Final = re.compile(r"[^\W_]+")
"""Letters and digits, of which trigrams are made."""

_STATISTICS: Final = text(
    "SELECT null_frac, CAST(CAST(most_common_vals AS text) AS text[]), most_common_freqs, "
    "CAST(CAST(histogram_bounds AS text) AS text[]) FROM pg_stats WHERE tablename = :index AND schemaname = "
    "(SELECT nspname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE pg_class.oid = to_regclass(:index))"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Names:
    """What the statistics of an index know of its texts; without statistics, nothing is common.

    Attributes:
        common: frequent texts with their shares.
        sample: an even sample of the other texts.
        rest: their share.
    """

    common: tuple[tuple[str, float], ...] = ()
    sample: tuple[str, ...] = ()
    rest: float = 0.0

    def share(self, matches: Callable[[str], bool]) -> float:
        """The share of the texts that match, as far as the statistics tell."""
        sampled = sum(map(matches, self.sample)) / len(self.sample) if self.sample else 0.0
        return sum(share for name, share in self.common if matches(name)) + self.rest * sampled


def is_called_on_server(
    connection: Connection, document_id: ColumnElement[str], forms: Sequence[str], *, policy: PolicyContext | None
) -> ColumnElement[bool]:
    """As `octavo_library.storage.index.name_search.is_called`, for all forms of a text."""
    titles = _statistics(connection, "ix_documents_title_trigrams")
    paths = _statistics(connection, "ix_document_original_paths_path_trigrams")
    if max(_shares(titles, paths, forms)) < COMMON:
        found = union_all(*(one for form in forms for one in _by_index(titles, paths, form, policy)))
        hits = connection.scalars(found.limit(_FEW + 1)).all()
        if len(hits) <= _FEW:
            # The ids are passed on: the planner cannot know how few they are.
            ids = cast(bindparam(None, json.dumps(list(hits))), JSON)
            return document_id.in_(select(func.json_array_elements_text(ids).column_valued("value")))
    titled = documents.alias("titled").c
    is_titled = or_(*(contains(func.lower(titled.title), form.lower()) for form in forms))
    place = document_original_paths.c
    is_placed = or_(*(is_file_name(place.path, form) for form in forms))
    # OFFSET: keeps the planner from finding all matches first.
    by_title = select(titled.document_id).where(titled.document_id == document_id, is_titled).offset(0)
    by_path = select(place.document_id).where(place.document_id == document_id, is_placed, *_is_seen(policy)).offset(0)
    return or_(
        by_title.correlate_except(titled.document_id.table).exists(),
        by_path.correlate_except(document_original_paths).exists(),
    )


def shares_of_names(connection: Connection, forms: Sequence[str]) -> tuple[float, float]:
    """The shares of the titles, and of the paths' file names, that have a form of a text, as far as the statistics tell."""
    titles = _statistics(connection, "ix_documents_title_trigrams")
    return _shares(titles, _statistics(connection, "ix_document_original_paths_path_trigrams"), forms)


def _shares(titles: _Names, paths: _Names, forms: Sequence[str]) -> tuple[float, float]:
    quoted = [quote(form).lower() for form in forms]
    lowered = [form.lower() for form in forms]
    return (
        titles.share(lambda title: any(form in title for form in lowered)),
        paths.share(lambda path: any(form in path.rpartition("/")[2] for form in quoted)),
    )


def _by_index(
    titles: _Names, paths: _Names, form: str, policy: PolicyContext | None
) -> tuple[Select[Any], Select[Any]]:
    """The ids of the documents with a form of a text in a file name, and in a title, by the indexes."""
    place, titled = document_original_paths.c, documents.alias("titled").c
    sought = quote(form).lower()
    path, title = func.lower(place.path), func.lower(titled.title)
    words = _WORD.findall(form)
    placed = select(place.document_id).where(*_indexed(path, sought, _rare(paths, [quote(word) for word in words])))
    return (
        placed.where(is_file_name(place.path, form), *_is_seen(policy)),
        select(titled.document_id).where(*_indexed(title, form.lower(), _rare(titles, words))),
    )


def _rare(names: _Names, words: Sequence[str]) -> list[str]:
    """The words that the index is asked for; none if all are common or too short, or if all are rare."""
    lowered = [word.lower() for word in words]
    rare = [
        word
        for word in lowered
        if len(unquote(word)) >= _SHORTEST and names.share(lambda name, word=word: word in name) < COMMON  # type: ignore[misc]
    ]
    return rare if len(rare) < len(lowered) else []


def _indexed(column: ColumnElement[str], sought: str, rare: Sequence[str]) -> list[ColumnElement[bool]]:
    """The conditions that a column contains a text: by the index of it, or of its rare words."""
    if not rare:
        return [contains(column, sought)]
    # An expression of which there is no index.
    return [*(contains(column, word) for word in rare), contains(func.concat(column, ""), sought)]


def is_file_name(path: ColumnElement[str], form: str) -> ColumnElement[bool]:
    """Whether a form of a text is in the last part of a path."""
    file_name = func.substr(path, func.length(func.rtrim(path, func.replace(path, "/", ""))) + 1)
    return contains(func.lower(file_name), quote(form).lower())


def _is_seen(policy: PolicyContext | None) -> list[ColumnElement[bool]]:
    """The condition that a policy context has seen a path (STO-5)."""
    place = document_original_paths
    if policy is None:
        return []
    return [place.c.path.in_(paths_seen(place.c.document_id, policy).correlate(place))]


def contains(column: ColumnElement[str], sought: str) -> ColumnElement[bool]:
    """Whether a text contains another, every letter of which stands for itself."""
    return column.contains(sought, autoescape=True)


def _statistics(connection: Connection, index: str) -> _Names:
    """What PostgreSQL gathered about the texts of an index, by its ANALYZE."""
    row = connection.execute(_STATISTICS, {"index": index}).one_or_none()
    if row is None:
        return _Names()
    nulls, common, shares, sample = row
    shares = shares or ()
    rest = max(0.0, 1.0 - nulls - sum(shares))
    return _Names(common=tuple(zip(common or (), shares, strict=True)), sample=tuple(sample or ()), rest=rest)
