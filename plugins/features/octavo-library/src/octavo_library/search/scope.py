"""What a search may see: a table of chunk sets that the words are joined with, inside the query.

It is made from the library's own tables: the active version of each document, and, for a search in a corpus or
under a policy, only documents with a way in there (STO-5). It is kept until either database changes.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from .library_tables import LibraryTables

_TABLE = "CREATE TEMP TABLE IF NOT EXISTS scope(number INTEGER PRIMARY KEY, document_id TEXT NOT NULL)"

_VISIBLE = """
document.active_conversion_version IS NOT NULL
AND (:corpus IS NULL OR EXISTS (SELECT 1 FROM library.document_corpus_memberships AS member
     WHERE member.document_id = document.document_id AND member.corpus_id = :corpus))
AND (:policy IS NULL OR EXISTS (SELECT 1 FROM library.document_source_instances AS instance
     WHERE instance.document_id = document.document_id AND instance.policy_context_json = :policy
       AND (:corpus IS NULL OR instance.corpus_id = :corpus)))
AND (:corpus IS NOT NULL OR :policy IS NOT NULL OR EXISTS (SELECT 1 FROM library.document_source_instances AS instance
     WHERE instance.document_id = document.document_id
       AND instr(instance.policy_context_json, '"visibility":"firewalled"') = 0))
"""

_ADD = f"""
INSERT INTO temp.scope
SELECT sets.number, sets.document_id FROM main.sets
JOIN library.documents AS document ON document.document_id = sets.document_id
WHERE sets.config = :config AND document.active_conversion_version = 'v' || sets.version
  AND document.normalized_text_hash IS sets.text_hash AND {_VISIBLE}
"""

_ADD_OTHERS = f"{_ADD} AND sets.document_id NOT IN (SELECT document_id FROM temp.scope)"

_COUNT = f"SELECT count(*) FROM library.documents AS document WHERE {_VISIBLE}"


class Scope(NamedTuple):
    """Who asks.

    Attributes:
        corpus_id: only documents of this corpus, by a way in of this corpus.
        policy: only documents that came in under this policy context, as `PolicyContext.canonical()`.
            With neither: documents with a way in that is not firewalled.
        configs: chunking configs, the preferred one first: a document without a set of it is searched by the next.
    """

    corpus_id: str | None
    policy: str | None
    configs: tuple[str, ...]


class ScopeTable:
    """The table of one connection.

    Args:
        connection: of the chunk index.
        library: what is the connection's schema `library`.
    """

    def __init__(self, connection: sqlite3.Connection, library: LibraryTables) -> None:
        self._connection = connection
        self._library = library
        self._holds: tuple[object, ...] | None = None
        self._pending = 0
        connection.execute(_TABLE)

    @property
    def state(self) -> tuple[object, ...] | None:
        """What the table holds and when it was made: equal states hold the same sets."""
        return self._holds

    def fill(self, scope: Scope, *, written: int) -> int:
        """Make the table hold a scope. Call it in the transaction that searches, so that both see one state.

        Args:
            scope: which.
            written: how often this connection has written: SQLite tells of the changes of others only.

        Returns:
            How many documents of the scope have no chunks in the index.
        """
        (others,) = self._connection.execute("PRAGMA main.data_version").fetchone()
        wanted = (scope, self._library.state(self._connection), others, written)
        if self._holds != wanted:
            self._holds = None
            self._pending = self._make(scope)
            self._holds = wanted
        return self._pending

    def _make(self, scope: Scope) -> int:
        execute = self._connection.execute
        asked = {"corpus": scope.corpus_id, "policy": scope.policy}
        execute("DELETE FROM temp.scope")
        first, *others = scope.configs
        execute(_ADD, {**asked, "config": first})
        for config in others:
            execute(_ADD_OTHERS, {**asked, "config": config})
        (visible,) = execute(_COUNT, asked).fetchone()
        return int(visible) - self.count()

    def count(self) -> int:
        """How many documents the table holds."""
        return int(self._connection.execute("SELECT count(*) FROM temp.scope").fetchone()[0])
