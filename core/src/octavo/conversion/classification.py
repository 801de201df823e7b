"""Classifies an inspected document: the first plugin with a verdict decides, else the built-in classifier (CLS-2).

A plugin's verdict sets the document's type, its routing type and so the route. The host's own observations take
precedence: the type by content, the pages that it inspected, the type that a user set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from octavo_contracts import Attempt, DocumentClassification, RoutingType, SourceStructure

from ..builtins import BUILTIN
from ..builtins.classification.inspection import Inspection
from ..builtins.classification.registered_types import RegisteredType
from ..profiles.document_types import is_type_name
from .conversion_services import ConversionServices
from .states import DocumentContext
from .verdicts import Verdict, VerdictCall, ask_plugins, violation

CLASSIFIED_BY = "octavo.classified_by"
"""Extension of a classification: the plugin that decided it."""

_HOST_FACTS = ("page_count", "page_metadata", "pages_sampled", "has_scanned_pages")
"""Facts about pages that the host inspected itself."""
_IF_MISSING = ("page_count", "estimated_tokens", "audio_duration", "audio_language")
"""Facts that the host fills in if the plugin leaves them out."""


def classified(
    document: DocumentContext, services: ConversionServices, attempts: list[Attempt], *, by_hand: str | None
) -> DocumentContext:
    """Return the document with its final classification.

    Args:
        document: inspected, with the built-in classification, which may have failed.
        services: admits calls to plugins.
        attempts: list to which every call is appended.
        by_hand: the type that a user set; it decides the route, whatever a plugin returns.

    Raises:
        Cancelled: the caller cancelled the conversion.
    """
    structures: list[SourceStructure] = []

    def decides(answer: DocumentClassification) -> bool:
        if answer.structure is not None:
            structures.append(answer.structure)
        return answer.structure is None or answer.classification_confidence > 0

    call = VerdictCall(
        hook="classify",
        model=DocumentClassification,
        source=document.source.handle(media_type=document.media_type),
        check=_check,
        decides=decides,
    )
    verdict = ask_plugins(call, document, services, attempts)
    inspection = _in_force(document.inspection, verdict, by_hand=by_hand)
    if structures:
        inspection = inspection.model_copy(update={"structure": structures[0]})
    return replace(document, inspection=inspection)


def classified_by(classification: DocumentClassification) -> str:
    """Return the plugin that decided a classification."""
    return str(classification.extensions.get(CLASSIFIED_BY, BUILTIN))


def typed_by_text(
    classification: DocumentClassification,
    texts: Sequence[str],
    *,
    types: Sequence[RegisteredType] = (),
    is_spoken: bool = False,
) -> DocumentClassification:
    """Return the classification with the type of a text that there was not yet when the document was inspected (CLS-3).

    A plugin's verdict on the type is kept. The route is not changed: the document is converted.

    Args:
        classification: the classifier's result.
        texts: the texts of the pages, which were transcribed or recognised.
        types: types that the profile registers in addition to the shipped ones.
        is_spoken: whether the text is a transcript of speech.
    """
    if classified_by(classification) != BUILTIN:
        return classification
    from ..builtins.classification.document_types import TypeEvidence, document_type

    seen = TypeEvidence(
        pages=texts,
        media_type=classification.media_type,
        page_count=classification.page_count,
        is_spoken=is_spoken,
    )
    kind = document_type(seen, types)
    return classification.model_copy(
        update={"document_type": kind.document_type, "classification_confidence": kind.confidence}
    )


def _check(answer: DocumentClassification) -> None:
    if not is_type_name(answer.document_type):
        raise violation(
            "classify", "an invalid document_type; it must be at most 64 lower-case letters, digits and underscores"
        )
    numbers = [page.page_number for page in answer.page_metadata]
    if numbers != sorted(set(numbers)):
        raise violation("classify", "page_metadata whose page numbers are not ascending")
    if numbers and answer.page_count is not None and numbers[-1] > answer.page_count:
        raise violation("classify", f"page_metadata beyond its page_count of {answer.page_count}")


def _in_force(
    inspection: Inspection, verdict: Verdict[DocumentClassification] | None, *, by_hand: str | None
) -> Inspection:
    own = inspection.classification
    if verdict is None:
        if own is None:
            return inspection
        decided = own.model_copy(update={"extensions": {**own.extensions, CLASSIFIED_BY: BUILTIN}})
        return inspection.model_copy(update={"classification": decided})
    from ..builtins.classification.document_types import SURE, UNKNOWN

    answer = verdict.answer
    changed: dict[str, Any] = {
        "media_type": inspection.detected.media_type,
        "mismatch": inspection.detected.mismatch,
        "decided_by": "automatic",
        "structure": None,  # kept with the inspection: a result has the markdown itself
        "extensions": {**answer.extensions, CLASSIFIED_BY: verdict.plugin},
    }
    if answer.classification_confidence < SURE:
        changed["document_type"] = UNKNOWN
    if own is not None:
        kept = [name for name in _IF_MISSING if getattr(answer, name) is None]
        if own.page_metadata:
            kept += _HOST_FACTS
        if by_hand is not None or answer.routing_type is RoutingType.UNKNOWN:
            kept.append("routing_type")
        changed |= {name: getattr(own, name) for name in kept}
    elif answer.routing_type is RoutingType.UNKNOWN:
        changed["routing_type"] = inspection.detected.format.routing_type
    decided = answer.model_copy(update=changed)
    return inspection.model_copy(update={"classification": decided, "classification_error": None})
