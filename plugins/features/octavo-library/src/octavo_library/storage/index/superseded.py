"""Documents whose paths have other content now: a file that was changed and ingested again (STO-11).

The identity of a document is the hash of its bytes, so that changed bytes are another document. Both are kept; the earlier one
has stale paths only, and the later one stands there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Select, bindparam, exists, select

from . import dialect, direct_read
from .disclosure import paths_seen
from .instance_ids import PolicyContext
from .schema import document_original_paths, ingest_events

_OLD: Final = document_original_paths.alias("old")
_NEW: Final = document_original_paths.alias("new")
_OTHER: Final = document_original_paths.alias("other")
_EVENT: Final = ingest_events.alias("replacing")


@dataclass(frozen=True, kw_only=True, slots=True)
class Replacement:
    """A path whose content changed.

    Attributes:
        path: the reference of the path.
        earlier_id: the document that was there.
        later_id: the document that is there now.
    """

    path: str
    earlier_id: str
    later_id: str


def successors(connection: Connection, document_ids: Sequence[str], policy: PolicyContext | None) -> dict[str, str]:
    """Document id → the document that is now at its path, for documents that stand at no path any more.

    Args:
        connection: of a transaction.
        document_ids: the documents.
        policy: only paths that this policy context has seen (STO-5); None: the library's owner.
    """
    query = _successors(connection.dialect.name, policy)
    return {row[0]: row[1] for row in direct_read.rows(connection, query, dialect.as_many(document_ids))}


def replacements(
    connection: Connection, document_ids: Sequence[str], policy: PolicyContext | None
) -> tuple[Replacement, ...]:
    """The paths where these documents took the place of others when they were ingested last.

    Args:
        connection: of a transaction.
        document_ids: the documents.
        policy: as `successors`.
    """
    query = _predecessors(connection.dialect.name, policy)
    found = []
    for path, earlier, later in direct_read.rows(connection, query, dialect.as_many(document_ids)):
        last = direct_read.first_column(connection, _LAST, {"path": path, "earlier": earlier, "later": later})
        if last == [later, earlier]:  # else the path had this document already
            found.append(Replacement(path=path, earlier_id=earlier, later_id=later))
    return tuple(found)


_LAST: Final = (
    select(_EVENT.c.document_id)
    .where(_EVENT.c.path == bindparam("path"))
    .where(_EVENT.c.document_id.in_((bindparam("earlier"), bindparam("later"))))
    .order_by(_EVENT.c.event_id.desc())
    .limit(2)
)
"""The documents of the last two events of a path, the last one first."""


@dialect.prepared
def _successors(database: str, policy: PolicyContext | None) -> Select[Any]:
    query = _changed(policy, _OLD.c.document_id, _NEW.c.document_id)
    stands = exists().where(_OTHER.c.document_id == _OLD.c.document_id, _OTHER.c.is_stale == 0)
    if policy is not None:
        stands = stands.where(_is_seen(_OTHER, policy))
    query = query.where(_OLD.c.document_id.in_(dialect.many(database)), ~stands.correlate(_OLD))
    return query.order_by(_OLD.c.path_id)


@dialect.prepared
def _predecessors(database: str, policy: PolicyContext | None) -> Select[Any]:
    query = _changed(policy, _OLD.c.path, _OLD.c.document_id, _NEW.c.document_id)
    return query.where(_NEW.c.document_id.in_(dialect.many(database))).order_by(_OLD.c.path, _OLD.c.path_id)


def _changed(policy: PolicyContext | None, *columns: Any) -> Select[Any]:
    """Pairs of paths that are one place: the document of the first one is gone from there, that of the second stands there."""
    query = select(*columns).join_from(_OLD, _NEW, _OLD.c.path == _NEW.c.path)
    query = query.where(_OLD.c.is_stale == 1, _NEW.c.is_stale == 0, _OLD.c.document_id != _NEW.c.document_id)
    if policy is not None:
        query = query.where(_is_seen(_OLD, policy), _is_seen(_NEW, policy))
    return query


def _is_seen(table: Any, policy: PolicyContext) -> Any:
    return table.c.path.in_(paths_seen(table.c.document_id, policy))
