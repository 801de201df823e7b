"""Tracks the documents that a transaction changes, so that their records beside the index are written afterwards."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection

LIBRARY = ""
"""Pseudo id for rows that belong to no document: corpora, decisions, the purge log."""

_KEY = "octavo_touched"


def touch(connection: Connection, document_ids: Iterable[str]) -> None:
    """Mark documents as changed inside a transaction."""
    connection.info.setdefault(_KEY, set()).update(document_ids)


def take_touched(connection: Connection) -> frozenset[str]:
    """The documents marked since the last call; empty for a transaction that changed no document."""
    return frozenset(connection.info.pop(_KEY, ()))
