"""The scope of a search: a table of visible chunk sets, which the query joins with the matching words.

It is built from the library's own tables: the active version of each document, and, for a search in a corpus or under a
policy, only documents with a source instance there (STO-5). It is reused until either database changes.
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
    """The scope of a search.

    Attributes:
        corpus_id: only documents of this corpus, with a source instance of this corpus.
        policy: only documents ingested under this policy context, as `PolicyContext.canonical()`.
            If both are None: documents with a source instance that is not firewalled.
        configs: chunking configs by preference: a document without a set of one is searched by the next.
    """

    corpus_id: str | None
    policy: str | None
    configs: tuple[str, ...]


class ScopeTable:
    """The scope table of one connection.

    Args:
        connection: of the chunk index.
        library: the source of the connection's schema `library`.
    """

    def __init__(self, connection: sqlite3.Connection, library: LibraryTables) -> None:
        self._connection = connection
        self._library = library
        self._holds: tuple[object, ...] | None = None
        self._pending = 0
        connection.execute(_TABLE)

    @property
    def state(self) -> tuple[object, ...] | None:
        """Identifies the content of the table and the database states it was built from: equal states, equal sets."""
        return self._holds

    def fill(self, scope: Scope, *, written: int) -> int:
        """Fill the table for a scope. Call it in the transaction of the search, so that both see one state.

        Args:
            scope: the scope.
            written: number of writes by this connection: SQLite reports only the changes of others.

        Returns:
            The number of documents in scope without chunks in the index.
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
        """Number of documents in the table."""
        return int(self._connection.execute("SELECT count(*) FROM temp.scope").fetchone()[0])
