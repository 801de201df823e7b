"""An `IngestionResult` and the files of a version, as a policy context is told of them (STO-5).

Which field is whose stands in `octavo_library.storage.index.ownership`; this module says what the asker's own value of a field is.
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
"""The files of a version that hold more than what follows from the bytes."""


WAY_IN_FLAGS: Final = frozenset({"web_page"})
"""Flags of findings that tell how a document came. Libraries of older versions have them in reports that are shared."""


def result_as_told(
    result: IngestionResult,
    record: DocumentRecord,
    *,
    instance_id: str | None,
    since: str,
    findings: Sequence[QualityFinding] = (),
    profiles: Collection[str] = (),
) -> IngestionResult:
    """A result with what is the asker's own in it.

    Args:
        result: as it is stored.
        record: the document, as the asker is told of it.
        instance_id: the asker's way in.
        since: receipts are told as no older than this time, ISO 8601; empty: as they are.
        findings: what the asker's own ways in showed.
        profiles: those of the asker's corpora, which may register types.
    """
    result = _typed(result, profiles)
    told = with_findings(_without_ways(result), findings)
    hashes, report = told.content_hashes, told.quality_report
    own = _own(record, instance_id, since, report)
    source = {"source_ref": own["source_ref"]}
    parts = {
        "original_artifact_ref": own["source_ref"],
        "ingestion_status": told.ingestion_status,
        "classification": told.classification,
        "document_type": result.document_type,  # the classifier's; a type set by hand is put over it afterwards
        "content_hashes": hashes.model_copy(update=_changes(hashes, "content_hashes", own)),
        "quality_report": report.model_copy(update=_changes(report, "quality_report", own | dict(report) | source)),
        "failure_receipts": tuple(_receipt_as_told(one, own) for one in result.failure_receipts),
    }
    return result.model_copy(update=parts_as_told(dict(result), RESULT, parts))


def without_shipped_type(result: IngestionResult) -> IngestionResult:
    """A result for the context that it was made for: the shipped verdict beside a registered type is for others."""
    said = result.classification
    told = classification_as_told(said, is_own=True) if said is not None else None
    return result if told is said else result.model_copy(update={"classification": told})


def _typed(result: IngestionResult, profiles: Collection[str]) -> IngestionResult:
    said = result.classification
    if said is None or (profile := registering_profile(dict(said))) is None:
        return result
    told = classification_as_told(said, is_own=profile in profiles)
    return result.model_copy(update={"classification": told, "document_type": told.document_type})


def with_findings(result: IngestionResult, findings: Sequence[QualityFinding]) -> IngestionResult:
    """A result with what a way in showed besides; findings that it has already are not added again."""
    report = result.quality_report
    new = tuple(one for one in findings if one not in report.findings)
    return _with_report(result, (*report.findings, *new)) if new else result


def _without_ways(result: IngestionResult) -> IngestionResult:
    found = result.quality_report.findings
    kept = tuple(one for one in found if one.flag not in WAY_IN_FLAGS)
    return result if len(kept) == len(found) else _with_report(result, kept)


def _with_report(result: IngestionResult, findings: Sequence[QualityFinding]) -> IngestionResult:
    """A result with other findings, and the status that follows from them; a failure stays one."""
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
    """A file of a version for somebody who asks as a policy context; `FILTERED` has those that differ.

    Args:
        name: the file.
        data: what is stored.
        record: the document, as the asker is told of it.
        findings: what the asker's own ways in showed.
        profiles: those of the asker's corpora.
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
    """JSON as it stands in an export."""
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True).encode("utf-8", "surrogatepass") + b"\n"


def _own(
    record: DocumentRecord, instance_id: str | None, since: str, report: IngestionQualityReport | None
) -> dict[str, Any]:
    told = json.loads(report.to_json()) if report is not None else {}
    return {
        **{name: told.get(name) for name in ("findings", "degraded_flags", "user_visible_status")},
        "source_ref": record.original_ref,
        "source_instance_id": instance_id,
        "timestamp": since,
    }


def _changes(model: Any, part: str, own: Mapping[str, Any]) -> dict[str, object]:
    return parts_as_told(dict(model), RESULT_PARTS[part], own)


def _receipt_as_told(receipt: FailureReceipt, own: Mapping[str, Any]) -> FailureReceipt:
    """A receipt that is not older than the asker's own way in."""
    since = str(own["timestamp"])
    told = {**own, "timestamp": max(receipt.timestamp, datetime.fromisoformat(since)) if since else receipt.timestamp}
    return receipt.model_copy(update=_changes(receipt, "failure_receipts", told))
