"""Recordings: updates the classification and the evidence with facts from the transcript (CNV-9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from octavo_contracts import Category, Conversion, DocumentClassification, OcrConfidenceSummary, QualityEvidence
from octavo_contracts.authoring import PAGE_CONFIDENCES

from ..builtins.classification.registered_types import RegisteredType
from ..builtins.classification.tokens import estimate_tokens
from .classification import typed_by_text


def heard(
    classification: DocumentClassification,
    conversion: Conversion,
    *,
    types: Sequence[RegisteredType] = (),
) -> DocumentClassification:
    """Return the classification of a recording, completed from its transcript: length, language, type (CLS-2, CLS-10).

    Before transcription only its length can be known. The classification of any other document is returned unchanged.

    Args:
        classification: the classifier's result.
        conversion: complete, with a text on every page.
        types: types that the profile registers in addition to the shipped ones.
    """
    if classification.category is not Category.AUDIO:
        return classification
    texts = [page.text or "" for page in conversion.pages]
    typed = typed_by_text(classification, texts, types=types, is_spoken=True)
    seconds = conversion.metadata.fields.get("duration_seconds")
    chars = sum(map(len, texts))
    return typed.model_copy(
        update={
            "audio_duration": seconds if isinstance(seconds, int | float) else classification.audio_duration,
            "audio_language": conversion.metadata.language,
            "estimated_tokens": estimate_tokens(chars) if chars else classification.estimated_tokens,
        }
    )


def confidences(conversion: Conversion) -> dict[str, float]:
    """Map page numbers (as text) to the confidences, 0..1, that the converter reports for its own recognition."""
    given = conversion.extensions.get(PAGE_CONFIDENCES)
    if not isinstance(given, Mapping):
        return {}
    numbers = {str(page.number) for page in conversion.pages}
    return {
        page: float(value)
        for page, value in given.items()
        if page in numbers and isinstance(value, int | float) and 0 <= value <= 1
    }


def with_confidences(summary: OcrConfidenceSummary, conversion: Conversion) -> OcrConfidenceSummary:
    """Add the confidences that the converter reports to the OCR summary (QLT-1)."""
    if not (given := confidences(conversion)):
        return summary
    return summary.model_copy(update={"applied": True, "page_confidences": {**given, **summary.page_confidences}})


def evidence_of(evidence: QualityEvidence, conversion: Conversion) -> QualityEvidence:
    """Add the confidences that the converter reports to the evidence, so that they count in the score (OCR-5)."""
    given = tuple(confidences(conversion).values())
    return evidence.model_copy(update={"ocr_confidences": (*evidence.ocr_confidences, *given)}) if given else evidence
