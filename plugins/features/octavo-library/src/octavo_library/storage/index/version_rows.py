"""Builds index rows from the files of a version and the logs beside them, for a rebuilt index."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from octavo_contracts import IngestionState, OctavoError, StorageError, UsageError, store_ref

from ...text.times import time_text, utc_now
from ..files import layout
from ..files.artifacts import ArtifactStore
from .instance_ids import document_id_for
from .job_ids import new_job_id
from .records import STORED_ORIGINAL


def read_record(data: bytes | None) -> dict[str, list[dict[str, Any]]]:
    """The rows of a record by table; empty if the record is missing (None) or damaged."""
    try:
        tables = json.loads(data or b"")["tables"]
        return {name: [row for row in rows if isinstance(row, dict)] for name, rows in tables.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def logged(data: bytes | None) -> Iterator[dict[str, Any]]:
    """The jobs of a processing log; empty if the log is missing (None) or damaged."""
    try:
        found = json.loads(data or b"")["jobs"]
        yield from (job for job in found if isinstance(job, dict) and isinstance(job.get("entries"), list))
    except (ValueError, KeyError, TypeError):
        return


def log_rows(data: bytes | None, raw_hash: str, document_id: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of ended jobs, and of transitions, from a processing log."""
    ended, steps = [], []
    for job in logged(data):
        entries = job.get("entries") or [{}]
        first, last = entries[0], entries[-1]
        row = {name: job.get(name) for name in ("job_id", "intent", "state", "reason")}
        row |= {"document_id": document_id, "raw_hash": raw_hash, "seq": last.get("seq", 0), "claims": 1}
        row |= {"attempts": 1, "created_at": first.get("at"), "updated_at": last.get("at")}
        if job.get("state") in (IngestionState.COMPLETE, IngestionState.DEGRADED_COMPLETE, "hard_failed"):
            ended.append(row)
        known = {"seq", "from", "to", "skipped", "at"}
        steps += [
            {
                "job_id": job.get("job_id"),
                "seq": entry.get("seq"),
                "from_state": entry.get("from"),
                "to_state": entry.get("to"),
                "skipped": int(bool(entry.get("skipped"))),
                "at": entry.get("at"),
                "details_json": json.dumps({key: value for key, value in entry.items() if key not in known}),
            }
            for entry in entries
        ]
    return ended, steps


def _part(store: ArtifactStore, raw_hash: str, number: int, name: str) -> dict[str, Any]:
    """The content of a version's JSON file; empty if the file is missing or invalid."""
    try:
        found = json.loads(store.read(store_ref(f"{layout.version_folder(raw_hash, number)}/{name}")))
    except (OctavoError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def job_of(store: ArtifactStore, raw_hash: str, number: int) -> str:
    """Id of the job that made a version; a new id if the version names none."""
    try:
        return store.manifest(raw_hash, number).job_id or new_job_id()
    except (UsageError, StorageError):
        return new_job_id()


def job_row(job_id: str, raw_hash: str, document_id: str) -> dict[str, Any]:
    """The row of a job of which only its success is known."""
    now = time_text(utc_now())
    return {
        "job_id": job_id,
        "document_id": document_id,
        "raw_hash": raw_hash,
        "intent": "ingest",
        "state": "complete",
        "seq": 0,
        "claims": 1,
        "attempts": 1,
        "created_at": now,
        "updated_at": now,
    }


def document_row(store: ArtifactStore, raw_hash: str, number: int) -> dict[str, Any]:
    """The row of a document, from the files of one of its versions."""
    facts, report = (_part(store, raw_hash, number, name) for name in ("metadata.json", "quality_report.json"))
    classification = facts.get("classification")
    degraded = report.get("user_visible_status") != "ok" or bool(facts.get("receipts"))
    return {
        "document_id": document_id_for(raw_hash),
        "content_hash": raw_hash,
        "normalized_binary_hash": facts.get("normalized_binary_hash"),
        "normalized_text_hash": facts.get("normalized_text_hash"),
        "title": (facts.get("metadata") or {}).get("title"),
        "document_type": (classification or {}).get("document_type"),
        "mime_type": (classification or {}).get("media_type"),
        "classification_json": json.dumps(classification, ensure_ascii=False) if classification else None,
        "original_ref": report.get("source_ref"),
        "active_conversion_version": f"v{number}",
        "ingestion_status": "degraded_complete" if degraded else "complete",
        "first_ingested_at": _part(store, raw_hash, number, "tool.json").get("created_at") or time_text(utc_now()),
        "processing_log_ref": store_ref(layout.log_file(raw_hash)),
    }


def conversion_row(store: ArtifactStore, raw_hash: str, document_id: str, number: int, job_id: str) -> dict[str, Any]:
    """The row of a version, from its files."""
    tool, report, facts = (
        _part(store, raw_hash, number, name) for name in ("tool.json", "quality_report.json", "metadata.json")
    )
    return {
        "document_id": document_id,
        "version": number,
        "job_id": job_id,
        "tool": tool.get("plugin") or "unknown",
        "tool_version": tool.get("plugin_version"),
        "config_json": json.dumps({name: tool.get(name) for name in ("profile", "because", STORED_ORIGINAL)}),
        "quality_score": report.get("quality_score"),
        "status": "ok" if report.get("user_visible_status") == "ok" else "degraded",
        "flags_json": json.dumps(report.get("degraded_flags") or []),
        "normalized_text_hash": facts.get("normalized_text_hash"),
        "artifact_ref": store_ref(layout.version_folder(raw_hash, number)),
        "created_at": tool.get("created_at") or time_text(utc_now()),
        "title": (facts["metadata"] or {}).get("title") or "" if "metadata" in facts else None,
    }


def hash_rows(store: ArtifactStore, raw_hash: str, document_id: str, number: int) -> Iterator[dict[str, Any]]:
    """The hashes of a version's pages and chunks."""
    pages = _part(store, raw_hash, number, "pages.json").get("page_hashes") or []
    sets = store.chunk_configs(raw_hash, number)
    first = f"{layout.CHUNKS}/{sets[0]}/{layout.CHUNK_FILE}" if sets else ""
    chunks = _part(store, raw_hash, number, first).get("chunk_hashes") or [] if first else []
    for kind, values in (("page", pages), ("chunk", chunks)):
        for position, value in enumerate(values, start=1):
            yield {
                "document_id": document_id,
                "version": number,
                "kind": kind,
                "position": position,
                "hash": value,
            }
