"""`IngestionResult` and what stands in it: ENG-19, ENG-23, CNV-12."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from octavo_contracts import (
    CONTRACT_VERSION,
    Chunk,
    ContentHashes,
    DocumentMetadata,
    FailureReceipt,
    HardFailReason,
    IngestionQualityReport,
    IngestionResult,
    IngestionState,
    OcrConfidenceSummary,
    PageAnchor,
    PageAnchorMap,
    Retry,
    Span,
    memory_ref,
    page_separator,
    page_spans,
)
from pydantic import ValidationError

REF = memory_ref("ab" * 32)
RECEIPT = FailureReceipt(
    stage=IngestionState.CONVERSION_PENDING,
    reason_code=HardFailReason.SOURCE_EMPTY,
    details="the file holds no bytes",
    timestamp=datetime(2026, 11, 21, 9, 30, tzinfo=UTC),
)
CHUNK = Chunk(chunk_id="c1", config_version="1", span=Span(start=0, end=4), page=1)
ANCHORS = PageAnchorMap((PageAnchor(page=1, text_start=0, text_end=4, markdown_start=0, markdown_end=6),))


def report(status: Any = "ok") -> IngestionQualityReport:
    """A report in which nothing was assessed."""
    return IngestionQualityReport(
        source_ref=REF,
        selected_tool="plaintext",
        selected_tool_reason="the only one that reads it",
        conversion_artifact_ref=None,
        quality_score=None,
        page_anchor_integrity=None,
        table_integrity_score=None,
        text_yield_score=None,
        ocr_confidence_summary=OcrConfidenceSummary(),
        user_visible_status=status,
    )


def arguments(**changes: Any) -> dict[str, Any]:
    """What a complete result is built from, with some of it changed."""
    return {
        "document_id": "0f0e0d0c-0000-5000-8000-000000000000",
        "original_artifact_ref": REF,
        "normalized_content_ref": REF,
        "canonical_text_ref": REF,
        "conversion_artifact_ref": REF,
        "document_type": "unknown",
        "metadata": DocumentMetadata(),
        "chunk_manifest": (CHUNK,),
        "page_anchor_map": ANCHORS,
        "ingestion_status": "complete",
        "quality_report": report(),
        "content_hashes": ContentHashes(),
        **changes,
    }


FAILED: dict[str, Any] = {
    "ingestion_status": "hard_failed",
    "normalized_content_ref": None,
    "canonical_text_ref": None,
    "conversion_artifact_ref": None,
    "chunk_manifest": (),
    "page_anchor_map": PageAnchorMap(),
    "failure_receipts": (RECEIPT,),
}


@pytest.mark.parametrize("status", ["complete", "degraded_complete"])
def test_a_result_with_content_names_all_of_it(status: str) -> None:
    """Both completed states have an id and three references; without any one of them there is no result."""
    assert IngestionResult(**arguments(ingestion_status=status)).contract_version == CONTRACT_VERSION
    for name in ("document_id", "normalized_content_ref", "canonical_text_ref", "conversion_artifact_ref"):
        with pytest.raises(ValidationError, match=f"a {status} result must have a document id and content"):
            IngestionResult(**arguments(ingestion_status=status, **{name: None}))


def test_a_degraded_result_may_carry_receipts() -> None:
    """ENG-23: what failed on the way is told, though the document came through."""
    result = IngestionResult(**arguments(ingestion_status="degraded_complete", failure_receipts=(RECEIPT,)))
    assert result.failure_receipts[0].retry is Retry.MANUAL


def test_a_failed_result_has_a_report_and_a_receipt_and_no_content() -> None:
    """ENG-19, also where no byte could be read and there is no id."""
    result = IngestionResult(**arguments(**FAILED, document_id=None))
    assert result.failure_receipts == (RECEIPT,)
    assert IngestionResult.read(result.to_json()) == result


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"normalized_content_ref": REF}, "must not have content, canonical or conversion references"),
        ({"canonical_text_ref": REF}, "must not have content, canonical or conversion references"),
        ({"conversion_artifact_ref": REF}, "must not have content, canonical or conversion references"),
        ({"chunk_manifest": (CHUNK,)}, "must not have chunks or anchors"),
        ({"page_anchor_map": ANCHORS}, "must not have chunks or anchors"),
        ({"failure_receipts": ()}, "at least one failure receipt"),
    ],
)
def test_a_failed_result_that_claims_content_is_refused(change: dict[str, Any], message: str) -> None:
    """Nobody can be bound to the content of a failure."""
    with pytest.raises(ValidationError, match=message):
        IngestionResult(**arguments(**{**FAILED, **change}))


@pytest.mark.parametrize(
    "change",
    [
        {"ingestion_status": "converted"},
        {"contract_version": "1"},
        {"quality_report": None},
        {"chunk_manifest": None},
        {"surprise": 1},
    ],
)
def test_a_malformed_result_is_refused(change: dict[str, Any]) -> None:
    """A state that is not terminal, a version that is none, a missing report, a field outside `extensions`."""
    with pytest.raises(ValidationError, match=rf"1 validation error for IngestionResult\n{next(iter(change))}\n"):
        IngestionResult(**arguments(**change))


def test_what_the_contract_does_not_name_stands_under_extensions() -> None:
    """Any JSON, kept on a round trip."""
    result = IngestionResult(**arguments(extensions={"octavo.note": {"seen": [1, None, "🌊"]}}))
    assert IngestionResult.read(result.to_json()).extensions == {"octavo.note": {"seen": [1, None, "🌊"]}}


def anchors_of(bodies: list[str], markdown: list[str]) -> tuple[str, PageAnchorMap]:
    """The canonical text of some page bodies and the anchors of its pages."""
    text = bodies[0] + "".join(page_separator(page) + body for page, body in enumerate(bodies[1:], start=2))
    built = []
    place = 0
    for number, (span, marks) in enumerate(zip(page_spans(text), markdown, strict=True), start=1):
        built.append(
            PageAnchor(
                page=number,
                text_start=span.start,
                text_end=span.end,
                markdown_start=place,
                markdown_end=place + len(marks),
            )
        )
        place += len(marks) + 2
    return text, PageAnchorMap(tuple(built))


def test_anchors_lead_from_pages_to_offsets_and_back() -> None:
    """CNV-12: both directions, an empty page among them; a separator belongs to the page before it."""
    bodies = ["tides 🌊", "", "潮汐"]
    text, anchors = anchors_of(bodies, ["# tides 🌊", "", "**潮汐**"])
    assert len(anchors) == 3
    for anchor, body in zip(anchors.anchors(), bodies, strict=True):
        assert text[anchor.text_start : anchor.text_end] == body
        assert anchors.page(anchor.page) is anchor
        assert anchors.page_at(anchor.text_start) == anchor.page
        assert anchors.page_at(anchor.text_end) == anchor.page
        assert anchors.page_at_markdown(anchor.markdown_start) == anchor.page
        assert anchors.page_at_markdown(anchor.markdown_end) == anchor.page
    assert anchors.page_at(anchors.page(2).text_start - 1) == 1
    assert anchors.page_at_markdown(anchors.page(2).markdown_start - 1) == 1
    assert anchors.page_at(10**9) == 3


def test_an_offset_without_a_page_has_none() -> None:
    """A negative offset, and any offset of a document without pages."""
    assert ANCHORS.page_at(-1) is None
    assert ANCHORS.page_at_markdown(-1) is None
    assert PageAnchorMap().page_at(0) is None
    assert PageAnchorMap().page_at_markdown(0) is None


@pytest.mark.parametrize("number", [0, -1, 2])
def test_a_page_that_is_not_there_raises(number: int) -> None:
    """Negative numbers do not count from the end."""
    with pytest.raises(IndexError, match=f"page {number} does not exist; there are 1"):
        ANCHORS.page(number)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ({"page": 3}, "found page 3 at position 2"),
        ({"page": 1}, "found page 1 at position 2"),
        ({"text_end": 4}, "page 2 ends before it starts"),
        ({"markdown_end": 7}, "page 2 ends before it starts"),
        ({"text_start": 3}, "overlaps the previous page"),
        ({"markdown_start": 5}, "overlaps the previous page"),
    ],
)
def test_anchors_are_pages_1_to_n_in_order_without_overlap(second: dict[str, int], message: str) -> None:
    """Anything else cannot be searched."""
    anchor = {"page": 2, "text_start": 20, "text_end": 25, "markdown_start": 8, "markdown_end": 12, **second}
    with pytest.raises(ValidationError, match=message):
        PageAnchorMap((*ANCHORS.anchors(), PageAnchor(**anchor)))
