"""Which documents a transaction changed, so that their records beside the index are written after it."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection

LIBRARY = ""
"""Stands for what belongs to no document: corpora, decisions, the log of purges."""

_KEY = "octavo_touched"


def touch(connection: Connection, document_ids: Iterable[str]) -> None:
    """Note, inside a transaction, that rows of these documents change."""
    connection.info.setdefault(_KEY, set()).update(document_ids)


def take_touched(connection: Connection) -> frozenset[str]:
    """What was noted since the last call; empty for a transaction that changed no document."""
    return frozenset(connection.info.pop(_KEY, ()))
