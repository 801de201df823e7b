"""Finds documents by a part of their title or file name, by an index of trigrams (UI-1).

A part of at least three letters is looked up in the index. A part of one or two letters has no trigram: the names are read.
Folders are not compared: a listing does not show them either.
"""

from __future__ import annotations

import unicodedata
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Text,
    bindparam,
    column,
    exists,
    false,
    func,
    literal_column,
    or_,
    select,
    table,
)

from . import direct_read
from .disclosure import paths_seen
from .instance_ids import PolicyContext
from .schema import document_names, document_original_paths
from .server_name_search import is_called_on_server

_SHORTEST: Final = 3
"""Letters of a trigram."""

_FEW: Final = 5_000
"""Up to so many matching names, a search begins with the matches; beyond, with the listing, where many rows match."""

_TEXT: Final = "document_names_text"
_INDEX: Final = table(_TEXT, column("rowid"))


def few_names(connection: Connection, text: str) -> str | None:
    """The numbers of the names that contain a text, as a JSON list, if they are few; for `is_among`.

    Args:
        connection: of the transaction that will use them.
        text: the part of a name.

    Returns:
        None where the condition of `is_called` is faster: with many matches, and on a server.
    """
    if "\0" in text or connection.dialect.name != "sqlite":
        return None
    forms = _forms(text)
    if (phrases := _phrases(forms)) is not None:
        ((number, listed),) = direct_read.rows(connection, _MATCHING, {"phrases": phrases})
    else:
        number, listed = connection.execute(_listed(select(document_names.c.name_id).where(_contains(forms)))).one()
    return str(listed) if number <= _FEW else None


def is_among(document_id: ColumnElement[str], policy: PolicyContext | None) -> ColumnElement[bool]:
    """The condition on a document that one of the names in the parameter `names` is its own; see `few_names`.

    Args:
        document_id: the column of the document's id.
        policy: as `is_called`.
    """
    numbers = func.json_each(bindparam("names", type_=Text)).table_valued("value").c.value
    names = select(document_names.c.document_id).where(document_names.c.name_id.in_(select(numbers)))
    return document_id.in_(names.where(_is_seen(policy)))


def is_called(
    connection: Connection, document_id: ColumnElement[str], text: str, *, policy: PolicyContext | None
) -> ColumnElement[bool]:
    """The condition on a document that its title or a file name contains a text, without regard to case.

    Args:
        connection: of the transaction that will use the condition.
        document_id: the column of the document's id.
        text: the part of a name. Where few names contain it, `few_names` and `is_among` are faster.
        policy: file names count only where the paths were seen under this policy context (STO-5); None: all.
    """
    if "\0" in text:  # in no name, and the end of a text for SQLite
        return false()
    forms = _forms(text)
    if connection.dialect.name != "sqlite":
        return is_called_on_server(connection, document_id, forms_of(text), policy=policy)
    matching = _by_trigrams(forms)
    # LIKE ignores the case of ASCII letters alone: other texts are compared by the index, for all rows in advance.
    is_match = _contains(forms) if text.isascii() or matching is None else document_names.c.name_id.in_(matching)
    here = document_names.c.document_id == document_id
    return (
        select(document_names.c.name_id)
        .where(here, is_match, _is_seen(policy))
        .correlate_except(document_names)
        .exists()
    )


def erase_deleted_names(connection: Connection) -> None:
    """Remove deleted names from the trigram index: their letters stay in old segments until these are merged."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"INSERT INTO {_TEXT}({_TEXT}) VALUES ('optimize')")


def forms_of(text: str) -> tuple[str, ...]:
    """A text as it may be written in a name, for comparisons that ignore the case of ASCII letters alone."""
    return _cases(_forms(text))


def _forms(text: str) -> tuple[str, ...]:
    """A text as people and file systems write it: letters with their accents, or followed by them."""
    return tuple(dict.fromkeys((text, unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text))))


def _by_trigrams(forms: tuple[str, ...]) -> Select[Any] | None:
    """The numbers of the names that contain one of the texts; None for a text without a trigram."""
    phrases = _phrases(forms)
    return None if phrases is None else select(_INDEX.c.rowid).where(literal_column(_TEXT).op("MATCH")(phrases))


def _phrases(forms: tuple[str, ...]) -> str | None:
    """The query of the index of trigrams for one of the texts; None for a text without a trigram."""
    if len(min(forms, key=len)) < _SHORTEST:
        return None
    return " OR ".join('"{}"'.format(form.replace('"', '""')) for form in forms)


def _listed(numbers: Select[Any]) -> Select[Any]:
    """How many numbers a query finds, up to one more than `_FEW`, and the numbers."""
    hits = numbers.limit(_FEW + 1).subquery()
    # As one text: as rows they would take longer than finding them.
    return select(func.count(), func.json_group_array(hits.c[0]))


_MATCHING: Final = _listed(
    select(_INDEX.c.rowid).where(literal_column(_TEXT).op("MATCH")(bindparam("phrases", type_=Text)))
)


def _cases(forms: tuple[str, ...]) -> tuple[str, ...]:
    """The texts in small, capital and capitalised letters, where a comparison ignores the case of ASCII letters alone."""
    if all(form.isascii() for form in forms):
        return forms
    return tuple(dict.fromkeys(case for form in forms for case in (form, form.lower(), form.upper(), form.title())))


def _contains(forms: tuple[str, ...]) -> ColumnElement[bool]:
    """Whether a name contains one of the texts."""
    return or_(*(document_names.c.name.contains(one, autoescape=True) for one in _cases(forms)))


def _is_seen(policy: PolicyContext | None) -> ColumnElement[bool]:
    """Whether a name may be compared for a policy context: each title, and the paths that the context has seen."""
    if policy is None:
        return document_names.c.name_id.is_not(None)
    place = document_original_paths
    seen = exists().where(
        place.c.path_id == document_names.c.path_id,
        place.c.path.in_(paths_seen(place.c.document_id, policy).correlate(place)),
    )
    return or_(document_names.c.path_id.is_(None), seen.correlate(document_names))
