"""From a conversion to the two texts, anchors, hashes, chunks and report, and to the `IngestionResult`.

Nobody else joins pages, computes offsets or builds a result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from octavo_contracts import (
    REASONS,
    AttachmentRef,
    Attempt,
    Chunk,
    ContentHashes,
    Conversion,
    DegradedFlag,
    DocumentClassification,
    DocumentMetadata,
    ErrorRecord,
    FailureReceipt,
    FallbackAttempt,
    HardFailReason,
    IngestionQualityReport,
    IngestionResult,
    IngestionState,
    OcrConfidenceSummary,
    OctavoError,
    PageAnchor,
    PageAnchorMap,
    QualityAssessment,
    QualityFinding,
)

from .text.canonical import CanonicalText, canonical_body, hash_texts, join_bodies
from .text.chunking import DEFAULT_CHUNKING, ChunkingConfig, make_chunks

PAGE_JOINT = "\n\n"
"""What stands between two pages in converted.md."""


@dataclass(frozen=True, kw_only=True)
class Texts:
    """The two texts of a version and how they belong together.

    Attributes:
        markdown: converted.md.
        canonical: canonical.txt.
        anchors: pages ↔ offsets; empty for a document without pages.
        chunks: the chunk manifest.
        page_hashes: SHA-256 of each page's canonical body.
        chunk_hashes: SHA-256 of each chunk's text.
    """

    markdown: str
    canonical: CanonicalText
    anchors: PageAnchorMap
    chunks: tuple[Chunk, ...]
    page_hashes: tuple[str, ...]
    chunk_hashes: tuple[str, ...]


def join_pages(conversion: Conversion, *, chunking: ChunkingConfig = DEFAULT_CHUNKING) -> Texts:
    """Join the pages of a complete conversion.

    Args:
        conversion: with a text on every page (`octavo.text.completion.complete`).
        chunking: how to cut chunks.

    Raises:
        ValueError: a page has no text.
    """
    bodies = []
    for page in conversion.pages:
        if page.text is None:
            raise ValueError(f"page {page.number} has no text: complete the conversion first")
        bodies.append(canonical_body(page.text))
    canonical = join_bodies(bodies, paginated=conversion.paginated)
    anchors: list[PageAnchor] = []
    offset = 0
    for page, span in zip(conversion.pages, canonical.pages, strict=True):
        if conversion.paginated:
            anchors.append(
                PageAnchor(
                    page=page.number,
                    label=page.label,
                    text_start=span.start,
                    text_end=span.end,
                    markdown_start=offset,
                    markdown_end=offset + len(page.markdown),
                )
            )
        offset += len(page.markdown) + len(PAGE_JOINT)
    anchor_map = PageAnchorMap(tuple(anchors))
    chunks = make_chunks(canonical, anchor_map, chunking)
    return Texts(
        markdown=PAGE_JOINT.join(page.markdown for page in conversion.pages),
        canonical=canonical,
        anchors=anchor_map,
        chunks=chunks,
        page_hashes=hash_texts(body.text for body in bodies),
        chunk_hashes=hash_texts(chunk.span.of(canonical.text) for chunk in chunks),
    )


@dataclass(frozen=True, kw_only=True)
class Refs:
    """Where the artifacts of a version stand: in a store, or `memory:` without one."""

    original: str
    conversion: str
    markdown: str
    canonical: str


def build_report(
    assessment: QualityAssessment,
    *,
    source_ref: str,
    conversion_ref: str | None,
    tool: str,
    tool_reason: str,
    fallbacks: Sequence[FallbackAttempt] = (),
    extra_findings: Sequence[QualityFinding] = (),
    ocr: OcrConfidenceSummary | None = None,
) -> IngestionQualityReport:
    """The quality report of one conversion version (QLT-1, QLT-2)."""
    findings = (*assessment.findings, *extra_findings)
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
    )


def build_result(
    texts: Texts,
    *,
    document_id: str,
    refs: Refs,
    report: IngestionQualityReport,
    classification: DocumentClassification | None,
    metadata: DocumentMetadata,
    hashes: ContentHashes,
    attachments: Sequence[AttachmentRef] = (),
    attempts: Sequence[Attempt] = (),
    receipts: Sequence[FailureReceipt] = (),
    sandbox_level: str | None = None,
) -> IngestionResult:
    """The result of a document that was converted: complete, or degraded where the report or a receipt says so."""
    degraded = report.user_visible_status != "ok" or bool(receipts)
    return IngestionResult(
        document_id=document_id,
        original_artifact_ref=refs.original,
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
        failure_receipts=tuple(receipts),
        content_hashes=hashes.model_copy(
            update={
                "normalized_text_hash": texts.canonical.sha256,
                "page_hashes": texts.page_hashes,
                "chunk_hashes": texts.chunk_hashes,
            }
        ),
        attempts=tuple(attempts),
        sandbox_level=sandbox_level,
    )


def build_failure(
    error: OctavoError,
    *,
    stage: IngestionState,
    document_id: str | None,
    original_ref: str,
    hashes: ContentHashes | None = None,
    classification: DocumentClassification | None = None,
    attempts: Sequence[Attempt] = (),
    fallbacks: Sequence[FallbackAttempt] = (),
    sandbox_level: str | None = None,
) -> IngestionResult:
    """The result of a document that could not be ingested: no content, a report, and a receipt that says why (ENG-19)."""
    report = IngestionQualityReport(
        source_ref=original_ref,
        selected_tool="none",
        selected_tool_reason=error.message,
        conversion_artifact_ref=None,
        quality_score=None,
        page_anchor_integrity=None,
        table_integrity_score=None,
        text_yield_score=None,
        ocr_confidence_summary=OcrConfidenceSummary(),
        fallback_attempts=tuple(fallbacks),
        user_visible_status="failed",
    )
    return IngestionResult(
        document_id=document_id,
        original_artifact_ref=original_ref,
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
        content_hashes=hashes or ContentHashes(),
        attempts=tuple(attempts),
        sandbox_level=sandbox_level,
    )


def receipt_of(error: OctavoError, *, stage: IngestionState) -> FailureReceipt:
    """A receipt for an error; an error without a reason code is a contract violation of ours."""
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
    """What a failed classification leaves behind: it degrades the result, and the way goes on (ENG-3)."""
    receipt = FailureReceipt(
        stage=IngestionState.CLASSIFICATION_FAILED,
        reason_code=HardFailReason.SOURCE_CORRUPT,
        details=message,
        remedy="The document was converted all the same; set its type by hand if it matters",
        timestamp=datetime.now(UTC),
    )
    return receipt, QualityFinding(flag=DegradedFlag.CLASSIFICATION_FAILED.value, message=message)
