"""The classification of an inspected document: the verdict of the first plugin that has one, else the built-in's (CLS-2).

A plugin's verdict is in force for the type of the document, its routing type and with it the route. Facts that the host
observed itself stay the host's: the type by content, the pages that were looked at, what a user set by hand.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from octavo_contracts import Attempt, DocumentClassification, RoutingType

from ..builtins import BUILTIN
from ..builtins.classification.document_types import UNKNOWN
from ..builtins.classification.inspection import Inspection
from ..profiles.document_types import is_type_name
from .conversion_services import ConversionServices
from .draft import DocumentContext
from .verdicts import Verdict, VerdictCall, ask_plugins, violation

CLASSIFIED_BY = "octavo.classified_by"
"""Extension of a classification: the plugin that gave it."""
SURE = 0.5
"""Below this confidence a document counts as of no type (CLS-6)."""

_HOST_FACTS = ("page_count", "page_metadata", "pages_sampled", "has_scanned_pages")
"""What the host knows of pages that it looked at."""
_IF_MISSING = ("page_count", "estimated_tokens", "audio_duration", "audio_language")
"""What the host's classifier knows and a plugin may leave out."""


def classified(
    document: DocumentContext, services: ConversionServices, attempts: list[Attempt], *, by_hand: str | None
) -> DocumentContext:
    """The document with the classification that is in force.

    Args:
        document: inspected, with the built-in classification, which may have failed.
        services: lets calls to plugins through.
        attempts: every call is added to it.
        by_hand: the type that a user set; routing goes by it, whatever a plugin says.

    Raises:
        Cancelled: the caller cancelled.
    """
    call = VerdictCall(
        hook="classify",
        model=DocumentClassification,
        source=document.source.handle(media_type=document.media_type),
        check=_check,
    )
    verdict = ask_plugins(call, document, services, attempts)
    return replace(document, inspection=_in_force(document.inspection, verdict, by_hand=by_hand))


def classified_by(classification: DocumentClassification) -> str:
    """The plugin that gave a classification."""
    return str(classification.extensions.get(CLASSIFIED_BY, BUILTIN))


def _check(answer: DocumentClassification) -> None:
    if not is_type_name(answer.document_type):
        raise violation(
            "classify", "a document_type that is no name: small letters, digits and underscores, 64 at most"
        )
    numbers = [page.page_number for page in answer.page_metadata]
    if numbers != sorted(set(numbers)):
        raise violation("classify", "page_metadata whose page numbers do not rise")
    if numbers and answer.page_count is not None and numbers[-1] > answer.page_count:
        raise violation("classify", f"page_metadata for more than its {answer.page_count} pages")


def _in_force(
    inspection: Inspection, verdict: Verdict[DocumentClassification] | None, *, by_hand: str | None
) -> Inspection:
    own = inspection.classification
    if verdict is None:
        if own is None:
            return inspection
        said = own.model_copy(update={"extensions": {**own.extensions, CLASSIFIED_BY: BUILTIN}})
        return inspection.model_copy(update={"classification": said})
    answer = verdict.answer
    changed: dict[str, Any] = {
        "media_type": inspection.detected.media_type,
        "mismatch": inspection.detected.mismatch,
        "decided_by": "automatic",
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
    said = answer.model_copy(update=changed)
    return inspection.model_copy(update={"classification": said, "classification_error": None})
