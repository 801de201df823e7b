"""Fills in lost values in rows of a damaged index with safe defaults: an unknown policy becomes the strictest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo_contracts import IngestionState
from sqlalchemy import Table

from .instance_ids import PolicyContext

UNKNOWN_POLICY = PolicyContext(visibility="firewalled", sensitivity="local_only", scope_basis="unknown")
"""The context of documents whose own was lost: more restrictive than any that a user can set."""

_EMPTY = {"overrides_json": "{}", "flags_json": "[]", "config_json": "{}", "details_json": "{}"}
_CAREFUL = {
    ("corpora", "visibility"): UNKNOWN_POLICY.visibility,
    ("corpora", "sensitivity"): UNKNOWN_POLICY.sensitivity,
    ("document_source_instances", "policy_context_json"): UNKNOWN_POLICY.canonical(),
}


def is_complete(table: Table, row: Mapping[str, Any]) -> bool:
    """Whether a row has a value for each required column."""
    return all(column.name in row or column.nullable or column.server_default is not None for column in table.columns)


def completed(table: Table, given: Mapping[str, Any], *, keep_numbers: bool) -> dict[str, Any] | None:
    """Fill in missing values of a row with defaults that disclose nothing; None if the row is useless without them."""
    row: dict[str, Any] = {}
    for column in table.columns:
        numbers_itself = column.autoincrement is True
        if column.name in given and (keep_numbers or not numbers_itself):
            row[column.name] = given[column.name]
        elif numbers_itself or column.nullable or column.server_default is not None:
            continue
        elif (table.name, column.name) in _CAREFUL:
            row[column.name] = _CAREFUL[table.name, column.name]
        elif column.name in _EMPTY:
            row[column.name] = _EMPTY[column.name]
        elif (table.name, column.name) == ("documents", "ingestion_status"):
            row[column.name] = IngestionState.HARD_FAILED.value
        elif (
            column.primary_key or column.foreign_keys or column.unique or column.name.endswith(("_id", "hash", "state"))
        ):
            return None
        else:
            row[column.name] = 0 if column.type.python_type in (int, float) else "unknown"
    return row


def with_policy_of_corpus(row: Mapping[str, Any], policies: Mapping[str, str]) -> Mapping[str, Any]:
    """Give a source instance the current policy of its corpus: a record may be older than a policy change (STO-5)."""
    corpus_id = row.get("corpus_id")
    if corpus_id is None:
        return row
    visibility, _, sensitivity = policies.get(corpus_id, "").partition("\n")
    policy = UNKNOWN_POLICY
    if visibility and sensitivity:
        policy = PolicyContext(visibility=visibility, sensitivity=sensitivity, scope_basis="corpus")
    return {**row, "policy_context_json": policy.canonical()}
