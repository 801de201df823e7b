"""A type that one corpus's profile registers: told to the contexts that have that profile, and to others the shipped one (STO-5).

The classification of a version is shared. Where its type is a registered one, it also holds the verdict of the shipped rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from octavo_contracts import DocumentClassification

SHIPPED: Final = "octavo.shipped_type"
"""The extension of a classification that holds the shipped verdict, and the profile that registers the other type."""


def with_shipped(
    classification: DocumentClassification, *, document_type: str, confidence: float, profile: str
) -> DocumentClassification:
    """A classification with what those are told who do not have the profile; the same one where that is no other.

    Args:
        classification: as it was made under a profile.
        document_type: the type by the shipped rules.
        confidence: of that.
        profile: name or path of the profile.
    """
    if (classification.document_type, classification.classification_confidence) == (document_type, confidence):
        return classification
    said = {"document_type": document_type, "confidence": confidence, "profile": profile}
    return classification.model_copy(update={"extensions": {**classification.extensions, SHIPPED: said}})


def registering_profile(classification: Mapping[str, Any] | None) -> str | None:
    """The profile that registers the type of a classification, a JSON object; None: everybody is told that type."""
    said = ((classification or {}).get("extensions") or {}).get(SHIPPED)
    return str(said["profile"]) if said else None


def type_as_told(classification: Mapping[str, Any], *, is_own: bool) -> dict[str, Any]:
    """A classification, a JSON object, as a policy context is told of it.

    Args:
        classification: as it is stored.
        is_own: whether the type's profile is one of the context's.
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
    told = type_as_told(said, is_own=is_own)
    return classification if told == said else classification.model_copy(update=told)
