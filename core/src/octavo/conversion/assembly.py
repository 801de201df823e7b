"""Builds the two texts, anchors, hashes, chunks and report of a conversion, and the `IngestionResult`.

No other module joins pages, computes offsets or builds a result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from octavo_contracts import (
    REASONS,
    AttachmentRef,
    Attempt,
    ContentHashes,
    DegradedFlag,
    DocumentClassification,
    DocumentMetadata,
    ErrorRecord,
    Extensions,
    FailureReceipt,
    FallbackAttempt,
    HardFailReason,
    IngestionQualityReport,
    IngestionResult,
    IngestionState,
    OcrConfidenceSummary,
    OctavoError,
    PageAnchorMap,
    QualityAssessment,
    QualityFinding,
)
from octavo_text.version_texts import Refs, Texts


@dataclass(frozen=True, kw_only=True)
class DocumentIdentity:
    """Which document a result is about.

    Attributes:
        document_id: the document's id; None if its bytes could not be read.
        original_ref: reference of the original.
        hashes: hashes of its bytes; empty if they could not be read.
    """

    document_id: str | None
    original_ref: str
    hashes: ContentHashes = field(default_factory=ContentHashes)


@dataclass(frozen=True, kw_only=True)
class ConversionTrace:
    """How a document was converted, or how its conversion failed.

    Attributes:
        attempts: the calls to plugins, in order.
        fallbacks: the plugins that were skipped, with the reason; a version keeps them in its report.
        receipts: steps that failed without ending the conversion.
        sandbox_level: confinement of the workers, or None.
    """

    attempts: Sequence[Attempt] = ()
    fallbacks: Sequence[FallbackAttempt] = ()
    receipts: Sequence[FailureReceipt] = ()
    sandbox_level: str | None = None


NO_TRACE = ConversionTrace()
"""Trace of a document for which no plugin was called."""


def build_report(
    assessment: QualityAssessment,
    *,
    source_ref: str,
    conversion_ref: str | None,
    tool: str,
    tool_reason: str,
    fallbacks: Sequence[FallbackAttempt] = (),
    ocr: OcrConfidenceSummary | None = None,
    extensions: Extensions | None = None,
) -> IngestionQualityReport:
    """Build the quality report of one conversion version (QLT-1, QLT-2)."""
    findings = assessment.findings
    flags = tuple(sorted({finding.flag for finding in findings if finding.severity == "degraded"}))
    return IngestionQualityReport(
        source_ref=source_ref,
        selected_tool=tool,
        selected_tool_reason=tool_reason,
        conversion_artifact_ref=conversion_ref,
        quality_score=assessment.quality_score,
        page_anchor_integrity=assessment.page_anchor_integrity,
        table_integrity_score=assessment.table_integrity_score,
        text_yield_score=assessment.text_yield_score,
        ocr_confidence_summary=ocr or OcrConfidenceSummary(),
        fallback_attempts=tuple(fallbacks),
        degraded_flags=flags,
        user_visible_status="degraded" if flags else "ok",
        findings=findings,
        extensions=extensions or {},
    )


def build_result(
    texts: Texts,
    *,
    document: DocumentIdentity,
    refs: Refs,
    report: IngestionQualityReport,
    classification: DocumentClassification | None,
    metadata: DocumentMetadata,
    attachments: Sequence[AttachmentRef] = (),
    trace: ConversionTrace = NO_TRACE,
) -> IngestionResult:
    """Build the result of a converted document: complete, or degraded if the report or a receipt says so."""
    degraded = report.user_visible_status != "ok" or bool(trace.receipts)
    return IngestionResult(
        document_id=document.document_id,
        original_artifact_ref=document.original_ref,
        normalized_content_ref=refs.markdown,
        canonical_text_ref=refs.canonical,
        conversion_artifact_ref=refs.conversion,
        document_type=classification.document_type if classification else "unknown",
        classification=classification,
        metadata=metadata,
        chunk_manifest=texts.chunks,
        page_anchor_map=texts.anchors,
        attachments=tuple(attachments),
        ingestion_status="degraded_complete" if degraded else "complete",
        quality_report=report,
        failure_receipts=tuple(trace.receipts),
        content_hashes=document.hashes.model_copy(
            update={
                "normalized_text_hash": texts.canonical.sha256,
                "page_hashes": texts.page_hashes,
                "chunk_hashes": texts.chunk_hashes,
            }
        ),
        attempts=tuple(trace.attempts),
        sandbox_level=trace.sandbox_level,
    )


def build_failure(
    error: OctavoError,
    *,
    stage: IngestionState,
    document: DocumentIdentity,
    classification: DocumentClassification | None = None,
    trace: ConversionTrace = NO_TRACE,
) -> IngestionResult:
    """Build the result of a failed document: no content, a report, and a receipt with the reason (ENG-19)."""
    report = IngestionQualityReport(
        source_ref=document.original_ref,
        selected_tool="none",
        selected_tool_reason=error.message,
        conversion_artifact_ref=None,
        quality_score=None,
        page_anchor_integrity=None,
        table_integrity_score=None,
        text_yield_score=None,
        ocr_confidence_summary=OcrConfidenceSummary(),
        fallback_attempts=tuple(trace.fallbacks),
        user_visible_status="failed",
    )
    return IngestionResult(
        document_id=document.document_id,
        original_artifact_ref=document.original_ref,
        normalized_content_ref=None,
        conversion_artifact_ref=None,
        document_type=classification.document_type if classification else "unknown",
        classification=classification,
        metadata=DocumentMetadata(),
        chunk_manifest=(),
        page_anchor_map=PageAnchorMap(()),
        ingestion_status="hard_failed",
        quality_report=report,
        failure_receipts=(receipt_of(error, stage=stage),),
        content_hashes=document.hashes,
        attempts=tuple(trace.attempts),
        sandbox_level=trace.sandbox_level,
    )


def receipt_of(error: OctavoError, *, stage: IngestionState) -> FailureReceipt:
    """Build the receipt for an error. An error without a reason code is a contract violation by Octavo."""
    reason = error.reason or HardFailReason.DOC25_CONTRACT_VIOLATION
    record = ErrorRecord.of(error)
    page = f" (page {record.page})" if record.page else ""
    return FailureReceipt(
        stage=stage,
        reason_code=reason,
        details=record.message + page,
        remedy=record.remedy,
        retry=REASONS[reason].retry,
        plugin=record.plugin,
        timestamp=datetime.now(UTC),
    )


def classification_receipt(message: str) -> tuple[FailureReceipt, QualityFinding]:
    """Build receipt and finding of a failed classification: the result is degraded, conversion continues (ENG-3)."""
    receipt = FailureReceipt(
        stage=IngestionState.CLASSIFICATION_FAILED,
        reason_code=HardFailReason.SOURCE_CORRUPT,
        details=message,
        remedy="The document was converted; set its type by hand if it matters",
        timestamp=datetime.now(UTC),
    )
    return receipt, QualityFinding(flag=DegradedFlag.CLASSIFICATION_FAILED.value, message=message)
