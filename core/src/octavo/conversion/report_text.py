"""What a result is told as: one line for a prompt or a log, its error, and what a user is told without asking."""

from __future__ import annotations

from collections.abc import Sequence

from octavo_contracts import REASONS, DegradedFlag, IngestionQualityReport, IngestionResult, OctavoError, QualityFinding

from ..builtins.quality.agreement_signals import READINGS_DIFFER, differing_pages
from ..builtins.quality.unread_pictures import PICTURES_UNREAD

UNREAD = DegradedFlag.OCR_NEEDED.value
LOW_SCORE = 0.5
"""A score below this is explained wherever it is shown."""
_WEAK_PART = 0.7
OF_READERS = frozenset({"headings_voted", "letters_put_back", "page_repaired", "tables_put_back", "tables_undone"})
"""Flags of what other readers of a page changed in its text."""
_QUIET = OF_READERS | {"form_fields", "page_blank", "text_layer_replaced", PICTURES_UNREAD}
"""Flags of repairs that succeeded, and of what most documents have: as notes they are in the report alone."""


def worth_telling(findings: Sequence[QualityFinding]) -> list[QualityFinding]:
    """The findings that a user should know without asking: what degrades the document, pages that were not read first, then what is doubtful.

    The notes about pages that plugins read differently are one finding.
    """
    differ = [one for one in findings if one.flag == READINGS_DIFFER]
    told = [one for one in findings if one not in differ and (one.severity == "degraded" or one.flag not in _QUIET)]
    told += differing_pages(differ)
    return sorted(told, key=lambda one: (one.severity != "degraded", one.flag not in (UNREAD, READINGS_DIFFER)))


def left_out(findings: Sequence[QualityFinding], told: Sequence[QualityFinding]) -> list[QualityFinding]:
    """The findings that are not told by any of `told`, which are some of `worth_telling`."""
    differ = any(one.flag == READINGS_DIFFER for one in told)
    return [one for one in findings if one not in told and not (differ and one.flag == READINGS_DIFFER)]


def why_low(report: IngestionQualityReport) -> str:
    """Why a score is low, for example "text yield 0.31, tables 0.20"; empty if the score is not low or was not computed.

    Where no partial score is weak, the score is low for what the text looks like: that is said in words.
    """
    if report.quality_score is None or report.quality_score >= LOW_SCORE:
        return ""
    parts = {
        "text yield": report.text_yield_score,
        "tables": report.table_integrity_score,
        "page anchors": report.page_anchor_integrity,
    }
    weak = [f"{name} {value:.2f}" for name, value in parts.items() if value is not None and value < _WEAK_PART]
    return ", ".join(weak) or "conversions that look like this one often lose text; compare it with the original"


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


def failure_error(result: IngestionResult, source: str | None) -> OctavoError | None:
    """The error that a failed result stands for, from its last receipt; None for a document that was converted.

    Args:
        result: of the document.
        source: the document as the caller named it.
    """
    if result.ingestion_status != "hard_failed":
        return None
    receipt = result.failure_receipts[-1]
    kind = REASONS[receipt.reason_code].error
    return kind(receipt.details, source=source, plugin=receipt.plugin, remedy=receipt.remedy)
