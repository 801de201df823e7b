"""The marks of users on pages, applied to the classification of a result (CNV-3)."""

from __future__ import annotations

from collections.abc import Sequence

from octavo_contracts import DocumentClassification, IngestionResult, PageMetadata

from ..storage import PageMark


def marked(result: IngestionResult, marks: Sequence[PageMark]) -> IngestionResult:
    """A result whose classification has the marks of the asker; unchanged without a mark or a classification."""
    if not marks or result.classification is None:
        return result
    return result.model_copy(update={"classification": _marked(result, result.classification, marks)})


def _marked(
    result: IngestionResult, classification: DocumentClassification, marks: Sequence[PageMark]
) -> DocumentClassification:
    change: dict[str, object] = {}
    if any(one.kind == "visually_important" for one in marks):
        change["visual_importance"] = "high"
    if scanned := {one.page for one in marks if one.kind == "needs_ocr"}:
        read = set(result.quality_report.ocr_confidence_summary.page_confidences)
        known = {page.page_number: page for page in classification.page_metadata}
        for page in scanned:
            facts = known.get(page) or PageMetadata(page_number=page, is_scanned=True, text_density=0.0)
            is_read = facts.has_ocr_cache or str(page) in read
            state = {"is_scanned": True, "has_ocr_cache": is_read, "needs_ocr": not is_read}
            known[page] = facts.model_copy(update=state)
        change |= {"page_metadata": tuple(known[page] for page in sorted(known)), "has_scanned_pages": True}
    return classification.model_copy(update=change)
