"""The retrieval posture directive: when a model should read a source again (RET-8, seed 003 §16.4)."""

from __future__ import annotations

from typing import Final

from octavo_contracts.markers import Marker, MarkerKind, stable_id

POSTURE: Final = (
    "Memories are compressed representations of documents, conversations, or other sources. They are typically sufficient "
    "when they fully answer the question and the task isn't about verification. When a task requires additional context from "
    "the source, verification of source content, interpretive reasoning, or specific language from the document, the source "
    "should be re-read. Memories may be incomplete reflections of their sources and should be treated with reasonable "
    "skepticism. Use judgment based on the task at hand."
)
"""The directive, word for word."""


def posture_marker(*, documents: bool, memories: bool) -> Marker | None:
    """The directive in a marker; None if neither documents nor memories are in scope.

    Args:
        documents: whether documents are in scope.
        memories: whether memories are in scope.
    """
    if not (documents or memories):
        return None
    return Marker(MarkerKind.RETRIEVAL_POSTURE_DIRECTIVE, POSTURE, {"id": stable_id("posture", POSTURE)})
