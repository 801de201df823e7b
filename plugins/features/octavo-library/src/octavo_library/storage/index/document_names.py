"""Documents by what people call them: the name of a file, the end of a path, a title (STO-5, STO-13)."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import unquote

from octavo.documents.location import place_ref
from sqlalchemy import Connection, Row, select

from .declared_titles import has_title
from .disclosure import paths_seen, restricted
from .instance_ids import PolicyContext
from .schema import document_original_paths, documents

_COMPARED: Final = 2000
"""Maximum number of paths that are compared with a name that no document has."""
_LEAST_RATIO: Final = 0.7
_COLUMNS = (documents.c.document_id, documents.c.title, documents.c.content_hash)


def by_name(
    connection: Connection, name: str, policy: PolicyContext | None, corpus_id: str | None, *, limit: int
) -> Sequence[Row[Any]]:
    """The documents of a file name or the end of a path, such as `letters/anna.txt`; where none fits, those of a title.

    A document that stands there now counts before one that stood there once. Titles are compared without case.

    Args:
        connection: of a transaction.
        name: as the user gave it; an absolute path or one with `..` is none.
        policy: the policy context of the user; None: all documents are visible.
        corpus_id: only documents of this corpus.
        limit: at most so many.
    """
    return _by_path_end(connection, name, policy, corpus_id)[:limit] or _by_title(
        connection, name, policy, corpus_id, limit=limit
    )


def _by_path_end(
    connection: Connection, name: str, policy: PolicyContext | None, corpus_id: str | None
) -> list[Row[Any]]:
    if not name or name.startswith("/") or ".." in name.split("/") or "\0" in name:
        return []
    end = place_ref(f"/{name}").removeprefix("file://")
    table = document_original_paths
    query = (
        select(*_COLUMNS, table.c.path, table.c.is_stale)
        .join_from(documents, table, table.c.document_id == documents.c.document_id)
        .where(table.c.path.endswith(end, autoescape=True))
    )
    if policy is not None:
        query = query.where(table.c.path.in_(paths_seen(table.c.document_id, policy)))
    rows = connection.execute(restricted(query, corpus_id=corpus_id, policy=policy).order_by(table.c.path_id)).all()
    # SQLite compares the letters of ASCII without case; a file system does not.
    exact = [row for row in rows if row.path.endswith(end)]
    standing = [row for row in exact if not row.is_stale] or exact
    return list({row.document_id: row for row in standing}.values())


def _by_title(
    connection: Connection, title: str, policy: PolicyContext | None, corpus_id: str | None, *, limit: int
) -> Sequence[Row[Any]]:
    if not title.strip():
        return ()
    query = select(*_COLUMNS).where(has_title(title, policy))
    query = restricted(query, corpus_id=corpus_id, policy=policy)
    rows: list[Row[Any]] = list(connection.execute(query.order_by(documents.c.document_id).limit(limit)))
    return rows


def near_name(connection: Connection, name: str, policy: PolicyContext | None, corpus_id: str | None) -> str | None:
    """The file name that is nearest to one that no document has: the same without its ending or in another case, or one that is alike.

    Of documents that came in last, at most `_COMPARED` paths are compared.
    """
    table = document_original_paths
    query = select(table.c.path).join_from(documents, table, table.c.document_id == documents.c.document_id)
    if policy is not None:
        query = query.where(table.c.path.in_(paths_seen(table.c.document_id, policy)))
    query = restricted(query, corpus_id=corpus_id, policy=policy)
    begun = place_ref(f"/{name}").removeprefix("file://") + "."
    same = connection.execute(query.where(table.c.path.contains(begun, autoescape=True)).limit(_COMPARED)).scalars()
    wanted = name.casefold()
    for one in (PurePosixPath(unquote(path)).name for path in same):
        if PurePosixPath(one).stem.casefold() == wanted:
            return one
    newest = connection.execute(query.order_by(table.c.path_id.desc()).limit(_COMPARED)).scalars()
    names = {one.casefold(): one for one in (PurePosixPath(unquote(path)).name for path in newest)}
    stems = {PurePosixPath(folded).stem: one for folded, one in names.items()}
    close = difflib.get_close_matches(wanted, names, n=1, cutoff=_LEAST_RATIO)
    return names.get(wanted) or stems.get(wanted) or (names[close[0]] if close else None)
