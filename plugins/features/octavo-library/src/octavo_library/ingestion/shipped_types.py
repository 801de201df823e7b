"""Types that the profile of one corpus registers, kept apart from the shipped verdict that everybody is told (STO-5)."""

from __future__ import annotations

from octavo.builtins import BUILTIN
from octavo.conversion.audio import heard
from octavo.conversion.classification import classified_by
from octavo.conversion.outcome import ConversionFailed, ConversionOutcome, ConvertedVersion
from octavo_contracts import Category, IngestionResult

from ..storage.index.registered_type import classification_as_told, with_shipped


def with_shipped_type(
    result: IngestionResult, outcome: ConversionOutcome, version: ConvertedVersion, *, profile: str | None
) -> IngestionResult:
    """A result whose classification also holds what those are told who do not have the profile.

    Args:
        result: of a version.
        outcome: what came of the conversion.
        version: the version.
        profile: that a corpus or a caller named; None: the library's, whose types everybody is told.
    """
    said, inspection = result.classification, outcome.inspection
    if profile is None or not version.draft.document.types or said is None:
        return result
    if classified_by(said) != BUILTIN:
        return result  # a plugin's verdict is of the bytes, whoever asked for them
    name, confidence = inspection.shipped_type, inspection.shipped_confidence
    if said.category is Category.AUDIO:
        shipped = heard(said, version.conversion, name="")
        name, confidence = shipped.document_type, shipped.classification_confidence
    if name is None:
        return result
    told = with_shipped(said, document_type=name, confidence=confidence, profile=profile)
    return result.model_copy(update={"classification": told})


def failed_type(result: IngestionResult, failed: ConversionFailed, *, profile: str | None) -> IngestionResult:
    """A failure with the shipped verdict alone.

    Args:
        result: of the failure.
        failed: what it came of.
        profile: as for `with_shipped_type`.
    """
    said, inspection = result.classification, failed.inspection
    if profile is None or said is None or inspection is None or inspection.shipped_type is None:
        return result
    name, confidence = inspection.shipped_type, inspection.shipped_confidence
    both = with_shipped(said, document_type=name, confidence=confidence, profile=profile)
    told = classification_as_told(both, is_own=False)
    return result.model_copy(update={"classification": told, "document_type": told.document_type})
