"""SQL for what a search may see, decided by the library's own tables (STO-5)."""

from __future__ import annotations

from typing import NamedTuple

from ..scope import Scope

FROM = """
FROM search_chunks AS chunk JOIN search_sets AS sets ON sets.number = chunk.number
JOIN documents AS document ON document.document_id = sets.document_id
"""

IS_ACTIVE = """
({document}.active_conversion_version = 'v' || {sets}.version AND {document}.normalized_text_hash IS NOT DISTINCT FROM {sets}.text_hash)
"""
"""Whether a chunk set is that of the document's active version."""

_CURRENT = IS_ACTIVE.format(document="document", sets="sets")
_PREFERRED = f"""
NOT EXISTS (SELECT 1 FROM search_sets AS other WHERE other.document_id = document.document_id
            AND other.config = :config_0 AND {IS_ACTIVE.format(document="document", sets="other")})
"""
IS_MEMBER = """
EXISTS (SELECT 1 FROM document_corpus_memberships AS member
        WHERE member.document_id = {table}.document_id AND member.corpus_id = :corpus)
"""
"""Whether the document of a table's row is in a corpus."""

AMONG = " AND document.document_id = ANY(CAST(:among AS text[]))"
"""Restricts a statement to some documents."""

_INSTANCE = """
EXISTS (SELECT 1 FROM document_source_instances AS instance
        WHERE instance.document_id = document.document_id AND {condition} OFFSET 0)
"""
# OFFSET 0: looked up by the document. As a join, its size would be guessed, far too low, and all rows compared with all.
_OPEN = """strpos(instance.policy_context_json, '"visibility":"firewalled"') = 0"""


class Condition(NamedTuple):
    """A condition of SQL, with the values of its parameters."""

    sql: str
    values: dict[str, object]


def visible_documents(scope: Scope) -> Condition:
    """The condition for documents that the search may see."""
    parts = ["document.active_conversion_version IS NOT NULL"]
    values: dict[str, object] = {}
    if scope.corpus_id is not None:
        parts.append(IS_MEMBER.format(table="document"))
        values["corpus"] = scope.corpus_id
    if scope.policy is not None:
        of_policy = "instance.policy_context_json = :policy"
        within = " AND instance.corpus_id = :corpus" if scope.corpus_id is not None else ""
        parts.append(_INSTANCE.format(condition=of_policy + within))
        values["policy"] = scope.policy
    elif scope.corpus_id is None:
        parts.append(_INSTANCE.format(condition=_OPEN))
    return Condition(" AND ".join(parts), values)


def visible_chunks(scope: Scope) -> Condition:
    """The condition for chunks, in `FROM`: of visible documents, of the active version, of the first config that it has.

    The configs are at most two: that of the corpus, and that of the library.
    """
    documents = visible_documents(scope)
    first, *second = scope.configs
    values = {**documents.values, "config_0": first}
    of_config = "sets.config = :config_0"
    if second:
        (values["config_1"],) = second
        of_config = f"({of_config} OR sets.config = :config_1 AND {_PREFERRED})"
    return Condition(f"{documents.sql} AND {_CURRENT} AND {of_config}", values)


def without_chunks(scope: Scope) -> Condition:
    """The condition for visible documents that have no chunks in the index."""
    documents = visible_documents(scope)
    missing = f"""
    NOT EXISTS (SELECT 1 FROM search_sets AS sets WHERE sets.document_id = document.document_id
                AND sets.config = ANY(:configs) AND {_CURRENT})
    """
    return Condition(f"{documents.sql} AND {missing}", {**documents.values, "configs": list(scope.configs)})
