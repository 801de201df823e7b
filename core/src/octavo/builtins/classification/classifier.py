"""The built-in classifier: entry point for every format (CLS-2)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from octavo_contracts import Category, DocumentClassification, PageMetadata, RoutingType, SourceView
from octavo_sandbox.preflight import PdfFile

from ...formats import Detected
from .document_types import TABLE_HEAVY_TYPES, TypeEvidence, document_type, has_exhibits, is_transcript
from .durations import audio_duration
from .non_pdf import glance
from .pdf import classify_pdf
from .registered_types import RegisteredType, table_heavy_types
from .text_sample import Look, sight_of_text
from .thresholds import DEFAULT_THRESHOLDS, TABLE_FORMATS, ClassificationThresholds
from .tokens import estimate_tokens


def classify(
    source: SourceView,
    detected: Detected,
    *,
    pdf: PdfFile | None = None,
    page_count: int | None = None,
    thresholds: ClassificationThresholds = DEFAULT_THRESHOLDS,
    types: Sequence[RegisteredType] = (),
    by_hand: str | None = None,
) -> DocumentClassification:
    """Classify a document; see `look`."""
    return look(
        source,
        detected,
        pdf=pdf,
        page_count=page_count,
        thresholds=thresholds,
        types=types,
        by_hand=by_hand,
    ).classification


def look(
    source: SourceView,
    detected: Detected,
    *,
    pdf: PdfFile | None = None,
    page_count: int | None = None,
    thresholds: ClassificationThresholds = DEFAULT_THRESHOLDS,
    types: Sequence[RegisteredType] = (),
    by_hand: str | None = None,
) -> Look:
    """Classify a document, and collect evidence for scoring a conversion. Deterministic, without network (CLS-7).

    Args:
        source: the document; preflight should have passed it.
        detected: its type.
        pdf: the document if it is a PDF that is already open; it stays open.
        page_count: number of pages of a TIFF, counted by preflight.
        thresholds: when a page counts as scanned, and a document as full of tables.
        types: types that the profile registers in addition to the shipped ones.
        by_hand: the type that a user set, by which a document is routed; the verdict on the type ignores it (CLS-6).

    Raises:
        SourceCorrupt: no page of a PDF can be read.
        ValueError, OSError, zipfile.BadZipFile, zlib.error: the document is damaged where the classifier reads it.
    """
    if detected.format.family == "pdf":
        with nullcontext(pdf) if pdf is not None else PdfFile(source.read_bytes()) as opened:
            return classify_pdf(opened, detected, thresholds=thresholds, types=types, by_hand=by_hand)
    if detected.format.category is Category.IMAGE and detected.format.family == "image":
        return Look(classification=_classify_image(detected, page_count=page_count or 1))
    if detected.format.category is Category.AUDIO:
        return Look(classification=_classify_audio(source, detected))
    return _classify_other(source, detected, thresholds=thresholds, types=types, by_hand=by_hand)


def _classify_image(detected: Detected, *, page_count: int) -> DocumentClassification:
    """Classify an image. It has no text layer: only OCR can tell whether it contains text."""
    return DocumentClassification(
        category=Category.IMAGE,
        routing_type=detected.format.routing_type,
        visual_importance="high",
        classification_confidence=0.0,
        estimated_tokens=estimate_tokens(0, page_count=page_count),
        page_count=page_count,
        page_metadata=tuple(
            PageMetadata(page_number=number, is_scanned=True, text_density=0.0, has_text_layer=False, needs_ocr=True)
            for number in range(1, page_count + 1)
        ),
        pages_sampled=page_count,
        has_scanned_pages=True,
        media_type=detected.media_type,
        mismatch=detected.mismatch,
    )


def _classify_audio(source: SourceView, detected: Detected) -> DocumentClassification:
    with source.open() as stream:
        seconds = audio_duration(stream, media_type=detected.media_type)
    return DocumentClassification(
        category=Category.AUDIO,
        routing_type=detected.format.routing_type,
        classification_confidence=0.0,
        audio_duration=seconds,
        media_type=detected.media_type,
        mismatch=detected.mismatch,
    )


def _classify_other(
    source: SourceView,
    detected: Detected,
    *,
    thresholds: ClassificationThresholds,
    types: Sequence[RegisteredType],
    by_hand: str | None,
) -> Look:
    row = detected.format
    seen = glance(source, detected)
    spoken = is_transcript(detected.media_type)
    kind = document_type(TypeEvidence(pages=[seen.text], media_type=detected.media_type, is_spoken=spoken), types)
    is_heavy = row.routing_type in TABLE_FORMATS and (
        thresholds.are_heavy(seen.tables, seen.table_rows)
        or (by_hand or kind.document_type) in table_heavy_types(TABLE_HEAVY_TYPES, types)
    )
    is_visual = row.category is Category.PRESENTATION or seen.has_charts
    classification = DocumentClassification(
        category=row.category,
        sub_kind=row.sub_kind,
        document_type=kind.document_type,
        routing_type=RoutingType.TABLE_HEAVY_FILING if is_heavy else row.routing_type,
        visual_importance="medium" if is_visual or seen.has_tables else "low",
        classification_confidence=kind.confidence,
        estimated_tokens=estimate_tokens(seen.chars) if seen.chars else None,
        page_count=seen.page_count,
        has_exhibits=has_exhibits([seen.text]),
        has_charts=seen.has_charts,
        has_tables=seen.has_tables,
        has_form_fields=seen.has_form_fields,
        media_type=detected.media_type,
        mismatch=detected.mismatch,
    )
    sights = (sight_of_text(seen.text, table_rows=seen.table_rows, heading_lines=seen.headings),) if seen.text else ()
    return Look(classification=classification, sights=sights, kind=kind)
