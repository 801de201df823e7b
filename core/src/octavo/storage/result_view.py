"""An `IngestionResult` and the files of a version, as a policy context is told of them (STO-5).

Which field is whose stands in `octavo.storage.index.ownership`; this module says what the asker's own value of a field is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from octavo_contracts import FailureReceipt, IngestionResult

from . import DocumentRecord
from .index.ownership import FILES, RESULT, RESULT_PARTS, parts_as_told
from .version_files import METADATA, REPORT, TOOL

FILTERED: Final = (REPORT, TOOL, METADATA)
"""The files of a version that hold more than what follows from the bytes."""


def result_as_told(
    result: IngestionResult, record: DocumentRecord, *, instance_id: str | None, since: str
) -> IngestionResult:
    """A result with what is the asker's own in it.

    Args:
        result: as it is stored.
        record: the document, as the asker is told of it.
        instance_id: the asker's way in.
        since: receipts are told as no older than this time, ISO 8601; empty: as they are.
    """
    own = _own(record, instance_id, since)
    hashes, report = result.content_hashes, result.quality_report
    parts = {
        "original_artifact_ref": own["source_ref"],
        "document_type": result.document_type,  # the classifier's; a type set by hand is put over it afterwards
        "content_hashes": hashes.model_copy(update=_changes(hashes, "content_hashes", own)),
        "quality_report": report.model_copy(update=_changes(report, "quality_report", own)),
        "failure_receipts": tuple(_receipt_as_told(one, own) for one in result.failure_receipts),
    }
    return result.model_copy(update=parts_as_told(dict(result), RESULT, parts))


def file_as_told(name: str, data: bytes, record: DocumentRecord) -> bytes:
    """A file of a version for somebody who asks as a policy context; `FILTERED` has those that differ.

    Args:
        name: the file.
        data: what is stored.
        record: the document, as the asker is told of it.
    """
    content: dict[str, Any] = json.loads(data)
    own = _own(record, None, record.first_ingested_at)
    own["created_at"] = max(str(content.get("created_at", "")), record.first_ingested_at)
    receipts = content.get("receipts", ())
    own["receipts"] = [
        json.loads(_receipt_as_told(FailureReceipt.model_validate(one), own).to_json()) for one in receipts
    ]
    return as_json(parts_as_told(content, FILES[name], own))


def as_json(value: object) -> bytes:
    """JSON as it stands in an export."""
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True).encode("utf-8", "surrogatepass") + b"\n"


def _own(record: DocumentRecord, instance_id: str | None, since: str) -> dict[str, Any]:
    return {
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
