"""Results in one line, for a prompt or a log."""

from __future__ import annotations

from octavo_contracts import IngestionResult


def described(result: IngestionResult, *, length: int) -> str:
    """For example `<ConvertedDocument complete, 3 pages, 5120 characters, quality 0.94>`.

    Args:
        result: of the document.
        length: characters of its text.
    """
    if result.ingestion_status == "hard_failed":
        return f"<ConvertedDocument failed [{result.failure_receipts[-1].reason_code.value}]>"
    pages = len(result.page_anchor_map)
    report = result.quality_report
    parts = [result.ingestion_status.removesuffix("_complete")]
    if pages:
        parts.append(f"{pages} page{'' if pages == 1 else 's'}")
    parts.append(f"{length} characters")
    if report.quality_score is not None:
        parts.append(f"quality {report.quality_score:.2f}")
    if report.degraded_flags:
        parts.append(", ".join(report.degraded_flags))
    return f"<ConvertedDocument {', '.join(parts)}>"
