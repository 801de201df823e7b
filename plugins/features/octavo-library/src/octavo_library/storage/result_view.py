"""Filters an `IngestionResult` and the files of a version for a policy context (STO-5).

`octavo_library.storage.index.ownership` lists the owner of each field; this module computes the policy context's own
value of a field.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from octavo_contracts import FailureReceipt, IngestionQualityReport, IngestionResult, QualityFinding

from . import DocumentRecord
from .index.ownership import FILES, RESULT, RESULT_PARTS, parts_as_told
from .index.registered_type import classification_as_told, registering_profile, type_as_told
from .version_files import METADATA, REPORT, TOOL

FILTERED: Final = (REPORT, TOOL, METADATA)
"""The files of a version with fields that do not follow from the bytes alone."""


WAY_IN_FLAGS: Final = frozenset({"web_page"})
"""Flags of findings about a document's provenance. Libraries of older versions store them in shared reports."""


def result_as_told(
    result: IngestionResult,
    record: DocumentRecord,
    *,
    instance_id: str | None,
    since: str,
    findings: Sequence[QualityFinding] = (),
    profiles: Collection[str] = (),
) -> IngestionResult:
    """Filter a result for a policy context, with the context's own values filled in.

    Args:
        result: the stored result.
        record: the document record, already filtered for the policy context.
        instance_id: the source instance of the policy context.
        since: earliest time that receipts may show, ISO 8601; empty: receipts keep their times.
        findings: findings from the policy context's own source instances.
        profiles: the profiles of the policy context's corpora, which may register types.
    """
    result = _typed(result, profiles)
    filtered = with_findings(_without_ways(result), findings)
    hashes, report = filtered.content_hashes, filtered.quality_report
    own = _own(record, instance_id, since, report)
    source = {"source_ref": own["source_ref"]}
    parts = {
        "original_artifact_ref": own["source_ref"],
        "ingestion_status": filtered.ingestion_status,
        "classification": filtered.classification,
        "document_type": result.document_type,  # the classifier's; the caller applies a type set by hand afterwards
        "content_hashes": hashes.model_copy(update=_changes(hashes, "content_hashes", own)),
        "quality_report": report.model_copy(update=_changes(report, "quality_report", own | dict(report) | source)),
        "failure_receipts": tuple(_receipt_as_told(one, own) for one in result.failure_receipts),
    }
    return result.model_copy(update=parts_as_told(dict(result), RESULT, parts))


def without_shipped_type(result: IngestionResult) -> IngestionResult:
    """A result for the context that it was made for: without the shipped verdict, which is for the other contexts."""
    said = result.classification
    filtered = classification_as_told(said, is_own=True) if said is not None else None
    return result if filtered is said else result.model_copy(update={"classification": filtered})


def _typed(result: IngestionResult, profiles: Collection[str]) -> IngestionResult:
    said = result.classification
    if said is None or (profile := registering_profile(dict(said))) is None:
        return result
    filtered = classification_as_told(said, is_own=profile in profiles)
    return result.model_copy(update={"classification": filtered, "document_type": filtered.document_type})


def with_findings(result: IngestionResult, findings: Sequence[QualityFinding]) -> IngestionResult:
    """Add a source instance's findings to a result; findings that are already there are not added again."""
    report = result.quality_report
    new = tuple(one for one in findings if one not in report.findings)
    return _with_report(result, (*report.findings, *new)) if new else result


def _without_ways(result: IngestionResult) -> IngestionResult:
    found = result.quality_report.findings
    kept = tuple(one for one in found if one.flag not in WAY_IN_FLAGS)
    return result if len(kept) == len(found) else _with_report(result, kept)


def _with_report(result: IngestionResult, findings: Sequence[QualityFinding]) -> IngestionResult:
    """Replace the findings of a result and derive its status from them; a hard failure stays one."""
    report = _report_with(result.quality_report, findings)
    status = result.ingestion_status
    if status != "hard_failed":
        is_degraded = report.user_visible_status != "ok" or bool(result.failure_receipts)
        status = "degraded_complete" if is_degraded else "complete"
    return result.model_copy(update={"quality_report": report, "ingestion_status": status})


def _report_with(report: IngestionQualityReport, findings: Sequence[QualityFinding]) -> IngestionQualityReport:
    flags = tuple(sorted({finding.flag for finding in findings if finding.severity == "degraded"}))
    status = report.user_visible_status
    if status in ("ok", "degraded"):
        status = "degraded" if flags else "ok"
    changes = {"findings": tuple(findings), "degraded_flags": flags, "user_visible_status": status}
    return report.model_copy(update=changes)


def file_as_told(
    name: str,
    data: bytes,
    record: DocumentRecord,
    *,
    findings: Sequence[QualityFinding] = (),
    profiles: Collection[str] = (),
) -> bytes:
    """Filter a file of a version for a policy context; `FILTERED` names the files that differ.

    Args:
        name: the file's name.
        data: the stored bytes.
        record: the document record, already filtered for the policy context.
        findings: findings from the policy context's own source instances.
        profiles: the profiles of the policy context's corpora.
    """
    content: dict[str, Any] = json.loads(data)
    report = None
    if name == REPORT:
        stored = IngestionQualityReport.read(data.decode())
        kept = (one for one in stored.findings if one.flag not in WAY_IN_FLAGS)
        report = _report_with(stored, (*kept, *findings))
    own = _own(record, None, record.first_ingested_at, report)
    own["created_at"] = max(str(content.get("created_at", "")), record.first_ingested_at)
    said = content.get("classification")
    own["classification"] = said and type_as_told(said, is_own=registering_profile(said) in profiles)
    receipts = content.get("receipts", ())
    own["receipts"] = [
        json.loads(_receipt_as_told(FailureReceipt.model_validate(one), own).to_json()) for one in receipts
    ]
    return as_json(parts_as_told(content, FILES[name], own))


def as_json(value: object) -> bytes:
    """Encode a value as JSON in the export format."""
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True).encode("utf-8", "surrogatepass") + b"\n"


def _own(
    record: DocumentRecord, instance_id: str | None, since: str, report: IngestionQualityReport | None
) -> dict[str, Any]:
    fields = json.loads(report.to_json()) if report is not None else {}
    return {
        **{name: fields.get(name) for name in ("findings", "degraded_flags", "user_visible_status")},
        "source_ref": record.original_ref,
        "source_instance_id": instance_id,
        "timestamp": since,
    }


def _changes(model: Any, part: str, own: Mapping[str, Any]) -> dict[str, object]:
    return parts_as_told(dict(model), RESULT_PARTS[part], own)


def _receipt_as_told(receipt: FailureReceipt, own: Mapping[str, Any]) -> FailureReceipt:
    """Filter a receipt; its time is not before the policy context's first ingest of the document."""
    since = str(own["timestamp"])
    timestamp = max(receipt.timestamp, datetime.fromisoformat(since)) if since else receipt.timestamp
    return receipt.model_copy(update=_changes(receipt, "failure_receipts", {**own, "timestamp": timestamp}))
