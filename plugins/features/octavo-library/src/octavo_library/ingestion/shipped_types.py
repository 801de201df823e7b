"""Keeps types that a corpus's profile registers apart from the shipped verdict that all policy contexts see (STO-5)."""

from __future__ import annotations

from octavo.builtins import BUILTIN
from octavo.builtins.classification.document_types import UNKNOWN
from octavo.conversion.classification import classified_by, typed_by_text
from octavo.conversion.states import ConversionFailed, ConversionOutcome, ConvertedVersion
from octavo_contracts import Category, IngestionResult

from ..storage.index.registered_type import classification_as_told, with_shipped


def with_shipped_type(
    result: IngestionResult, outcome: ConversionOutcome, version: ConvertedVersion, *, profile: str
) -> IngestionResult:
    """Add the shipped verdict to a result's classification, for readers that do not have the profile.

    Args:
        result: the result of a version.
        outcome: the outcome of the conversion.
        version: the version.
        profile: profile that a corpus or a caller named. The types of the library's own may be seen by all contexts.
    """
    classification, inspection = result.classification, outcome.inspection
    if not version.draft.document.types or classification is None:
        return result
    if classified_by(classification) != BUILTIN:
        return result  # a plugin's verdict depends on the bytes alone
    name, confidence = inspection.shipped_type, inspection.shipped_confidence
    if classification.category is Category.AUDIO or (classification.has_scanned_pages and name in {None, UNKNOWN}):
        # Its type is that of a text that was transcribed or recognised, which the inspection did not see.
        texts = [page.text or "" for page in version.conversion.pages]
        shipped = typed_by_text(classification, texts, is_spoken=classification.category is Category.AUDIO)
        name, confidence = shipped.document_type, shipped.classification_confidence
    if name is None:
        return result
    shipped_verdict = with_shipped(classification, document_type=name, confidence=confidence, profile=profile)
    return result.model_copy(update={"classification": shipped_verdict})


def failed_type(result: IngestionResult, failed: ConversionFailed, *, profile: str | None) -> IngestionResult:
    """A failure whose classification has only the shipped verdict.

    Args:
        result: the result of the failure.
        failed: the failure.
        profile: as for `with_shipped_type`; None: the library's.
    """
    classification, inspection = result.classification, failed.inspection
    if profile is None or classification is None or inspection is None or inspection.shipped_type is None:
        return result
    name, confidence = inspection.shipped_type, inspection.shipped_confidence
    both = with_shipped(classification, document_type=name, confidence=confidence, profile=profile)
    shipped_verdict = classification_as_told(both, is_own=False)
    return result.model_copy(update={"classification": shipped_verdict, "document_type": shipped_verdict.document_type})
