"""Types registered by a corpus's profile: contexts with that profile see them, others see the shipped type (STO-5).

The classification of a version is shared. If its type is a registered one, it also contains the verdict of the shipped
rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from octavo_contracts import DocumentClassification

SHIPPED: Final = "octavo.shipped_type"
"""Extension of a classification with the shipped verdict and the name of the profile that registers the other type."""


def with_shipped(
    classification: DocumentClassification, *, document_type: str, confidence: float, profile: str
) -> DocumentClassification:
    """Add the shipped verdict, for contexts without the profile, to a classification; unchanged if the two agree.

    Args:
        classification: the classification made under the profile.
        document_type: the type according to the shipped rules.
        confidence: the confidence of that type.
        profile: name or path of the profile.
    """
    if (classification.document_type, classification.classification_confidence) == (document_type, confidence):
        return classification
    said = {"document_type": document_type, "confidence": confidence, "profile": profile}
    return classification.model_copy(update={"extensions": {**classification.extensions, SHIPPED: said}})


def registering_profile(classification: Mapping[str, Any] | None) -> str | None:
    """The profile that registers the type of a classification (a JSON object); None: the type is visible to all."""
    said = ((classification or {}).get("extensions") or {}).get(SHIPPED)
    return str(said["profile"]) if said else None


def type_as_told(classification: Mapping[str, Any], *, is_own: bool) -> dict[str, Any]:
    """Filter a classification (a JSON object) for a policy context.

    Args:
        classification: the stored classification.
        is_own: whether the context has the profile that registers the type.
    """
    others = dict(classification.get("extensions") or {})
    said = others.pop(SHIPPED, None)
    if said is None:
        return dict(classification)
    shipped = {"document_type": said["document_type"], "classification_confidence": said["confidence"]}
    return {**classification, "extensions": others, **({} if is_own else shipped)}


def classification_as_told(classification: DocumentClassification, *, is_own: bool) -> DocumentClassification:
    """As `type_as_told`, for a `DocumentClassification`."""
    said = dict(classification)
    filtered = type_as_told(said, is_own=is_own)
    return classification if filtered == said else classification.model_copy(update=filtered)
