"""Runs of field extraction, stored with the version whose text they read, and their failures as notes of its quality report (CNV-13).

A run is a file beside the version, as a run of entity extraction is. Nobody but the library's owner sees one: a run tells that
somebody asked for its fields (STO-5).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from octavo_contracts import QualityFinding
from pydantic import JsonValue

from ..storage import ArtifactStore
from .extraction_file import is_whole, store_run, stored_runs

PREFIX = "fields"
"""Beginning of the names of these runs; engines of entities have the names of plugins."""
NOT_VERIFIED = "field_not_verified"
"""Code of the note that a value of a field failed its verification."""
SHOWN = 20
"""Most notes of one document."""


def keep_field_run(
    artifacts: ArtifactStore,
    raw_hash: str,
    version: int,
    *,
    schema: Mapping[str, JsonValue],
    fields: Mapping[str, Mapping[str, Any]],
    failures: Sequence[tuple[str, str, str]],
) -> str:
    """Store a run with its version; storing the same run again changes nothing.

    Args:
        artifacts: the library's files.
        raw_hash: hash of the document.
        version: the version that was read.
        schema: the JSON Schema of the fields.
        fields: name → value, span, whether it is verified, method, confidence, and why it is not verified.
        failures: field, extractor and reason of each value that failed verification.

    Returns:
        The reference of its file.

    Raises:
        UsageError: the version was purged meanwhile.
        StorageError: the library cannot be written.
    """
    content = {
        "kind": PREFIX,
        "version": version,
        "schema": schema,
        "fields": {name: dict(field) for name, field in fields.items()},
        "failures": [{"field": name, "extractor": who, "why": why} for name, who, why in failures],
    }
    return store_run(artifacts, raw_hash, version, name=PREFIX, content=content)


def field_runs(artifacts: ArtifactStore, raw_hash: str, version: int) -> list[dict[str, Any]]:
    """Return the stored runs of a version, without altered ones.

    Raises:
        StorageError: the store does not answer now.
    """
    return [
        json.loads(data)
        for ref, data in stored_runs(artifacts, raw_hash, version)
        if ref.split("/")[-2].startswith(f"{PREFIX}-") and is_whole(data, ref)
    ]


def field_findings(artifacts: ArtifactStore, raw_hash: str, version: int) -> tuple[QualityFinding, ...]:
    """Return a note for each value that failed its verification, in fields of a name that no run verified: a schema is corrected.

    Raises:
        StorageError: the store does not answer now.
    """
    runs = field_runs(artifacts, raw_hash, version)
    verified = {name for run in runs for name, field in run["fields"].items() if field["verified"]}
    failed = {
        (one["field"], one["extractor"], one["why"]): None
        for run in runs
        for one in run["failures"]
        if one["field"] not in verified
    }
    return tuple(
        QualityFinding(
            flag=NOT_VERIFIED,
            severity="note",
            message=f"the field {name}: the value from {who} is not verified: {why}",
            remedy="Do not rely on the value; give other labels or a `date_order`, or name another engine or a model with `octavo fields`",
        )
        for name, who, why in sorted(failed)[:SHOWN]
    )
