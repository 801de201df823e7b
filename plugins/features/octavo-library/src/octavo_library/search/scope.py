"""The scope of a search: a table of visible chunk sets, which the query joins with the matching words.

It is built from the library's own tables: the active version of each document, and, for a search in a corpus or under a
policy, only documents with a source instance there (STO-5). It is reused until either database changes; then the rows of
the documents that changed are made again, or all rows if the library cannot tell which changed.
"""

from __future__ import annotations

import json
import sqlite3
from typing import NamedTuple

from .library_tables import MOST_CHANGES, LibraryTables, Mark

_TABLES = (
    "CREATE TEMP TABLE IF NOT EXISTS scope(number INTEGER PRIMARY KEY, document_id TEXT NOT NULL UNIQUE)",
    "CREATE TEMP TABLE IF NOT EXISTS unindexed(document_id TEXT PRIMARY KEY) WITHOUT ROWID",
)

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

_NOT_YET = "AND NOT EXISTS (SELECT 1 FROM temp.scope WHERE scope.document_id = document.document_id)"

_ADD_UNINDEXED = f"""
INSERT INTO temp.unindexed
SELECT document.document_id FROM library.documents AS document WHERE {_VISIBLE} {_NOT_YET}
"""

_AMONG = "(SELECT value FROM json_each(:among))"

_NEW_SETS = "SELECT document_id FROM main.sets WHERE number > ? LIMIT ?"


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
        self._made: tuple[Scope, Mark | None, int] | None = None
        self._pending = self._count = 0
        for table in _TABLES:
            connection.execute(table)

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
            changed = self._changed(scope)
            self._holds = self._made = None
            (last,) = self._connection.execute("SELECT max(number) FROM main.sets").fetchone()
            self._make(scope, changed)
            self._made = (scope, self._library.mark(self._connection), last or 0)
            self._holds = wanted
        return self._pending

    def count(self) -> int:
        """Number of documents in the table."""
        return self._count

    def _changed(self, scope: Scope) -> list[str] | None:
        """The documents whose rows may no longer be right; None for all of them.

        A set is removed only after its document changed; an added one has a higher number than all before.
        """
        if self._made is None or self._made[0] != scope:
            return None
        _, mark, last = self._made
        changed = self._library.changed(self._connection, mark)
        if changed is None:
            return None
        added = self._connection.execute(_NEW_SETS, (last, MOST_CHANGES + 1)).fetchall()
        return None if len(added) > MOST_CHANGES else [*changed, *(document_id for (document_id,) in added)]

    def _make(self, scope: Scope, among: list[str] | None) -> None:
        execute = self._connection.execute
        asked = {"corpus": scope.corpus_id, "policy": scope.policy}
        restricted = ""
        if among is None:
            execute("DELETE FROM temp.scope")
            execute("DELETE FROM temp.unindexed")
            self._count = self._pending = 0
        else:
            asked["among"] = json.dumps(among)
            self._count -= execute(f"DELETE FROM temp.scope WHERE document_id IN {_AMONG}", asked).rowcount
            self._pending -= execute(f"DELETE FROM temp.unindexed WHERE document_id IN {_AMONG}", asked).rowcount
            restricted = f" AND document.document_id IN {_AMONG}"
        for place, config in enumerate(scope.configs):
            statement = _ADD + restricted + (_NOT_YET if place else "")
            self._count += execute(statement, {**asked, "config": config}).rowcount
        self._pending += execute(_ADD_UNINDEXED + restricted, asked).rowcount
